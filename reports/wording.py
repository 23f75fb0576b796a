"""What the figures are called and how they are read out."""

from reports.models import Report

# Short for a cell, long for a page of its own. Keys are those of reports.agreement.results.Reason.
SHORT = {
    "no_items": "no items",
    "no_overlap": "none shared",
    "no_variation": "no variation",
    "n<2": "one item",
    "degenerate_margins": "one constant",
    "degenerate_se": "no interval",
}
# Why a whole question has no results. Keys are the arguments of reports.scopes.QuestionUnfit.
UNFIT = {
    "no_categories": "This question has no categories yet.",
    "equal_values": "Two categories have the same value, so distances between them mean nothing.",
    "values_missing": "Some categories have no value; an interval or ratio question needs one for each.",
    "negative_values": "Some categories have a value below 0, and ratios need values of 0 or more.",
    "matrix_misfit": "The weights of your own do not go with the categories as they are now.",
    "too_many_cells": "There are too many raters for this many categories; choose fewer.",
}
LONG = {
    "no_items": "There is no item with a label.",
    "no_overlap": "There is no item that two raters have labelled, so nothing can be compared.",
    "no_variation": "Only one category was used, so agreement by chance would be complete and nothing is left to "
    "measure. The value is undefined; it is neither 0 nor 1.",
    "n<2": "Only one item was labelled by both, so there is no standard error and no interval.",
    "degenerate_margins": "One of the raters used a single category, so the usual standard error does not hold and "
    "there is no interval.",
    "degenerate_se": "The standard error is 0, as when all labels agree or none does. It says nothing, so there is no "
    "interval.",
}

COEFFICIENTS = {
    "fleiss_kappa": "Fleiss’ κ",
    "krippendorff_alpha": "Krippendorff’s α",
    "gwet_ac1": "Gwet’s AC1",
    "percent_agreement": "Agreement",
    "mean_pairwise_kappa": "Mean κ",
}

WEIGHTS = dict(Report.Weights.choices)

# Landis & Koch 1977, Biometrics 33, 159: lower limits, each closed. A convention, drawn for kappa and by no evidence.
LANDIS_KOCH = [
    (0.8, "almost perfect"),
    (0.6, "substantial"),
    (0.4, "moderate"),
    (0.2, "fair"),
    (0.0, "slight"),
]


def landis_koch(kappa: float) -> str:
    return next((word for low, word in LANDIS_KOCH if kappa >= low), "poor")


def short_reason(reason: str) -> str:
    return SHORT.get(reason, reason.replace("_", " "))


def long_reason(reason: str) -> str:
    return (LONG | UNFIT).get(reason, reason.replace("_", " "))
