"""Statistics of questions with a multiple choice: their labels are sets of categories."""
