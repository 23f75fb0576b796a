"""Resampling intervals for any statistic, and intervals for differences between two values."""
