"""A model compared with people: whether it may replace a person, and prevalence estimates from its labels."""
