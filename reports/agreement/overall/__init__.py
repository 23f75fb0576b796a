"""Statistics of all raters together, each in its own module.

statistic         the components of a statistic, and its estimate
linearised        the standard error over items
coefficients      all of them by name
chance_corrected  percent agreement, Fleiss, Brennan & Prediger, Gwet
conger, light     kappas that distinguish raters
krippendorff      alpha
agreeing          unanimous items; other means of percent agreement
categories        each category against the rest
kendall           concordance of rankings, and its test
fleiss_test       Fleiss' kappa = 0
cochran           test whether raters choose a category equally often
"""
