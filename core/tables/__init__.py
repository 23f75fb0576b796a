"""Reading the files that people bring: strict, streamed, and every fault with its place."""
