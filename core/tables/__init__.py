"""Reads tables that people upload: strictly, as streams, and with the position of every fault."""
