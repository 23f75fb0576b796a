"""Reports computed, written, verified and kept."""
