"""Statistics of questions that are answered by a number."""
