"""What every part of the API stands on: strict JSON, strict parameters, one shape of error."""
