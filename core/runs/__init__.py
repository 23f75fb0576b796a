"""Work that a worker does later: its row, its lease, and who hands it out."""
