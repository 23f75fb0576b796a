"""How many items a study of agreement needs, and what its coefficients can be expected to show."""
