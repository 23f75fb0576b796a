"""Consensus: one label for each item from those of several raters.

labels       the labels of a question one by one, with any number per rater and item
dawid_skene  the most probable category, given each rater's error rates
majority     the category with the most labels
vote_weights the weights of raters' votes
"""
