"""What is rated."""
