"""Audits of labels given elsewhere: the population, the sample, who judges it, and what they found."""
