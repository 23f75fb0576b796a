"""The API of projects: strict JSON, strict parameters, one shape of error."""
