"""Labels from files: read, checked as a whole, and loaded all or not at all."""
