"""What pages need of all pairs of a question, stored with the report: there may be millions of pairs."""

from typing import TypedDict, cast

from django.db.models import Count, Max, Min, Q, Sum

from reports.models import QuestionAgreement
from reports.store.included_raters import IncludedRaters, counted_in


class PairTotals(TypedDict):
    """Of the pairs of raters who count or, if these are too few, of all pairs.

    n: how many pairs; n_shared: the sum of their shared items. low, high: of kappa; n_undefined: pairs without one.
    """

    n: int
    n_shared: int
    low: float | None
    high: float | None
    n_undefined: int


def store_pair_totals(agreement: QuestionAgreement) -> None:
    agreement.pair_totals = _totals(agreement, counted_in(agreement))


def pair_totals(agreement: QuestionAgreement, counted: IncludedRaters) -> PairTotals:
    """Return the totals, which reports of earlier releases do not have stored."""
    return cast("PairTotals | None", agreement.pair_totals) or _totals(agreement, counted)


def _totals(agreement: QuestionAgreement, counted: IncludedRaters) -> PairTotals:
    pairs = agreement.pairs.all()
    if counted.left_out and not counted.are_too_few:
        pairs = pairs.exclude(Q(rater_a__in=counted.left_out) | Q(rater_b__in=counted.left_out))
    found = pairs.aggregate(
        n_pairs=Count("pk"),
        n_shared=Sum("n", default=0),
        low=Min("kappa"),
        high=Max("kappa"),
        n_defined=Count("kappa"),
    )
    return {
        "n": found["n_pairs"],
        "n_shared": found["n_shared"],
        "low": found["low"],
        "high": found["high"],
        "n_undefined": found["n_pairs"] - found["n_defined"],
    }
