"""Each rater's performance over rounds and projects, compared with others, the reference, decisions, and repeats."""
