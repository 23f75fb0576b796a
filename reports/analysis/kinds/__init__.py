"""What differs between kinds of questions."""
