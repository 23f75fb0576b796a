"""Items: what is rated."""
