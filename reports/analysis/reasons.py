"""Why a value or an interval is missing, in words: short for a cell, a phrase for a line, long for a page."""

from dataclasses import dataclass

from reports.agreement.results import Reason


@dataclass(frozen=True, slots=True)
class Words:
    short: str
    phrase: str
    long: str


REASONS = {
    Reason.NO_ITEMS: Words("no items", "no item has a label", "There is no item with a label."),
    Reason.NO_OVERLAP: Words(
        "none shared",
        "no item has two labels",
        "There is no item that two raters have labelled, so nothing can be compared.",
    ),
    Reason.NO_VARIATION: Words(
        "no variation",
        "all labels are the same",
        "All labels are the same, so agreement by chance would be complete and nothing is left to measure. The "
        "value is undefined; it is neither 0 nor 1.",
    ),
    Reason.NO_ITEM_VARIATION: Words(
        "items too alike",
        "the items vary no more than raters do on one item",
        "The items differ no more from each other than raters do on one item, so that this correlation has no value.",
    ),
    Reason.ONE_ITEM: Words(
        "one item",
        "one item only, so no interval",
        "Only one item was labelled by both, so there is no standard error and no interval.",
    ),
    Reason.DEGENERATE_MARGINS: Words(
        "one constant",
        "one rater used one category only, so no interval",
        "One of the raters used a single category, so the usual standard error does not hold and there is no "
        "interval.",
    ),
    Reason.DEGENERATE_SE: Words(
        "no interval",
        "no item differs from the others, so no interval",
        "The standard error is 0, as when all labels agree or none does. It says nothing, so there is no interval.",
    ),
    Reason.TOO_MANY_UNDEFINED: Words(
        "too many undefined",
        "undefined in more than 5 % of the replicates, so no interval",
        "The value is undefined in more than 5 % of the replicates, so that an interval from the others would mislead.",
    ),
    Reason.OUTSIDE_REPLICATES: Words(
        "outside replicates",
        "the value lies outside all replicates, so no interval",
        "The value lies outside all of its bootstrap replicates, so that BCa has nothing to correct by.",
    ),
    Reason.NO_COMPLETE_ITEMS: Words(
        "no complete items",
        "no item has a label of every rater",
        "The statistic needs items that every rater has labelled, and there are none.",
    ),
    Reason.TOO_FEW_ITEMS: Words(
        "too few items", "too few items", "There are too few items for this statistic."
    ),
    Reason.TOO_MANY_VALUES: Words(
        "too many values",
        "too many different numbers",
        "There are too many different numbers for this statistic to be computed.",
    ),
    Reason.NEGATIVE_VALUES: Words(
        "negative values", "a value is below 0", "A value is below 0, and ratios need values of 0 or more."
    ),
    Reason.TOO_LARGE: Words(
        "too large",
        "too many items and raters for it",
        "There are too many items and raters for this statistic to be computed in a report; choose fewer.",
    ),
    Reason.UNEQUAL_LABELS: Words(
        "unequal labels",
        "items have different numbers of labels",
        "This needs the same number of labels on every item.",
    ),
    Reason.NOT_TWO_CATEGORIES: Words(
        "not two categories",
        "for questions with two categories only",
        "This is for questions with two categories only.",
    ),
    Reason.CATEGORY_UNUSED: Words(
        "unused", "the category was never used", "The category was never used, so nothing can be said of it."
    ),
    Reason.TOO_FEW_COUNTED: Words(
        "too few raters",
        "fewer than two raters count in the figures of all raters",
        "Fewer than two raters count in the figures of all raters. Look at the pairs, which have figures of their own, "
        "or ask for a report in which the reference, or another kind of raters, counts too.",
    ),
}


BY_NAME = {str(reason): words for reason, words in REASONS.items()}


def words_of(reason: str) -> Words:
    """The words for a reason as it is stored; one that is not known is shown as it is."""
    plain = reason.replace("_", " ")
    return BY_NAME.get(reason, Words(plain, plain, plain))


# Why a whole question has no results. Keys are the arguments of reports.analysis.question.QuestionUnfit.
UNFIT = {
    "no_categories": "This question has no categories yet.",
    "equal_values": "Two categories have the same value, so distances between them mean nothing.",
    "values_missing": "Some categories have no value; an interval or ratio question needs one for each.",
    "negative_values": "Some categories have a value below 0, and ratios need values of 0 or more.",
    "matrix_misfit": "The weights of your own do not go with the categories as they are now.",
    "too_many_sets": "There are too many different sets of categories.",
    "too_many_cells": "There are too many raters for this many categories; choose fewer.",
}
