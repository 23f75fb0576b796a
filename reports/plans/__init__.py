"""How many items a study needs, for the page, the API and the command alike."""
