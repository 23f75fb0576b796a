"""Labeling rounds: planning, previewing, opening, closing, and revealing.

plans      the plan of a round, as chosen by a lead
planning   compute assignments and pairwise overlap from a plan, as arrays
writing    save planned rounds, and replan them when raters leave or join
states     open, close, and reveal rounds
"""
