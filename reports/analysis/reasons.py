"""Wording of the reasons why a value or interval is missing: short for a cell, a phrase for a line, long for a page."""

from dataclasses import dataclass

from reports.agreement.results import Reason


@dataclass(frozen=True, slots=True)
class ReasonTexts:
    short: str
    phrase: str
    long: str


# There is a value, but it takes too much to compute.
NOT_COMPUTED = {Reason.TOO_LARGE, Reason.TOO_MANY_VALUES}
REASONS = {
    Reason.NO_ITEMS: ReasonTexts("no items", "no item has a label", "There are no labeled items."),
    Reason.NO_OVERLAP: ReasonTexts(
        "none shared",
        "no item has two labels",
        "No item was labeled by two raters, so agreement cannot be computed.",
    ),
    Reason.NO_VARIATION: ReasonTexts(
        "no variation",
        "all labels are the same",
        "All labels are the same. Expected agreement is then 100%, so the coefficient is undefined (neither 0 nor "
        "1).",
    ),
    Reason.NO_ITEM_VARIATION: ReasonTexts(
        "no item variance",
        "items vary no more than raters do within an item",
        "The variance between items does not exceed the variance within items, so this correlation is undefined.",
    ),
    Reason.ONE_ITEM: ReasonTexts(
        "one item",
        "only one item, so no CI",
        "Only one item was labeled by both raters, so there is no standard error or CI.",
    ),
    Reason.DEGENERATE_MARGINS: ReasonTexts(
        "no CI",
        "the usual standard error does not apply, so no CI",
        "The usual standard error does not apply, for example because a rater used only one category, so there is no "
        "CI.",
    ),
    Reason.DEGENERATE_SE: ReasonTexts(
        "no CI",
        "agreement is the same on every item, so no CI",
        "The standard error is 0, for example because all labels agree or none do. It is uninformative, so there is no "
        "CI.",
    ),
    Reason.TOO_MANY_UNDEFINED: ReasonTexts(
        "too many undefined",
        "undefined in more than 5% of the replicates, so no CI",
        "The statistic is undefined in more than 5% of the replicates, so a CI from the others would be misleading.",
    ),
    Reason.OUTSIDE_REPLICATES: ReasonTexts(
        "outside replicates",
        "the value lies outside all replicates, so no CI",
        "The value lies outside the range of its bootstrap replicates, so the BCa correction is undefined.",
    ),
    Reason.NO_COMPLETE_ITEMS: ReasonTexts(
        "no complete items",
        "no item was labeled by every rater",
        "This statistic requires items labeled by every rater, and there are none.",
    ),
    Reason.TOO_FEW_ITEMS: ReasonTexts(
        "too few items", "too few items", "There are too few items for this statistic."
    ),
    Reason.TOO_MANY_VALUES: ReasonTexts(
        "too many values",
        "too many distinct numbers",
        "There are too many distinct numbers to compute this statistic.",
    ),
    Reason.NEGATIVE_VALUES: ReasonTexts(
        "negative values",
        "negative values",
        "Some values are negative. The ratio level requires values of 0 or more.",
    ),
    Reason.TOO_LARGE: ReasonTexts(
        "too large",
        "too many items and raters",
        "There are too many items and raters to compute this statistic in a report. Select fewer, for example by "
        "round.",
    ),
    Reason.UNEQUAL_LABELS: ReasonTexts(
        "unequal labels",
        "items have different numbers of labels",
        "This statistic requires the same number of labels on every item.",
    ),
    Reason.NOT_TWO_CATEGORIES: ReasonTexts(
        "not two categories",
        "available for two categories only",
        "This statistic is available only for questions with two categories.",
    ),
    Reason.CATEGORY_UNUSED: ReasonTexts(
        "unused",
        "the category was never used",
        "The category was never used, so its statistics are undefined.",
    ),
    Reason.NOT_CONNECTED: ReasonTexts(
        "unconnected",
        "groups of raters share no items",
        "The raters form groups that share no items, so differences between raters cannot be separated from "
        "differences between items. Have one rater of each group label some items of another.",
    ),
    Reason.NO_RESIDUAL: ReasonTexts(
        "too few labels",
        "too few labels to separate items, raters, and error",
        "There are too few labels to separate differences between items, differences between raters, and error.",
    ),
    Reason.TOO_FEW_COUNTED: ReasonTexts(
        "too few raters",
        "fewer than two raters are included in overall coefficients",
        "Fewer than two raters are included in overall coefficients. See the pairs, which have their own statistics, "
        "or compute a report that also includes the reference or another rater type.",
    ),
    Reason.RATERS_UNKNOWN: ReasonTexts(
        "raters unknown",
        "not available from counts: it depends on who gave which label",
        "This statistic depends on which rater gave which label, and counts do not show that. Use a file of labels "
        "instead.",
    ),
}


BY_NAME = {str(reason): words for reason, words in REASONS.items()}


def absence_of(reason: str) -> str:
    """Return how a value is missing, as the end of a sentence in the past tense."""
    return "was not computed" if reason in NOT_COMPUTED else "was undefined"


def words_of(reason: str) -> ReasonTexts:
    """Return the words for a stored reason; an unknown reason is shown unchanged."""
    plain = reason.replace("_", " ")
    return BY_NAME.get(reason, ReasonTexts(plain, plain, plain))


# Reasons why a whole question has no results. Keys are the arguments of
# reports.analysis.question.QuestionNotComputable.
UNFIT = {
    "no_categories": "This question has no categories yet.",
    "equal_values": "Two categories have the same value, so distances between them are undefined.",
    "values_missing": "Some categories have no value. Interval and ratio questions require a value for each category.",
    "negative_values": "Some categories have a negative value. Ratio questions require values of 0 or more.",
    "matrix_misfit": "The custom weights do not match the current categories.",
    "too_many_sets": "There are too many distinct sets of categories.",
    "too_many_cells": "There are too many raters for this number of categories. Select fewer, for example by round.",
}
