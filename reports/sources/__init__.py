"""The labels of a question out of Postgres, as they are or as a snapshot saw them."""
