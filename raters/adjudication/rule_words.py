"""The meaning of rules and origins, as shown on pages."""

from projects.final_rules import FinalRule
from raters.adjudication.rules import Origin

ABOUT = {
    FinalRule.PLURALITY: "The label that more raters gave than any other, even if they are fewer than half.",
    FinalRule.ADJUDICATED: "Only adjudicators decide, whatever labels raters gave.",
    FinalRule.UNANIMOUS: "The label that all raters gave, if there are at least two.",
    FinalRule.MAJORITY: "The label that more than half of the raters gave.",
    FinalRule.CATEGORY_MAJORITY: "The categories that more than half of the raters chose. If exactly half chose a "
    "category, there is no final label.",
    FinalRule.MEDIAN: "The median of the raters’ numbers. With an even number of raters, halfway between the "
    "two in the middle.",
    FinalRule.MEAN: "The mean of the raters’ numbers.",
    FinalRule.WEIGHTED: "The label with the most weight. Raters have more weight the more often they give "
    "the same label as most of the others.",
    FinalRule.DAWID_SKENE: "The most probable category, given how often each rater is estimated to confuse each "
    "category with each other one. Assumes that raters err independently of each other. Needs about a "
    "hundred labels from each rater; with few, it can be wrong more often than a majority, and its probabilities are "
    "too high.",
}
MEANING = {
    Origin.ADJUDICATED: "An adjudicator made a decision.",
    Origin.REFERENCE: "No decision; a reference has a label, and no other reference contradicts it.",
    Origin.UNANIMOUS: "None of the above; two or more raters gave a label, all of them this one.",
    Origin.ONE_RATER: "None of the above; only one rater gave a label, so nobody could disagree.",
    Origin.MAJORITY: "None of the above; more raters gave this label than any other: under the rule “Majority”, more "
    "than half; under “Most frequent label”, possibly fewer (see share_agree). In files: majority.",
    Origin.CATEGORY_MAJORITY: "None of the above; more than half of the raters chose each of these categories, and no "
    "other.",
    Origin.MEDIAN: "No decision or reference; the median of two or more raters.",
    Origin.MEAN: "No decision or reference; the mean of two or more raters.",
    Origin.WEIGHTED: "None of the above; this label has the most weight.",
    Origin.DAWID_SKENE: "No decision or reference; this category is the most probable one.",
    Origin.NONE: "The rule leaves it open, there are no labels, or the question that this one depends on is open.",
    Origin.NOT_ASKED: "According to the final label of the question that this one depends on, it is not asked.",
}
# Possible origins under each rule, apart from decisions, references, and none.
_ALIKE = {Origin.ONE_RATER, Origin.UNANIMOUS}
_ORIGINS = {
    FinalRule.PLURALITY: {*_ALIKE, Origin.MAJORITY},
    FinalRule.ADJUDICATED: set[Origin](),
    FinalRule.UNANIMOUS: {Origin.UNANIMOUS},
    FinalRule.MAJORITY: {*_ALIKE, Origin.MAJORITY},
    FinalRule.CATEGORY_MAJORITY: {*_ALIKE, Origin.CATEGORY_MAJORITY},
    FinalRule.MEDIAN: {Origin.ONE_RATER, Origin.MEDIAN},
    FinalRule.MEAN: {Origin.ONE_RATER, Origin.MEAN},
    FinalRule.WEIGHTED: {*_ALIKE, Origin.WEIGHTED},
    FinalRule.DAWID_SKENE: {Origin.DAWID_SKENE},
}


def origins_of(rule: FinalRule) -> set[Origin]:
    return {Origin.ADJUDICATED, Origin.REFERENCE, Origin.NONE} | _ORIGINS[rule]
