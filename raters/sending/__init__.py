"""Labels that programs send and fetch, many at once."""
