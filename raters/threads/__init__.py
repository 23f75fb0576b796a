"""Raters' questions about items, and the leads' answers."""
