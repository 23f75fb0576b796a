"""Speed and memory of counting, reading and computing, each beside its peers in the same run: `make bench`."""
