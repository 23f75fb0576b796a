"""Keys: the short names by which files and programs refer to things."""

MAX_KEY = 200
