"""One label for each item out of those of several raters.

labels       the labels of a question one by one, a rater as often on an item as need be
dawid_skene  the most probable category, by how often each rater errs
majority     the category with the most labels
vote_weights how much the vote of each rater should weigh
"""
