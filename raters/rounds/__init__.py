"""Labeling rounds: planning, previewing, opening, closing, and revealing.

round_plan    the plan of a round, as chosen by a lead
planning      compute assignments and pairwise overlap from a plan, as arrays
plan_storage  save planned rounds, and replan them when raters leave or join
states        open, close, and reveal rounds
"""
