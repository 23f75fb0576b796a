"""The projects that come with the program: two published tables, and one of our own whose raters are simulated."""
