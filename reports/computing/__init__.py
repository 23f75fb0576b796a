"""What is computed of a question, as reports store it and programs get it."""
