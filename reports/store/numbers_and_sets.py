"""Questions that are not a single choice, from their labels to their results, and the same again to verify them."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction

from projects.models import Question
from reports.agreement.results import Size
from reports.agreement.ticks import Tick
from reports.analysis.equality import same_figures
from reports.analysis.kinds.figures import (
    OfAllRaters,
    OfPair,
    figures_of_numbers,
    figures_of_sets,
    number_pair_figures,
    set_pair_figures,
)
from reports.analysis.labels import NumberLabels, SetLabels
from reports.analysis.overall import told_too_few
from reports.analysis.question import QuestionUnfit, Scope
from reports.models import PairAgreement, QuestionAgreement, Report
from reports.sources.history import labels_then
from reports.sources.labellers import labellers
from reports.sources.numbers_and_sets import read_numbers, read_sets
from reports.sources.relation import Source
from reports.sources.snapshots import Snapshot
from reports.sources.stored import keep_labels
from reports.store.counted import columns_of
from reports.store.sizes import with_sizes

# Figures of all pairs together that a report stores for one question: some gigabytes.
MAX_FIGURES = 20_000_000
# How much of the work on a question is done when its labels are read.
READ = 0.3
# The share of a question's work that is done when there is nothing left but to keep its labels.
KEPT = 0.8

COPY_PAIRS = """
COPY reports_pairagreement (agreement_id, rater_a_id, rater_b_id, n, counts, figures, reason) FROM STDIN"""

Labels = NumberLabels | SetLabels


@dataclass(frozen=True, slots=True)
class Computed:
    """Everything that is stored of one question; the pairs are computed while they are taken. size: of what all who
    count said.
    """

    labels: Labels
    of_all: OfAllRaters
    size: Size
    pairs: Iterator[OfPair]


def write_other(
    report: Report, scope: Scope, snapshot: Snapshot, phase: Callable[[str, float, float], Tick]
) -> str:
    """Write the results of one question; returns the digest of its labels. Raises QuestionUnfit.

    phase: a tick for a part of the work by its name, from one share to another.
    """
    tick = phase("Question", 0, KEPT)
    labels = read_labels(scope, snapshot, tick)
    raters = labellers(labels.rater_ids, labels.labels_per_rater)
    computed = computed_of(scope, labels, raters)
    with transaction.atomic():
        agreement = QuestionAgreement.objects.create(
            report=report,
            question_id=scope.question["id"],
            categories=scope.question["categories"],
            raters=raters,
            coefficients=computed.of_all.coefficients,
            statistics=computed.of_all.statistics,
            n_items=len(labels.item_ids),
            n_raters=len(labels.rater_ids),
            n_labels=labels.n_labels,
            n_abstentions=labels.n_abstentions,
            n_pairs=0,
            digest=labels.digest,
        )
        agreement.n_pairs = write_pairs(agreement, computed, tick)
        keep_labels(agreement, scope, snapshot, phase("Storing labels of", KEPT, 1))
        agreement.statistics = with_sizes(agreement.statistics, agreement, computed.size)
        agreement.save(update_fields=["n_pairs", "statistics"])
    return labels.digest


def read_labels(scope: Scope, snapshot: Snapshot, tick: Tick, source: Source | None = None) -> Labels:
    question, batch_ids = scope.question["id"], scope.batch_ids
    if scope.kind == Question.Kind.NUMBER:
        numbers = read_numbers(snapshot, question, batch_ids=batch_ids, source=source, tick=tick)
        tick(READ)
        return numbers
    sets = read_sets(snapshot, question, scope.category_ids, batch_ids=batch_ids, source=source, tick=tick)
    tick(READ)
    return sets


def computed_of(scope: Scope, labels: Labels, raters: Sequence[Mapping[str, Any]]) -> Computed:
    """raters: with their ids and kinds."""
    columns = columns_of(labels.rater_ids, raters, scope.options.counted).tolist()
    confidence = scope.options.confidence
    pairs: Iterator[OfPair]
    if isinstance(labels, NumberLabels):
        numbers = labels.sample.of_raters(columns)
        of_all, size = figures_of_numbers(numbers, scope.level, scope.options), numbers.size
        pairs = number_pair_figures(labels.sample, confidence=confidence)
    else:
        sets = labels.sample.of_raters(columns)
        of_all, size = figures_of_sets(sets, scope.options), sets.sample.size
        pairs = set_pair_figures(labels.sample, confidence=confidence)
    if len(columns) < 2 and len(columns) < len(raters):
        of_all = OfAllRaters(told_too_few(of_all.coefficients), told_too_few(of_all.statistics))
    return Computed(labels, of_all, size, pairs)


def write_pairs(agreement: QuestionAgreement, computed: Computed, tick: Tick) -> int:
    """Write all pairs; returns how many there are."""
    n_figures = n_pairs = 0
    ids = computed.labels.rater_ids.tolist()
    every = max(1, len(ids) * (len(ids) - 1) // 2)
    with connection.cursor() as cursor, cursor.copy(COPY_PAIRS) as copy:
        for pair in computed.pairs:
            n_pairs += 1
            n_figures += sum(len(each) if isinstance(each, list) else 1 for each in pair.figures.values())
            if n_figures > MAX_FIGURES:
                raise QuestionUnfit("too_many_cells")
            row = (ids[pair.rater_a], ids[pair.rater_b], pair.n, "{}", json.dumps(pair.figures), "")
            copy.write_row((agreement.pk, *row))
            if n_pairs % 1000 == 0:
                tick(READ + (1 - READ) * n_pairs / every)
    return n_pairs


def compare_other(
    report: Report, scope: Scope, stored: QuestionAgreement, snapshot: Snapshot
) -> Iterator[str]:
    """What differs between the stored results of a question and those from its labels as they stood then."""
    source = labels_then(report.head, scope.question["id"])
    labels = read_labels(scope, snapshot, lambda share: None, source)
    computed = computed_of(scope, labels, stored.raters)
    if computed.labels.digest != stored.digest:
        yield "the labels differ from those used in the report"
    yield from _different(computed.of_all.coefficients, stored.coefficients)
    statistics = with_sizes(computed.of_all.statistics, stored, computed.size)
    if not same_figures(statistics, stored.statistics):
        yield "the statistics differ"
    if not _are_stored(computed, stored):
        yield "the statistics of pairs differ"


def _different(computed: dict[str, Any], stored: dict[str, Any]) -> Iterator[str]:
    for name in sorted({*computed, *stored}):
        if not same_figures(computed.get(name), stored.get(name)):
            value = computed.get(name, {}).get("value")
            yield f"{name} is {value}, the report has {stored.get(name)}"


def _are_stored(computed: Computed, stored: QuestionAgreement) -> bool:
    """Whether exactly these pairs are stored; both come in the order of the ids of their raters."""
    ids = computed.labels.rater_ids.tolist()
    rows = PairAgreement.objects.filter(agreement=stored).order_by("rater_a_id", "rater_b_id")
    found = rows.values_list("rater_a_id", "rater_b_id", "n", "figures").iterator()
    for pair in computed.pairs:
        row: Any = next(found, None)
        expected = (ids[pair.rater_a], ids[pair.rater_b], pair.n)
        if row is None or row[:3] != expected or not same_figures(pair.figures, row[3]):
            return False
    return next(found, None) is None
