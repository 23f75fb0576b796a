"""Adjudication: disputes, decisions, and final labels.

disputes: items in dispute, most disputed first. showing: one item with all its labels. deciding: decisions, stored as
labels of the consensus rater. finals: the final label and its origin. exporting: all final labels as a stream.
"""
