"""Reports, and the statistics themselves, over the API."""
