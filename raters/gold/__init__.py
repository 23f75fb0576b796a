"""Items whose answer is known: mixed into rounds like any other, to check raters or to train them.

references  what the reference says of an item, and which items have one
showing     in a training round, the reference is shown once the rater's own answer is saved; then that answer stands
"""
