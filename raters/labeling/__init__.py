"""A rater's own work: next assignment, answers, and progress.

next_assignment   find or take the next assignment, without race conditions
answers           answers to questions, validated against the codebook
skipping          skip an item until nothing else is left
saving            save all answers of an item at once, exactly once, without overwriting unseen changes
undoing           undo the last save
shown_assignment  an assignment as shown on the labeling page and in the API
progress          work done and estimated time left
pages             the labeling page, which works without scripts
api               the API for all of this
"""
