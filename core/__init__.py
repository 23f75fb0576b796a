"""What every app uses and none owns: the chain of history, and the roles of the database."""
