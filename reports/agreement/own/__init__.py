"""One rater: against the consensus of the others, by category, and over the rater's own time."""
