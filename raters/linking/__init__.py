"""Which rater of a project is which person."""
