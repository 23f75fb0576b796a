"""The pictures of the documents: taken again by `make pictures`."""
