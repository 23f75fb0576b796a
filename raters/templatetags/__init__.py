"""Tags of templates that show labels."""
