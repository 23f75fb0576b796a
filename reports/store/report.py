"""A report from its labels to its results: read, count, compute, write, each question in turn."""

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.conf import settings
from django.db import connection, transaction
from numpy.typing import NDArray

from core.history import head_of
from core.runs.lease import Lease, RunLost
from projects.models import Question
from reports.agreement.counting import count_pairs
from reports.agreement.pair_counts import PairCounts
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.ratings import only_raters
from reports.agreement.results import REASONS, Coefficient, FloatArray, PairKappas, Reason
from reports.agreement.sample import Sample
from reports.agreement.ticks import Tick, part_of
from reports.analysis import overall as families
from reports.analysis.categories import confusions_of, distributions_of
from reports.analysis.checks import PairChecks
from reports.analysis.consensus import consensus_of
from reports.analysis.labels import QuestionLabels
from reports.analysis.options import IntervalMethod
from reports.analysis.overall import told_too_few
from reports.analysis.question import MAX_CELLS, QuestionUnfit, Scope, scopes_of
from reports.models import QuestionAgreement, Report
from reports.sources.labellers import labellers
from reports.sources.reading import read_question
from reports.sources.snapshots import Snapshot, open_snapshot
from reports.sources.stored import keep_labels
from reports.store.codebook import codebook_of
from reports.store.counted import columns_of, counted_in
from reports.store.numbers_and_sets import write_other
from reports.store.sizes import with_sizes

COPY_PAIRS = """
COPY reports_pairagreement (
    agreement_id, rater_a_id, rater_b_id, n, counts, observed, expected, kappa, se, ci_low, ci_high, kappa_max, reason
) FROM STDIN"""


def compute(lease: Lease[Report]) -> None:
    """Compute the leased report and write all its results with `done`, or nothing."""
    report = lease.run
    with open_snapshot() as snapshot:
        begin(report, snapshot)
        write_results(report, snapshot, lease)


def write_results(report: Report, snapshot: Snapshot, lease: Lease[Report]) -> None:
    # The row of the report is touched last: until then its heartbeat and a cancel must get at it.
    with transaction.atomic():
        scopes = scopes_of(report.codebook, report.chosen)
        digests = [
            write_question(report, scope, snapshot, Progress(lease, scope, place, len(scopes)))
            for place, scope in enumerate(scopes)
        ]
        if not report.finish(digest=digest_of(digests)):
            raise RunLost


def write_question(report: Report, scope: Scope, snapshot: Snapshot, progress: "Progress") -> str:
    """Write the results of one question, or the reason why there are none; returns the digest of its labels."""
    try:
        scope.refuse_unfit()
        if scope.kind != Question.Kind.SINGLE:
            return write_other(report, scope, snapshot, progress.phase)
        labels = read_question(
            snapshot,
            scope.question["id"],
            scope.category_ids,
            batch_ids=scope.batch_ids,
            tick=progress.phase("Reading", 0, progress.read),
        )
        with transaction.atomic():
            write_agreement(report, scope, labels, snapshot, progress)
    except QuestionUnfit as unfit:
        write_reason(report, scope, str(unfit))
        return ""
    return labels.digest


def write_reason(report: Report, scope: Scope, reason: str) -> None:
    QuestionAgreement.objects.create(
        report=report,
        question_id=scope.question["id"],
        categories=scope.question["categories"],
        raters=[],
        coefficients={},
        n_items=0,
        n_raters=0,
        n_labels=0,
        n_pairs=0,
        digest="",
        reason=reason,
    )


