"""Computing, storing, and verifying reports."""
