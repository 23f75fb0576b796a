"""Correcting the answer type of a question that has labels."""
