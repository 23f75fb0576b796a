"""Adjudication: what is in dispute, the decisions about it, and the final labels.

disputes: which items, most disputed first. showing: one of them with all that was said. deciding: the decision, as the
label of the consensus rater. finals: which label is final, and where it comes from. exporting: all of them as a stream.
"""
