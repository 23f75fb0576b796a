"""Pictures of a report: what is drawn, in plain numbers for an SVG, and each as a file to save."""
