"""Statistics of two raters, computed from the confusion matrices of a whole stack of pairs at once."""
