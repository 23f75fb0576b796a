"""Rounds of labeling: planned and looked at before anything is assigned, opened, closed, revealed.

plans      what a lead chooses
planning   the plan carried out in arrays: who gets what, and what every two raters share
writing    planned rounds written down, and planned again when raters leave or join
states     open, close, reveal
"""
