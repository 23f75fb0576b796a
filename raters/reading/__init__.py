"""What files of labels say, whichever program wrote them: no database, no project, records alone."""
