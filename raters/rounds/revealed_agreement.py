"""A rater's agreement with each other rater of a revealed round."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from projects.models import Question
from raters.reporting import PlainFigure, reporting
from raters.rounds.revealed import PairwiseComparison, RevealedRound, pairwise_comparisons


@dataclass(frozen=True, slots=True)
class OtherRaterAgreement:
    """Agreement with one other rater. kappa: unweighted; only for single-choice questions."""

    name: str
    n_shared: int
    n_same: int
    share: PlainFigure
    kappa: PlainFigure | None


@dataclass(frozen=True, slots=True)
class OwnAgreement:
    question: Question
    rows: list[OtherRaterAgreement]


def own_agreement(revealed: RevealedRound) -> list[OwnAgreement]:
    """Return the agreement for each question with every rater who shares an item, sorted by name."""
    found = pairwise_comparisons(revealed)
    questions = revealed.round.project.questions.compared().prefetch_related("categories")
    shown = []
    for question in questions:
        of_question = [comparisons for comparisons in found if comparisons.question == question.pk]
        if of_question:
            rows = _rows(question, of_question, revealed.names)
            shown.append(OwnAgreement(question, sorted(rows, key=lambda row: row.name)))
    return shown


def _rows(
    question: Question, comparisons: Sequence[PairwiseComparison], names: dict[int, str]
) -> list[OtherRaterAgreement]:
    shares = reporting().shares_alike(
        [one.n_same for one in comparisons], [one.n_shared for one in comparisons]
    )
    kappas = (
        _kappas(question, comparisons) if question.kind == Question.Kind.SINGLE else [None] * len(comparisons)
    )
    return [
        OtherRaterAgreement(names[one.rater], one.n_shared, one.n_same, share, kappa)
        for one, share, kappa in zip(comparisons, shares, kappas, strict=True)
    ]


def _kappas(question: Question, comparisons: Sequence[PairwiseComparison]) -> list[PlainFigure]:
    compared = [category for category in question.categories.all() if not category.treated_as_missing]
    places = {category.pk: place for place, category in enumerate(compared)}
    tables = np.zeros((len(comparisons), len(places), len(places)), dtype=np.int64)
    for number, one in enumerate(comparisons):
        for (mine, theirs), n in one.cells.items():
            tables[number, places[mine], places[theirs]] += n
    return reporting().kappas(tables)
