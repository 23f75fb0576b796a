"""Our figures against reference figures: published ones in every test run, a folder of many more on request.

data         data sets: categories, raters, labels
rows         what a reference row says, and whether ours agrees
conventions  limits and errors as others define them, computed from our figures
exceptions   rows that we do not compute, each with its reason
figures/     one small function per statistic: (data set, options) -> our figures
published    the committed data and rows, in published.json

`python -m tests.reference FOLDER` checks every row of FOLDER/reference.json.
"""
