"""Items with everything that was said about them."""
