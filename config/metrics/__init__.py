"""Metrics for Prometheus: requests, counted by each web process, and what the database knows of runs and of itself."""
