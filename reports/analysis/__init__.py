"""What is computed of a question, from arrays to results. No Django."""
