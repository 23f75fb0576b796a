"""Whether a report can be relied on: is it still the same, what has changed since, and who may read it by a link."""
