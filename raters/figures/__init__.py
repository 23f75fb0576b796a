"""Figures of large projects: computed by a worker, stored, and shown with the moment at which they were right."""
