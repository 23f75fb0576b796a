"""What people are notified of, in the program and by email, as each person chooses."""
