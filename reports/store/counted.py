"""Who counts in the figures of all raters of a question, and the words for it, which are the same everywhere."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TypedDict

from core.templatetags.shown import count
from reports.analysis.options import RaterKind
from reports.analysis.results import Json
from reports.models import QuestionAgreement

HUMAN, MODEL, REFERENCE = RaterKind
ONLY = {HUMAN: "people only", MODEL: "models only", REFERENCE: "references only"}


@dataclass(frozen=True, slots=True)
class Counted:
    """ids: raters who count; left_out: those who have labels and do not. n_items, n_labels, n_abstentions: of those who
    count. words: how many they are and without whom, such as "3 raters, excluding the reference".
    """

    ids: tuple[int, ...]
    left_out: tuple[int, ...]
    n_items: int
    n_labels: int
    n_abstentions: int
    words: str

    @property
    def n_raters(self) -> int:
        return len(self.ids)

    @property
    def without(self) -> str:
        """Who is left out; "" if nobody is."""
        return self.words.partition(", ")[2] if self.left_out else ""

    @property
    def sentence(self) -> str:
        """Whom the overall coefficients are based on; "" for everyone."""
        return f"Overall coefficients are based on {self.words}." if self.left_out else ""

    @property
    def are_too_few(self) -> bool:
        """Whether there is nobody to compare with among those who count, though the report has other raters."""
        return bool(self.left_out) and len(self.ids) < 2


def kinds_in(agreement: QuestionAgreement) -> tuple[RaterKind, ...]:
    """The kinds of raters that count in the figures of all raters."""
    return agreement.report.chosen.kinds_counted(rater["kind"] for rater in agreement.raters)


def counted_in(agreement: QuestionAgreement) -> Counted:
    kinds = kinds_in(agreement)
    ids = tuple(rater["id"] for rater in agreement.raters if rater["kind"] in kinds)
    left_out = tuple(rater["id"] for rater in agreement.raters if rater["kind"] not in kinds)
    n_references = sum(rater["kind"] == REFERENCE for rater in agreement.raters) if REFERENCE in kinds else 0
    sizes = agreement.statistics.get("counted", {})
    return Counted(
        ids,
        left_out,
        sizes.get("n_items", agreement.n_items),
        sizes.get("n_labels", agreement.n_labels),
        sizes.get("n_abstentions", agreement.n_abstentions),
        raters_words(len(ids), kinds, n_left_out=len(left_out), n_references=n_references),
    )


def counted_in_all_rounds(agreement: QuestionAgreement) -> tuple[int, ...]:
    """The raters who count, with those of the same kinds who labeled in rounds beside the leading one alone."""
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
        "left_out": keys_left_out(agreement),
    }


class CountedOfSide(TypedDict):
    words: str
    n_raters: int
    left_out: list[str]


def counted_of_side(
    agreement: QuestionAgreement, ids: Collection[int], kinds: Collection[str]
) -> CountedOfSide:
    """Who counts in a comparison that holds this report to these raters, which are of these kinds."""
    left_out = [rater["key"] for rater in agreement.raters if rater["id"] not in ids]
    among = [rater for rater in agreement.raters if rater["id"] in ids]
    n_references = sum(rater["kind"] == REFERENCE for rater in among)
    words = raters_words(len(among), kinds, n_left_out=len(left_out), n_references=n_references)
    return {"words": words, "n_raters": len(among), "left_out": left_out}


def keys_left_out(agreement: QuestionAgreement) -> list[str]:
    left_out = counted_in(agreement).left_out
    return [rater["key"] for rater in agreement.raters if rater["id"] in left_out]


def words_of_coefficients(agreement: QuestionAgreement) -> str:
    """The words without a look at the raters, who may be many: whether references are among them is left open."""
    n, kinds = _n_counted(agreement), agreement.report.chosen.counted
    if not kinds and n < agreement.n_raters:
        return f"{count(n)} of {count(agreement.n_raters)} raters"
    return raters_words(n, kinds, n_left_out=agreement.n_raters - n)


def without_of_coefficients(agreement: QuestionAgreement) -> str:
    """Who is left out, told in the same way; "" if nobody is."""
    n, kinds = _n_counted(agreement), agreement.report.chosen.counted
    if not kinds and n < agreement.n_raters:
        return words_of_coefficients(agreement)
    return without(kinds, agreement.n_raters - n)


def _n_counted(agreement: QuestionAgreement) -> int:
    found = next(iter(agreement.coefficients.values()), None)
    if found is None:
        return agreement.n_raters
    left: Mapping[str, int] = found.get("left_out") or {}
    return int(found.get("n_raters", 0) + left.get("n_raters", 0))


def raters_words(n: int, kinds: Collection[str], *, n_left_out: int, n_references: int = 0) -> str:
    """n_references: how many of the n are references."""
    raters = f"{count(n)} rater{'' if n == 1 else 's'}"
    if n_left_out:
        return f"{raters}, {without(kinds, n_left_out)}"
    if n_references:
        among = "the reference" if n_references == 1 else f"{count(n_references)} references"
        return f"{raters}, including {among}"
    return raters


def without(kinds: Collection[str], n_left_out: int) -> str:
    """Who is left out where these kinds count and somebody does not; "" if nobody is."""
    if not n_left_out:
        return ""
    left = [kind for kind in RaterKind if kind not in kinds]
    if left == [REFERENCE]:
        return f"excluding the reference{'' if n_left_out == 1 else 's'}"
    if len(left) == 1:
        return f"excluding {left[0].many}"
    return ONLY[next(kind for kind in RaterKind if kind in kinds)]
