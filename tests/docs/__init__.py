"""Documents that show figures: every example is computed again."""
