"""Drawing: Vega-Lite in an engine, its looks, and colors that all people tell apart."""
