"""Items with all of their labels and history."""
