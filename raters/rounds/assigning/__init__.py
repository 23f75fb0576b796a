"""Assignment algorithms on plain arrays. No Django, no database.

allocation  choose raters for each item so that workload and overlap are balanced
queues      the order of each rater's items, and which of them are repeated
coverage    the number of items shared by each pair of raters
"""
