"""Stored results, read for pages, API, exports and command."""
