"""Statistics for multiple-choice questions, whose labels are sets of categories."""
