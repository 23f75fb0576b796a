"""The log of a project: who did what and when, with filters and export."""
