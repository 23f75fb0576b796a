"""Reading stored results for pages, API, exports, and commands."""
