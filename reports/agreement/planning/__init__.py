"""The number of items that an agreement study needs, and the coefficients that can be expected of it."""
