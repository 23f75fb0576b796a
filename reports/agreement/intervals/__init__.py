"""Intervals from replicates of the data, for any statistic, and for differences between two."""
