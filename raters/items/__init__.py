"""Items with everything that was said of them."""
