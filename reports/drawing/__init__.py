"""Drawing with Vega-Lite: its engine, the style, and colors that everyone can distinguish."""
