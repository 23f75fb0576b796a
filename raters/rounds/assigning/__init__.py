"""Who labels what: a plan in arrays, before anything is assigned. No Django, no database.

allocation  which raters label each item, so that work and overlap are even
queues      the order in which a rater gets the items, and which of them come twice
coverage    how many items each pair of raters shares
"""
