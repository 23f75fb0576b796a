"""The items behind a number: one query, and what it finds of a question, of a pair, and of a rater."""
