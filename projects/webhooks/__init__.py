"""Telling other programs what happens in a project."""
