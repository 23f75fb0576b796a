"""What holds for any labels: symmetry, identities between coefficients, bounds."""
