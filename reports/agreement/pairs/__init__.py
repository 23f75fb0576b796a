"""Statistics of two raters, each for a whole stack of pairs at once, from their tables of counts."""
