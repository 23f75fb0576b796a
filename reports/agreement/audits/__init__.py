"""Audits of labels by a sample: its size, acceptance rules, and estimates for all labels."""
