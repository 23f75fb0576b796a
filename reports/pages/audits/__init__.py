"""Pages of audits: drawing one, its results, the review of differences, and certificates."""
