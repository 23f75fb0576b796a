"""Backups of everything in one file: the database at one moment, and the media files it refers to."""
