"""Agreement of the labels in a file, without a project or a database: what `manage.py agreement` does."""
