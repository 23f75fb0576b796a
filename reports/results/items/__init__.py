"""The items behind a number: one query, and its results for a question, a pair, and a rater."""
