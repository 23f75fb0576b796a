"""What can be taken away of a finished report: tables, labels, text, documents and scripts (`files` lists them)."""