def begin(report: Report, snapshot: Snapshot) -> None:
    """Tell, before the work is done, which labels and which codebook it stands on."""
    report.codebook = codebook_of(report)
    head = head_of(report.project_id, snapshot.connections[0].cursor())
    if not report.record(
        head_position=head.position,
        head_entry=head.entry,
        head_digest=head.digest,
        codebook=report.codebook,
        code_version=settings.VERSION,
    ):
        raise RunLost


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the work on one question is, as a share of the whole report."""

    lease: Lease[Report]
    scope: Scope
    place: int
    n_questions: int

    @property
    def read(self) -> float:
        """The share of the work that is done when the labels are read; intervals by replicates take the most."""
        return 0.2 if self.scope.options.interval is IntervalMethod.ANALYTIC else 0.05

    @property
    def kept(self) -> float:
        """The same when they are kept for the pages."""
        return 0.5 if self.scope.options.interval is IntervalMethod.ANALYTIC else 0.1

    @property
    def compared(self) -> float:
        """The same when the pairs are counted."""
        return 0.8 if self.scope.options.interval is IntervalMethod.ANALYTIC else 0.2

    def phase(self, words: str, start: float, end: float) -> Tick:
        """A tick for a part of the question, which is told by these words and its key."""
        stage = f"{words} {self.scope.question['key']}"[:60]

        def told(share: float) -> None:
            self.lease.tick(stage, (self.place + share) / self.n_questions)

        return part_of(told, start, end)


def digest_of(digests: list[str]) -> str:
    return hashlib.sha256(",".join(digests).encode()).hexdigest()


def write_agreement(
    report: Report, scope: Scope, labels: QuestionLabels, snapshot: Snapshot, progress: Progress
) -> None:
    ratings = labels.ratings
    raters = labellers(labels.rater_ids, ratings.labels_per_rater())
    agreement = QuestionAgreement.objects.create(
        report=report,
        question_id=scope.question["id"],
        categories=scope.question["categories"],
        raters=raters,
        coefficients={},
        n_items=ratings.n_items,
        n_raters=ratings.n_raters,
        n_labels=ratings.n_labels,
        n_abstentions=labels.n_abstentions,
        n_pairs=0,
        digest=labels.digest,
    )
    keep_labels(agreement, scope, snapshot, progress.phase("Storing labels of", progress.read, progress.kept))
    summary = summary_of(scope, labels, raters)
    with connection.cursor() as cursor, cursor.copy(COPY_PAIRS) as copy:
        tick = progress.phase("Comparing raters on", progress.kept, progress.compared)
        for counts, kappas in pairs_of(scope, labels, tick):
            summary.add(counts, kappas, n_categories=ratings.n_categories)
            for row in pair_rows(agreement.pk, labels, counts, kappas):
                copy.write_row(row)
    agreement.n_pairs = summary.n_pairs
    tick = progress.phase("Computing statistics of", progress.compared, 1)
    figures = figures_of(scope, labels, summary, agreement, tick=tick)
    agreement.coefficients, agreement.statistics = figures.coefficients, figures.statistics
    agreement.save(update_fields=["n_pairs", "coefficients", "statistics"])


@dataclass(frozen=True, slots=True)
class Figures:
    """What is stored of all raters of a question together, as JSON."""

    coefficients: dict[str, Any]
    statistics: dict[str, Any]


def figures_of(
    scope: Scope,
    labels: QuestionLabels,
    summary: "PairSummary",
    agreement: QuestionAgreement,
    *,
    tick: Tick | None = None,
) -> Figures:
    """agreement: with its raters, and with its labels kept."""
    everyone, raters = rater_keys(labels, agreement), summary.columns
    sample = Sample(only_raters(labels.ratings, raters.tolist()))
    tell = part_of(tick, 0, 1)
    tell(0)
    coefficients = families.coefficients_of(sample, scope.scale, scope.options, tick=part_of(tick, 0, 0.6))
    tell(0.6)
    statistics = families.statistics_of(
        sample,
        scope.scale,
        scope.options,
        raters=[everyone[column] for column in raters.tolist()],
        families=families.STORED,
        tick=part_of(tick, 0.6, 1),
    )
    coefficients |= {"mean_pairwise_kappa": summary.mean(sample)}
    statistics |= {"confusions": confusions_of(sample)}
    if counted_in(agreement).are_too_few:
        nobody = Sample(only_raters(labels.ratings, []))
        statistics["consensus"] = consensus_of(nobody, [])
        coefficients, statistics = told_too_few(coefficients), told_too_few(statistics)
    statistics |= {
        "checks": summary.checks.found(labels.ratings, everyone),
        "distributions": distributions_of(Sample(labels.ratings), everyone),
    }
    return Figures(coefficients, with_sizes(statistics, agreement, sample.size))


def rater_keys(labels: QuestionLabels, agreement: QuestionAgreement) -> list[str]:
    """The keys of the raters in the order of the columns of the ratings."""
    keys = {rater["id"]: rater["key"] for rater in agreement.raters}
    return [keys[pk] for pk in labels.rater_ids.tolist()]


def summary_of(scope: Scope, labels: QuestionLabels, raters: Sequence[Mapping[str, Any]]) -> "PairSummary":
    columns = columns_of(labels.rater_ids, raters, scope.options.counted)
    return PairSummary(columns, n_raters=labels.ratings.n_raters)


def pairs_of(scope: Scope, labels: QuestionLabels, tick: Tick) -> Iterator[tuple[PairCounts, PairKappas]]:
    weighting = scope.scale.weighting
    for counts in count_pairs(labels.ratings, tick=tick):
        yield counts, cohen_kappa(counts.tables, weighting, confidence=scope.options.confidence)


def pair_rows(
    agreement_id: int, labels: QuestionLabels, counts: PairCounts, kappas: PairKappas
) -> Iterator[tuple[object, ...]]:
    """A block of pairs as rows for COPY; what is undefined becomes NULL."""
    figures = [kappas.observed, kappas.expected, kappas.kappa, kappas.se]
    figures += [kappas.ci_low, kappas.ci_high, kappas.kappa_max]
    columns = [[None if math.isnan(value) else value for value in figure.tolist()] for figure in figures]
    tables = counts.tables.reshape(len(counts), counts.tables.shape[1] ** 2)
    yield from zip(
        np.repeat(agreement_id, len(counts)).tolist(),
        labels.rater_ids[counts.rater_a].tolist(),
        labels.rater_ids[counts.rater_b].tolist(),
        counts.n.tolist(),
        ("{" + ",".join(map(str, table)) + "}" for table in tables.tolist()),
        *columns,
        (str(REASONS[reason]) for reason in kappas.reason.tolist()),
        strict=True,
    )


class PairSummary:
    """The mean kappa over the pairs of those who count, and all pairs that look like a mistake, whatever the order of
    the blocks. columns: of those who count.
    """

    def __init__(self, columns: NDArray[np.int64], *, n_raters: int) -> None:
        self.columns = columns
        self.n_pairs, self.n_counted = 0, 0
        self.checks = PairChecks()
        self._counts = np.zeros(n_raters, dtype=bool)
        self._counts[columns] = True
        self._defined: list[FloatArray] = []

    def add(self, counts: PairCounts, kappas: PairKappas, *, n_categories: int) -> None:
        self.n_pairs += len(kappas)
        if self.n_pairs * n_categories**2 > MAX_CELLS:
            raise QuestionUnfit("too_many_cells")
        self.checks.add(counts, kappas)
        both = self._counts[counts.rater_a] & self._counts[counts.rater_b]
        self.n_counted += int(np.count_nonzero(both))
        self._defined.append(kappas.kappa[both & ~np.isnan(kappas.kappa)])

    def mean(self, sample: Sample) -> dict[str, Any]:
        """The mean over pairs with a defined kappa; pairs that share no item are not counted as 0."""
        defined = np.concatenate([np.empty(0), *self._defined])
        n_defined = len(defined)
        # fsum is exact, so that the order in which pairs were counted cannot show.
        value = math.fsum(defined) / n_defined if n_defined else None
        reason = Reason.NO_VARIATION if self.n_counted else Reason.NO_OVERLAP
        mean = Coefficient(
            value=value,
            reason=Reason.NONE if n_defined else reason,
            used=sample.pairable_size,
            left_out=sample.size.without(sample.pairable_size),
            method="mean over pairs with a defined kappa",
        )
        return mean.flat() | {"n_pairs": self.n_counted, "n_undefined": self.n_counted - n_defined}
