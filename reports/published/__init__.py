"""Published examples and this program's results for them, which reviewers can check for themselves.

examples         tables and labels as they were printed, in examples.json
statistics       a function for each statistic: example -> computed figure
printed_figures  the printed figures, with example and source, in printed_figures.toml
checking         comparison of printed and computed figures, allowing for rounding
"""
