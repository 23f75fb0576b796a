"""Side by side with other libraries, on random data and where a library is known to be wrong."""
