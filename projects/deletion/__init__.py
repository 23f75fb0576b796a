"""Deleting a project, restoring it, and purging it."""
