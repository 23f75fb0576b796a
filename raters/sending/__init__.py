"""Labels that programs send and fetch in bulk."""
