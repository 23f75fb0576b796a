"""A whole project as one file, out of one server and into another; taken out again it is the same to the byte."""
