"""Merging one category into another."""
