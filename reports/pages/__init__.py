"""The pages of agreement: views and their contents."""
