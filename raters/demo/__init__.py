"""The projects that come with the program: two published tables, and our own one with simulated raters."""
