"""Drawing: Vega-Lite in an engine, its looks, and colours that all people tell apart."""
