"""Statistics of agreement between raters: NumPy and SciPy only, no Django, no files, no rounding.

ratings   the labels of one question, dense or sparse
building  a question's labels, slice by slice, into ratings
counting  the tables of counts of all pairs of raters
pairs     Cohen's kappa of a whole stack of tables
overall   the coefficients of all raters together
planning  how many items a study needs
reading   scales of interpretation
"""
