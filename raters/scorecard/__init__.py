"""How each rater has done over rounds and projects: beside the others, the reference, decisions, and themselves."""
