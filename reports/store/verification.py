"""A report computed again from the history of its labels, and compared with what was stored."""

import hashlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Sum

from projects.models import Question
from reports.analysis.equality import same_figures
from reports.analysis.labels import QuestionLabels
from reports.analysis.question import Scope, scopes_of
from reports.models import PairAgreement, QuestionAgreement, Report
from reports.sources.history import labels_then
from reports.sources.reading import read_question
from reports.sources.rows import COLUMNS, read_then, same_rows
from reports.sources.snapshots import Snapshot, open_snapshot
from reports.sources.stored import blocks_of, joined, no_rows
from reports.store.numbers_and_sets import compare_other
from reports.store.report import digest_of, figures_of, pair_rows, pairs_of, summary_of

PAIR_FIGURES = (
    "n",
    "counts",
    "observed",
    "expected",
    "kappa",
    "se",
    "ci_low",
    "ci_high",
    "kappa_max",
    "reason",
)


def verify(report: Report) -> list[str]:
    """What differs between a finished report and its computation from the revisions, a sentence each; [] if nothing."""
    differences, digests = [], []
    with open_snapshot() as snapshot:
        for scope in scopes_of(report.codebook, report.chosen):
            stored = report.questions.get(question=scope.question["id"])
            digests.append(stored.digest)
            if stored.reason:
                # Nothing was computed, so there is nothing to compute again.
                continue
            if scope.kind == Question.Kind.SINGLE:
                found = compare(report, scope, stored, labels_of(report, scope, snapshot))
            else:
                found = compare_other(report, scope, stored, snapshot)
            found = itertools.chain(found, different_labels(report, scope, stored, snapshot))
            differences += [f"{scope.question['key']}: {text}" for text in found]
    if digest_of(digests) != report.digest:
        differences.append("The digest of the labels differs from the report's.")
    return differences


def labels_of(report: Report, scope: Scope, snapshot: Snapshot) -> QuestionLabels:
    source = labels_then(report.head, scope.question["id"])
    return read_question(
        snapshot, scope.question["id"], scope.category_ids, batch_ids=scope.batch_ids, source=source
    )


def compare(report: Report, scope: Scope, stored: QuestionAgreement, labels: QuestionLabels) -> Iterator[str]:
    """What differs on one question."""
    if labels.digest != stored.digest:
        yield "the labels differ from those used in the report"
    summary, pairs = summary_of(scope, labels, stored.raters), PairSet()
    for counts, kappas in pairs_of(scope, labels, lambda share: None):
        summary.add(counts, kappas, n_categories=labels.ratings.n_categories)
        for row in pair_rows(stored.pk, labels, counts, kappas):
            pairs.add((*row[1:4], parsed(row[4]), *row[5:]))
    figures = figures_of(scope, labels, summary, stored)
    for name, coefficient in figures.coefficients.items():
        if not same_figures(coefficient, stored.coefficients.get(name)):
            yield f"{name} is {coefficient['value']}, the report has {stored.coefficients.get(name)}"
    for family in sorted({*figures.statistics, *stored.statistics}):
        if not same_figures(figures.statistics.get(family), stored.statistics.get(family)):
            yield f"the statistics of family {family} differ"
    if pairs != stored_pairs(stored):
        yield "the confusion matrices or the statistics of pairs differ"


def different_labels(
    report: Report, scope: Scope, stored: QuestionAgreement, snapshot: Snapshot
) -> Iterator[str]:
    """What differs between the labels that are kept for the pages and those of the history."""
    then = read_then(snapshot, scope, report.head)
    kept = [rows for _, rows in blocks_of(stored, COLUMNS)]
    if not same_rows(joined(kept) if kept else no_rows(stored), then):
        yield "the labels behind its lists of items differ"


class PairSet:
    """Many pairs, compared whatever their order and however many there are."""

    def __init__(self) -> None:
        self._sum, self._n = 0, 0

    def add(self, row: tuple[Any, ...]) -> None:
        self._sum += int.from_bytes(hashlib.sha256(repr(row).encode()).digest())
        self._n += 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PairSet) and (self._sum, self._n) == (other._sum, other._n)

    __hash__ = None  # type: ignore[assignment]


def stored_pairs(stored: QuestionAgreement) -> PairSet:
    pairs = PairSet()
    rows = PairAgreement.objects.filter(agreement=stored).values_list(
        "rater_a_id", "rater_b_id", *PAIR_FIGURES
    )
    for row in rows.iterator():
        pairs.add(tuple(row))
    return pairs


def parsed(table: Any) -> list[int]:
    return [int(count) for count in table.strip("{}").split(",")]


# What is computed again within a few seconds; more is for `manage.py verify_report`.
MAX_LABELS, MAX_PAIRS, MAX_REPLICATES = 300_000, 20_000, 5_000


@dataclass(frozen=True, slots=True)
class Verified:
    """differences: a sentence for each; none if every figure came out the same (`same_figures`)."""

    differences: list[str]

    @property
    def is_same(self) -> bool:
        return not self.differences


class TooLarge(Exception):
    """A report that takes too long to be verified at once; the message says what to do."""


def verified(report: Report) -> Verified:
    """Compute a finished report again from the history of its labels. Raises TooLarge."""
    found = report.questions.aggregate(labels=Sum("n_labels", default=0), pairs=Sum("n_pairs", default=0))
    drawn = report.chosen.replicates if report.chosen.is_bootstrap else 0
    if found["labels"] > MAX_LABELS or found["pairs"] > MAX_PAIRS or drawn > MAX_REPLICATES:
        raise TooLarge(
            f"This report is too large to verify on this page. Ask the server administrator to run"
            f" manage.py verify_report {report.pk}."
        )
    return Verified(verify(report))
