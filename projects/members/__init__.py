"""Who belongs to a project, and who is invited."""
