"""Statistics of all raters together, each in a file of its own.

statistic   what a statistic is made of, and its estimate
linearised  the standard error over items
"""
