"""The pictures of a report, each as a Vega-Lite specification."""
