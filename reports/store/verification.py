"""Verification of a report: recomputes it from the history of its labels and compares the results."""

import hashlib
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Sum

from core.refusals import Refused
from reports.analysis.analyze import analyze
from reports.analysis.condition_wording import ASKED
from reports.analysis.equality import same_figures
from reports.analysis.pair_blocks import each
from reports.analysis.question import QuestionScope, scopes_of
from reports.analysis.results import Json, PairResult, to_json
from reports.analysis.revisions import are_kappas_refitted, comparable, not_compared, of_stored
from reports.analysis.suggested import SUGGESTED
from reports.models import PairAgreement, QuestionAgreement, Report
from reports.sources.assigned import ASSIGNED
from reports.sources.past_labels import labels_then
from reports.sources.question_labels import read_labels
from reports.sources.rows import COLUMNS, read_then, same_rows
from reports.sources.shared_snapshots import Snapshot, open_snapshot
from reports.sources.stored_labels import blocks_of, disagreement_of, first_labels, joined, no_rows
from reports.sources.tally import Tally
from reports.store.included_raters import counted_in
from reports.store.report import digest_of, raters_in

# Statistics that do not depend on the labels of the question alone.
NOT_VERIFIED = frozenset({ASSIGNED, ASKED, SUGGESTED})

# All columns but the figures.
PAIR_COLUMNS = ("rater_a_id", "rater_b_id", "n", "counts", *PairResult._fields[5:])


def verify(report: Report) -> list[str]:
    """Return the differences between a finished report and its recomputation from the revisions, one sentence each."""
    differences, digests = [], []
    with open_snapshot() as snapshot:
        for scope in scopes_of(report.codebook, report.chosen):
            stored = report.questions.get(question=scope.question["id"])
            if stored.lead is not None:
                scope = replace(scope, lead=stored.lead["id"])
            digests.append(stored.digest)
            if stored.reason:
                # Nothing was computed, so there is nothing to recompute.
                continue
            found = different_results(report, scope, stored, snapshot)
            found = itertools.chain(found, different_labels(report, scope, stored, snapshot))
            differences += [f"{scope.question['key']}: {text}" for text in found]
    if digest_of(digests) != report.digest:
        differences.append("The digest of the labels differs from the report's.")
    return differences


def different_results(
    report: Report, scope: QuestionScope, stored: QuestionAgreement, snapshot: Snapshot
) -> Iterator[str]:
    """Yield the differences between a stored result and an analysis of the labels at the time of the report."""
    labels = read_labels(snapshot, scope, source=labels_then(report.head, scope))
    if labels.digest != stored.digest:
        yield "the labels differ from those used in the report"
    pairs = PairComparison(stored, labels.rater_ids.tolist(), version=report.code_version)
    result = analyze(labels, scope, raters_in(stored, scope, labels), keep=each(pairs.add))
    coefficients, stored_coefficients = comparable(
        result.coefficients_to_json(), stored.coefficients, report.code_version
    )
    for name in _different(coefficients, stored_coefficients):
        value = coefficients.get(name, {}).get("value")
        yield f"{name} is {value}, the report has {stored.coefficients.get(name)}"
    # Only figures of labels are verified, not what was assigned when the report was computed.
    of_labels = {name: found for name, found in stored.statistics.items() if name not in NOT_VERIFIED}
    statistics = of_stored(result.statistics_to_json(), of_labels)
    for family in _different(*comparable(statistics, of_labels, report.code_version)):
        yield f"the statistics of family {family} differ"
    if not pairs.are_stored:
        yield "the confusion matrices or the statistics of pairs differ"


def _different(computed: Json, stored: Json) -> list[str]:
    names = dict.fromkeys([*computed, *stored])
    return [name for name in sorted(names) if not same_figures(computed.get(name), stored.get(name))]


