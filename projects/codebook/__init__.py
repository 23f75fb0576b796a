"""Questions and categories: changing, copying, and starting codebooks, and what existing labels rule out."""
