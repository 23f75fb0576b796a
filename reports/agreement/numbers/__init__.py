"""Statistics for questions whose answer is a number."""
