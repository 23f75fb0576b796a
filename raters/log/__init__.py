"""The log of a project: what was done, by whom and when, to be read, filtered and exported."""
