"""Read files of labels from any supported program as records. No database or project."""
