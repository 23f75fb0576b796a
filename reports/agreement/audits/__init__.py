"""Audits of labels by a sample: how large it must be, when to accept, and what it shows about all labels."""
