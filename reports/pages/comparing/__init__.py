"""Comparison pages: two sides of a question, two reports, rounds, and time."""
