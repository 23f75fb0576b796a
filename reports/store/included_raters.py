"""Which raters count in the overall figures of a question, and the shared wording for it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TypedDict

from core.templatetags.shown import count
from reports.analysis.options import RaterKind
from reports.analysis.results import Json
from reports.models import QuestionAgreement

HUMAN, MODEL, REFERENCE = RaterKind
ONLY = {HUMAN: "people only", MODEL: "models only", REFERENCE: "references only"}


@dataclass(frozen=True, slots=True)
class IncludedRaters:
    """ids: raters who count; left_out: raters with labels who do not. n_items, n_labels, n_abstentions: of those who
    count. words: their number and who is left out, such as "3 raters, excluding the reference".

    The raters who count are its members, which are found quickly among many.
    """

    ids: tuple[int, ...]
    left_out: tuple[int, ...]
    n_items: int
    n_labels: int
    n_abstentions: int
    words: str
    _members: frozenset[int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_members", frozenset(self.ids))

    def __contains__(self, rater_id: int) -> bool:
        return rater_id in self._members

    @property
    def n_raters(self) -> int:
        return len(self.ids)

    @property
    def without(self) -> str:
        """Return who is left out; "" if nobody is."""
        return self.words.partition(", ")[2] if self.left_out else ""

    @property
    def sentence(self) -> str:
        """Return a sentence on whom the overall coefficients are based on; "" if on everyone."""
        return f"Overall coefficients are based on {self.words}." if self.left_out else ""

    @property
    def are_too_few(self) -> bool:
        """Return whether fewer than two raters count although the report has others."""
        return bool(self.left_out) and len(self.ids) < 2

    @property
    def listed(self) -> tuple[int, ...]:
        """Return whose labels a list of items counts: of those who count, or of everyone if they are too few."""
        return (*self.ids, *self.left_out) if self.are_too_few else self.ids


def kinds_in(agreement: QuestionAgreement) -> tuple[RaterKind, ...]:
    """Return the kinds of raters that count in the overall figures."""
    return agreement.report.chosen.kinds_counted(rater["kind"] for rater in agreement.raters)


def counted_in(agreement: QuestionAgreement) -> IncludedRaters:
    kinds = kinds_in(agreement)
    ids = tuple(rater["id"] for rater in agreement.raters if rater["kind"] in kinds)
    left_out = tuple(rater["id"] for rater in agreement.raters if rater["kind"] not in kinds)
    n_references = sum(rater["kind"] == REFERENCE for rater in agreement.raters) if REFERENCE in kinds else 0
    sizes = agreement.statistics.get("counted", {})
    return IncludedRaters(
        ids,
        left_out,
        sizes.get("n_items", agreement.n_items),
        sizes.get("n_labels", agreement.n_labels),
        sizes.get("n_abstentions", agreement.n_abstentions),
        raters_words(len(ids), kinds, n_left_out=len(left_out), n_references=n_references),
    )


def counted_in_all_rounds(agreement: QuestionAgreement) -> tuple[int, ...]:
    """Return the raters who count, and those of the same kinds who labeled only in rounds other than the lead."""
    ids = counted_in(agreement).ids
    if agreement.lead is None:
        return ids
    known = [rater["id"] for rater in agreement.raters]
    others = agreement.report.project.raters.filter(kind__in=kinds_in(agreement)).exclude(pk__in=known)
    return (*ids, *others.values_list("pk", flat=True))


def counted_as_json(agreement: QuestionAgreement) -> Json:
    counted = counted_in(agreement)
    return {
        "words": counted.words,
        "n_raters": counted.n_raters,
        "n_items": counted.n_items,
        "n_labels": counted.n_labels,
        "n_abstentions": counted.n_abstentions,
        "left_out": excluded_keys(agreement),
    }


class SideRaters(TypedDict):
    words: str
    n_raters: int
    left_out: list[str]


def counted_of_side(agreement: QuestionAgreement, ids: Collection[int], kinds: Collection[str]) -> SideRaters:
    """Return who counts on one side of a comparison; ids and kinds: of the raters who count there."""
    members = frozenset(ids)
    left_out = [rater["key"] for rater in agreement.raters if rater["id"] not in members]
    among = [rater for rater in agreement.raters if rater["id"] in members]
    n_references = sum(rater["kind"] == REFERENCE for rater in among)
    words = raters_words(len(among), kinds, n_left_out=len(left_out), n_references=n_references)
    return {"words": words, "n_raters": len(among), "left_out": left_out}


def excluded_keys(agreement: QuestionAgreement) -> list[str]:
    counted = counted_in(agreement)
    return [rater["key"] for rater in agreement.raters if rater["id"] not in counted]


def words_of_coefficients(agreement: QuestionAgreement) -> str:
    """Return the words without reading the raters, who may be many; they do not say whether references are included."""
    n, kinds = _n_counted(agreement), agreement.report.chosen.counted
    if not kinds and n < agreement.n_raters:
        return f"{count(n)} of {count(agreement.n_raters)} raters"
    return raters_words(n, kinds, n_left_out=agreement.n_raters - n)


def excluded_of_coefficients(agreement: QuestionAgreement) -> str:
    """Return who is left out, also without reading the raters; "" if nobody is."""
    n, kinds = _n_counted(agreement), agreement.report.chosen.counted
    if not kinds and n < agreement.n_raters:
        return words_of_coefficients(agreement)
    return excluded_words(kinds, agreement.n_raters - n)


def _n_counted(agreement: QuestionAgreement) -> int:
    found = next(iter(agreement.coefficients.values()), None)
    if found is None:
        return agreement.n_raters
    left: Mapping[str, int] = found.get("left_out") or {}
    return int(found.get("n_raters", 0) + left.get("n_raters", 0))


def raters_words(n: int, kinds: Collection[str], *, n_left_out: int, n_references: int = 0) -> str:
    """Return the number of raters and who is left out, in words. n_references: how many of the n are references."""
    raters = f"{count(n)} rater{'' if n == 1 else 's'}"
    if n_left_out:
        return f"{raters}, {excluded_words(kinds, n_left_out)}"
    if n_references:
        among = "the reference" if n_references == 1 else f"{count(n_references)} references"
        return f"{raters}, including {among}"
    return raters


def excluded_words(kinds: Collection[str], n_left_out: int) -> str:
    """Return who is left out when only these kinds count; "" if nobody is."""
    if not n_left_out:
        return ""
    left = [kind for kind in RaterKind if kind not in kinds]
    if left == [REFERENCE]:
        return f"excluding the reference{'' if n_left_out == 1 else 's'}"
    if len(left) == 1:
        return f"excluding {left[0].many}"
    return ONLY[next(kind for kind in RaterKind if kind in kinds)]
