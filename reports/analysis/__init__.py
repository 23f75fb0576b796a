"""The analysis of a question, from arrays to results. Does not depend on Django."""
