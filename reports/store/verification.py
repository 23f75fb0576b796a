"""A report analyzed again from the history of its labels, and compared with what was stored."""

import hashlib
import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Sum

from reports.analysis.analyze import analyze
from reports.analysis.question import Scope, scopes_of
from reports.analysis.results import PairResult, to_json
from reports.models import PairAgreement, QuestionAgreement, Report
from reports.sources.history import labels_then
from reports.sources.reading import read_labels
from reports.sources.rows import COLUMNS, read_then, same_rows
from reports.sources.snapshots import Snapshot, open_snapshot
from reports.sources.stored import blocks_of, joined, no_rows
from reports.store.report import digest_of, raters_in

PAIR_COLUMNS = ("rater_a_id", "rater_b_id", *PairResult._fields[2:])


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
            found = different_results(report, scope, stored, snapshot)
            found = itertools.chain(found, different_labels(report, scope, stored, snapshot))
            differences += [f"{scope.question['key']}: {text}" for text in found]
    if digest_of(digests) != report.digest:
        differences.append("The digest of the labels differs from the report's.")
    return differences


def different_results(
    report: Report, scope: Scope, stored: QuestionAgreement, snapshot: Snapshot
) -> Iterator[str]:
    """What differs between the stored result of a question and the analysis of its labels as they stood then."""
    labels = read_labels(snapshot, scope, source=labels_then(report.head, scope.question["id"]))
    if labels.digest != stored.digest:
        yield "the labels differ from those that were read"
    ids, pairs = labels.rater_ids.tolist(), PairSet()
    result = analyze(
        labels,
        scope,
        raters_in(stored, scope, labels),
        take=lambda pair: pairs.add(
            pair._replace(
                rater_a=ids[pair.rater_a],
                rater_b=ids[pair.rater_b],
                figures=None if pair.figures is None else to_json(pair.figures),
            )
        ),
    )
    coefficients, statistics = result.coefficients_to_json(), result.statistics_to_json()
    for name in _different(coefficients, stored.coefficients):
        value = coefficients.get(name, {}).get("value")
        yield f"{name} is {value}, the report says {stored.coefficients.get(name)}"
    for family in sorted(_different(statistics, stored.statistics)):
        yield f"the statistics of the family {family} differ"
    if pairs != stored_pairs(stored):
        yield "the tables of counts or the figures of pairs differ"


def _different(computed: dict[str, Any], stored: dict[str, Any]) -> list[str]:
    names = dict.fromkeys([*computed, *stored])
    return [name for name in names if canonical(computed.get(name)) != canonical(stored.get(name))]


def canonical(figures: Any) -> str:
    """JSON with the same text for the same figures: the database sorts keys and writes 1e30 as a whole number."""
    return json.dumps(json.loads(json.dumps(figures), parse_int=float), sort_keys=True)


def different_labels(
    report: Report, scope: Scope, stored: QuestionAgreement, snapshot: Snapshot
) -> Iterator[str]:
    """What differs between the labels that are kept for the pages and those of the history."""
    then = read_then(snapshot, scope, report.head)
    kept = [rows for _, rows in blocks_of(stored, COLUMNS)]
    if not same_rows(joined(kept) if kept else no_rows(stored), then):
        yield "the labels that its lists of items are made of differ"


class PairSet:
    """Many pairs, compared whatever their order and however many there are."""

    def __init__(self) -> None:
        self._sum, self._n = 0, 0

    def add(self, pair: PairResult) -> None:
        """rater_a, rater_b: by their ids; figures: as JSON."""
        figures = None if pair.figures is None else canonical(pair.figures)
        row = (*pair[:3], list(pair.counts), figures, *pair[5:])
        self._sum += int.from_bytes(hashlib.sha256(repr(row).encode()).digest())
        self._n += 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PairSet) and (self._sum, self._n) == (other._sum, other._n)

    __hash__ = None  # type: ignore[assignment]


def stored_pairs(stored: QuestionAgreement) -> PairSet:
    pairs = PairSet()
    rows = PairAgreement.objects.filter(agreement=stored).values_list(*PAIR_COLUMNS)
    for row in rows.iterator():
        pairs.add(PairResult(*row))
    return pairs


# What is computed again within a few seconds; more is for `manage.py verify_report`.
MAX_LABELS, MAX_PAIRS, MAX_REPLICATES = 300_000, 20_000, 5_000


@dataclass(frozen=True, slots=True)
class Verified:
    """differences: a sentence for each; none if the report is the same to the last digit."""

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
            f"This report is too large to be computed again while you wait. Whoever runs this server can do it with"
            f" manage.py verify_report {report.pk}."
        )
    return Verified(verify(report))
