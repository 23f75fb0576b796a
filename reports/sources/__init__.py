"""Reading the labels of a question from PostgreSQL, current or as of a snapshot."""
