"""Progress of a project, counted by the database in a fixed number of queries.

figures  counts by rater, round, and question; pace, reference, repeats; items finished, waiting, and in dispute
behind   the items behind each number
"""
