"""The base of every app's pages and API."""
