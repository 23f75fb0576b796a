"""Published examples, computed again: what a reviewer can check without believing us.

examples    tables and labels as they were printed, in examples.json
statistics  one small function for each statistic: example -> our figure
figures     what was printed, for which example, by whom, in figures.toml
checking    printed against computed, with the difference that rounding allows
"""
