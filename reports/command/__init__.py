"""Agreement of the labels in a file, without a project or database, for `manage.py agreement`."""
