"""The rules for deriving the final label of an item from its labels, by the kind of question.

`raters.adjudication.finals` applies them. Adjudicators' decisions take precedence under every rule.
"""

from collections.abc import Sequence

from django.db import models


class FinalRule(models.TextChoices):
    PLURALITY = "plurality", "Most frequent label"
    ADJUDICATED = "adjudicated", "Decisions only"
    UNANIMOUS = "unanimous", "Unanimous"
    MAJORITY = "majority", "Majority"
    CATEGORY_MAJORITY = "category_majority", "Majority for each category"
    MEDIAN = "median", "Median"
    MEAN = "mean", "Mean"
    WEIGHTED = "weighted", "Weighted vote"
    DAWID_SKENE = "dawid_skene", "Dawid–Skene"


_R = FinalRule
_OF_ALL = (_R.PLURALITY, _R.ADJUDICATED, _R.UNANIMOUS, _R.MAJORITY)
# A worker must estimate the reliability of raters before these give final labels.
ESTIMATED = frozenset({_R.WEIGHTED, _R.DAWID_SKENE})
# The others have no certainty, so no threshold applies.
WITH_THRESHOLD = frozenset({_R.PLURALITY, _R.MAJORITY, _R.CATEGORY_MAJORITY, *ESTIMATED})


def offered_rules(kind: str, level: str) -> Sequence[FinalRule]:
    if kind == "single":
        return (*_OF_ALL, _R.WEIGHTED, _R.DAWID_SKENE)
    if kind == "multiple":
        return (*_OF_ALL, _R.CATEGORY_MAJORITY)
    if kind != "number" or level == "nominal":
        return _OF_ALL
    return (*_OF_ALL, _R.MEDIAN) if level == "ordinal" else (*_OF_ALL, _R.MEDIAN, _R.MEAN)


def initial_rule(kind: str, level: str) -> FinalRule:
    """Return the rule of a new question. Few raters give exactly the same number, so the median decides numbers."""
    return _R.MEDIAN if _R.MEDIAN in offered_rules(kind, level) else _R.PLURALITY
