"""Who labeled what, and which assigned labels are missing. An item a rater was not assigned is not missing."""

from dataclasses import dataclass

from core.templatetags.shown import count, percent
from reports.sources.assigned import AssignmentCountsJson
from reports.store.pair_totals import pair_totals
from reports.store.stored_result import StoredResult


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignDescription:
    """crossing: how many of the raters who count labeled each item; "" if all did. missing: assigned labels that are
    missing; "" if there are none or nothing was assigned.
    """

    crossing: str
    missing: str

    @property
    def sentences(self) -> list[str]:
        return [each for each in (self.crossing, self.missing) if each]


def design_of_result(result: StoredResult) -> DesignDescription:
    if result.reason or result.counted.are_too_few:
        return DesignDescription(crossing="", missing="")
    return DesignDescription(
        crossing=_crossing(result), missing=missing_words(result.statistics.get("assigned"))
    )


def missing_words(assigned: AssignmentCountsJson | None) -> str:
    if assigned is None or not assigned["n_missing"]:
        return ""
    n, of, skipped = assigned["n_missing"], assigned["n"], assigned["n_skipped"]
    was_skipped = "" if not skipped else f", {count(skipped)} of them skipped"
    if n == skipped:
        was_skipped = ": skipped" if n == 1 else ": all skipped"
    are = "is" if n == 1 else "are"
    return f"{count(n)} of {count(of)} assigned labels {are} missing ({percent(n / of, 1)}){was_skipped}."


def _crossing(result: StoredResult) -> str:
    counted = result.counted
    n_answers = counted.n_labels + counted.n_abstentions
    if counted.n_raters < 2 or not counted.n_items or n_answers >= counted.n_items * counted.n_raters:
        return ""
    each, rest = divmod(counted.n_labels, counted.n_items)
    if rest or not _all_have(result, each):
        mean = f"{counted.n_labels / counted.n_items:.1f}".removesuffix(".0")
        return f"On average, {mean} of {count(counted.n_raters)} raters labeled each item."
    return f"Each item was labeled by {count(each)} of {count(counted.n_raters)} raters."


def _all_have(result: StoredResult, each: int) -> bool:
    """Return whether every item has exactly `each` labels, which is their mean.

    An item with m labels has m (m - 1) / 2 pairs, whose total is smallest if all items have equally many labels.
    """
    counted = result.counted
    if result.unstored is None:
        n_pairs = pair_totals(result.row, counted)["n_shared"]
    else:
        n_pairs = sum(
            pair.n for pair in result.unstored if pair.rater_a_id in counted and pair.rater_b_id in counted
        )
    return n_pairs == counted.n_items * each * (each - 1) // 2
