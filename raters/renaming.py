"""Word of a rater that has a new key."""

from django.dispatch import Signal

# Sent with rater and old, the key that it had.
raters_renamed = Signal()
