"""Files of labels as records, whichever program wrote them; without a database or a project."""
