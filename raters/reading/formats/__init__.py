"""The files of other programs that have a structure of their own, a module for each program."""
