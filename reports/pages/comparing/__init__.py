"""The pages that compare: two sides of a question, two reports, rounds and times."""
