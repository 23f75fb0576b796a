"""Import labels from files. A file is checked as a whole and loaded completely or not at all."""
