"""Exports of a finished report: tables, labels, text, documents, and scripts (listed in `export_list`)."""
