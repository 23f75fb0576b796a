"""In-app and email notifications, as each person chooses."""
