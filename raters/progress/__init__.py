"""Progress of a project, counted by the database in a fixed number of queries.

progress_figures  counts by rater, round, and question; pace, reference, repeats; finished items, disputes
progress_lists    the items, assignments, or labels behind each number
"""
