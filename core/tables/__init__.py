"""Reads the tables that people bring: strictly, as streams, and with the place of every fault."""
