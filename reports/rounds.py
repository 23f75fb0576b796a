"""Agreement in plain figures: of one rater with each other in a revealed round, with gold, and with oneself."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from projects.models import Question
from raters.progress.figures import Alike, Figures, RaterFigures
from raters.rounds.revealed import Beside, Revealed, labels_beside
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.pairs.estimates import reasons, wilson_estimates
from reports.agreement.results import REASONS, Estimates, PairKappas, Reason
from reports.agreement.weights import Weights, weighting
from reports.analysis.reasons import words_of


@dataclass(frozen=True, slots=True)
class Figure:
    """A value with its interval, or the reason why there is none."""

    value: float | None
    low: float | None
    high: float | None
    reason: str

    @property
    def why(self) -> str:
        return words_of(self.reason).phrase

    @classmethod
    def of(cls, found: Estimates | PairKappas, values: np.ndarray, place: int) -> "Figure":
        numbers = (float(part[place]) for part in (values, found.ci_low, found.ci_high))
        value, low, high = (None if np.isnan(number) else number for number in numbers)
        return cls(value, low, high, REASONS[found.reason[place]])


@dataclass(frozen=True, slots=True)
class WithOther:
    """How far the rater agrees with one other. kappa: unweighted, of questions with single choice."""

    name: str
    n_shared: int
    n_same: int
    share: Figure
    kappa: Figure | None


@dataclass(frozen=True, slots=True)
class OwnAgreement:
    question: Question
    rows: list[WithOther]


def own_agreement(revealed: Revealed) -> list[OwnAgreement]:
    """By question, with everyone who shares an item, by name."""
    found = labels_beside(revealed)
    questions = Question.objects.filter(project=revealed.batch.project_id).prefetch_related("categories")
    shown = []
    for question in questions:
        of_question = [beside for beside in found if beside.question == question.pk]
        if of_question:
            rows = _rows(question, of_question, revealed.names)
            shown.append(OwnAgreement(question, sorted(rows, key=lambda row: row.name)))
    return shown


def _rows(question: Question, beside: Sequence[Beside], names: dict[int, str]) -> list[WithOther]:
    shares = shares_alike([one.n_same for one in beside], [one.n_shared for one in beside])
    kappas = _kappas(question, beside) if question.kind == Question.Kind.SINGLE else None
    return [
        WithOther(
            name=names[one.rater],
            n_shared=one.n_shared,
            n_same=one.n_same,
            share=shares[place],
            kappa=None if kappas is None else Figure.of(kappas, kappas.kappa, place),
        )
        for place, one in enumerate(beside)
    ]


def shares_alike(same: Sequence[int], shared: Sequence[int]) -> list[Figure]:
    """The share of items alike, each with its Wilson interval."""
    n = np.array(shared, dtype=np.float64)
    undefined = reasons(n.shape, (n == 0, Reason.NO_OVERLAP))
    found = wilson_estimates(np.array(same, dtype=np.float64), n, undefined=undefined, confidence=0.95)
    return [Figure.of(found, found.value, place) for place in range(len(n))]


def _kappas(question: Question, beside: Sequence[Beside]) -> PairKappas:
    places = {category.pk: place for place, category in enumerate(question.categories.all())}
    tables = np.zeros((len(beside), len(places), len(places)), dtype=np.int64)
    for number, one in enumerate(beside):
        for (mine, theirs), n in one.cells.items():
            tables[number, places[mine], places[theirs]] += n
    return cohen_kappa(tables, weighting(Weights.UNWEIGHTED, n_categories=len(places)))


@dataclass(frozen=True, slots=True)
class RaterRow:
    """gold, repeats: the share alike with its Wilson interval, None for nothing to compare."""

    figures: RaterFigures
    gold: Figure | None
    repeats: Figure | None


def rater_rows(figures: Figures) -> list[RaterRow]:
    """Those who have something to show: labels, or places."""
    rows = [row for row in figures.raters if row.said.n or row.places.n]
    gold, repeats = (_compared([getattr(row, name) for row in rows]) for name in ("gold", "repeats"))
    return [RaterRow(*row) for row in zip(rows, gold, repeats, strict=True)]


def _compared(alike: Sequence[Alike]) -> list[Figure | None]:
    """In their order; None for nothing to compare."""
    some = [each for each in alike if each.n]
    found = iter(shares_alike([each.n_same for each in some], [each.n for each in some]) if some else [])
    return [next(found) if each.n else None for each in alike]
