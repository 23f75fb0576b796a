"""Whether raters work as a lead expects: rounds that are passed, rules that are watched, alerts, and pauses."""
