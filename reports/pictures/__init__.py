"""The pictures of a report, each a specification of Vega-Lite."""
