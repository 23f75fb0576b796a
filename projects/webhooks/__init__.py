"""Notifies other programs of events in a project."""
