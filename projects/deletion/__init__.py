"""Deletes, restores, and purges projects."""
