"""Scales that put words to a coefficient, each for the coefficients it was made for; all of them conventions."""
