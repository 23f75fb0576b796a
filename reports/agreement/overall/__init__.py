"""Statistics of all raters together, each in a file of its own.

statistic         what a statistic is made of, and its estimate
linearised        the standard error over items
coefficients      all of them by name
chance_corrected  percent agreement, Fleiss, Brennan & Prediger, Gwet
conger, light     kappas that tell raters apart
krippendorff      alpha
agreeing          all raters alike; other means of percent agreement
categories        each category against the rest
kendall           concordance of rankings, and its test
fleiss_test       Fleiss' kappa = 0
cochran           whether raters choose a category equally often
"""
