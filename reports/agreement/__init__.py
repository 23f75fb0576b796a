"""Statistics of agreement between raters: NumPy and SciPy only, no Django, no files, no rounding.

ratings         the labels of one question, dense or sparse
building        ratings from a question's labels, slice by slice
counting        the confusion matrices of all pairs of raters
pairs           Cohen's kappa of a whole stack of tables
overall         the coefficients of all raters together
planning        the number of items that a study needs
interpretation  of values on scales
"""
