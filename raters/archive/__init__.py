"""Exporting a project as one file and importing it on another server; exporting it there gives identical bytes."""
