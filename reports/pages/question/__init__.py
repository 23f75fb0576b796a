"""The pages of a question of a report: matrix, verdict, categories, items."""
