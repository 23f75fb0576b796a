"""Items and codebook from files."""
