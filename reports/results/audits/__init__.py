"""Results of audits: computed, in words, as a paragraph for a paper, and as certificates."""
