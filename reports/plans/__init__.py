"""Planning of how many items a study needs, shared by page, API, and command."""
