"""A rater's own work: what comes next, what was said, and how far along it is.

next_assignment   which assignment comes next: telling it, and taking it, free of races
answers           what a rater says to each question, checked against the codebook
skipping          an item that comes again when nothing else is left
saving            all answers of one item at once, exactly once, never over what was not seen
undoing           one step back in the history
shown_assignment  what the labeling page and the API show of an assignment
progress          how much is done, and how long the rest will take
pages             the labeling page, which works without scripts
api               the same over the API
"""
