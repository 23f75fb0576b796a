"""The pages of agreement: views, and what each shows."""
