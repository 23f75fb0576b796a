"""How far a project has come, for its lead: counted by the database in a fixed number of queries.

figures  what is done, by rater, round and question; pace, reference, repeats; items finished, waiting and in dispute
behind   the items behind each number
"""
