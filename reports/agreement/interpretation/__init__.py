"""Scales that interpret coefficients in words, each for the coefficients it was made for; all are conventions."""