def different_labels(
    report: Report, scope: QuestionScope, stored: QuestionAgreement, snapshot: Snapshot
) -> Iterator[str]:
    """Yield the differences between the labels stored for the pages and those in the history."""
    then = read_then(snapshot, scope.of_all_rounds, report.head)
    kept = [rows for _, rows in blocks_of(stored, COLUMNS, all_rounds=True)]
    if not same_rows(joined(kept) if kept else no_rows(stored), then):
        yield "the labels behind its lists of items differ"
        return
    disagreement, raters = disagreement_of(stored), counted_in(stored).listed
    if disagreement is not None and not all(
        of_block.is_same(Tally.of(first_labels(stored, rows, raters)).disagreement)
        for rows, (_, of_block) in zip(kept, disagreement, strict=True)
    ):
        yield "the disagreement behind its lists of items differs"


class PairComparison:
    """Comparison of computed pairs with the stored ones, however many there are. ids: of the raters, by column.

    Tables and kappas may come in any order and must be equal to the last digit, except for what the version of the
    report computed differently; figures come in the order of the raters.
    """

    def __init__(self, stored: QuestionAgreement, ids: Sequence[int], *, version: str) -> None:
        self._ids, self._version = ids, version
        self._has_interval = not are_kappas_refitted(version)
        self._pairs = PairAgreement.objects.filter(agreement=stored)
        with_figures = self._pairs.filter(figures__isnull=False).order_by("rater_a_id", "rater_b_id")
        self._figures = with_figures.values_list("figures", flat=True).iterator()
        self._computed, self._are_figures_same = 0, True

    def add(self, pair: PairResult) -> None:
        plain = pair._replace(rater_a=self._ids[pair.rater_a], rater_b=self._ids[pair.rater_b], figures=None)
        self._computed += self._digest(plain)
        if pair.figures is not None and self._are_figures_same:
            computed, kept = comparable(to_json(pair.figures), next(self._figures, None), self._version)
            self._are_figures_same = same_figures(computed, kept)

    @property
    def are_stored(self) -> bool:
        """Whether exactly the computed pairs are stored."""
        rows = self._pairs.values_list(*PAIR_COLUMNS)
        stored = 0
        for row in rows.iterator():
            columns: tuple[Any, ...] = tuple(row)
            stored += self._digest(PairResult._make((*columns[:4], None, *columns[4:])))
        return self._are_figures_same and self._computed == stored

    def _digest(self, pair: PairResult) -> int:
        """Return a number that can be summed, so that the order of pairs does not matter."""
        if not self._has_interval:
            pair = pair._replace(ci_low=None, ci_high=None, reason="")
        row = repr((*pair[:3], list(pair.counts), *pair[5:]))
        return int.from_bytes(hashlib.sha256(row.encode()).digest())


# Can be recomputed within a few seconds; larger reports need `manage.py verify_report`.
MAX_LABELS, MAX_PAIRS, MAX_REPLICATES = 300_000, 20_000, 5_000


@dataclass(frozen=True, slots=True)
class VerificationResult:
    """differences: one sentence each; [] if every figure is the same (`same_figures`).

    not_compared: what this version computes differently from the version of the report, one sentence each.
    """

    differences: list[str]
    not_compared: list[str]

    @property
    def is_same(self) -> bool:
        return not self.differences


class TooLarge(Refused):
    """A report that takes too long to verify at once; the message says what to do."""

    code, status_code = "too_large", 413


def verified(report: Report) -> VerificationResult:
    """Recompute a finished report from the history of its labels and compare it. Raises TooLarge."""
    found = report.questions.aggregate(labels=Sum("n_labels", default=0), pairs=Sum("n_pairs", default=0))
    drawn = report.chosen.replicates if report.chosen.is_bootstrap else 0
    if found["labels"] > MAX_LABELS or found["pairs"] > MAX_PAIRS or drawn > MAX_REPLICATES:
        raise TooLarge(
            f"This report is too large to verify on this page. Ask the server administrator to run"
            f" manage.py verify_report {report.pk}."
        )
    return VerificationResult(verify(report), not_compared(report.code_version))
