"""Template tags that show labels."""
