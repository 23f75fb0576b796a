"""Linking a project's raters to people."""
