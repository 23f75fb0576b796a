"""The signal that a rater has a new key."""

from django.dispatch import Signal

# Sent with `rater` and `old`, its previous key.
raters_renamed = Signal()
