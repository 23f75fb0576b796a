"""Computation of a report from labels to results, for all kinds of questions: claim, read, analyze, write."""

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models.functions import Now
from django.urls import reverse

from core.history import head_of
from core.runs.lease import Lease, RunLost
from projects.models import Webhook
from projects.webhooks.event_queue import queue_event
from raters.models import Notification
from raters.notifications.notifying import notify
from raters.passes import rounds_that_add_raters
from reports.agreement.blockwise import here
from reports.agreement.progress_callbacks import ReportProgress, part_of
from reports.analysis.analyze import analyze
from reports.analysis.condition_wording import ASKED
from reports.analysis.kinds import kind_of
from reports.analysis.label_arrays import QuestionLabels, Raters
from reports.analysis.options import PEOPLE, PEOPLE_AND_MODELS, IntervalMethod
from reports.analysis.question import LabelerJson, QuestionNotComputable, QuestionScope, RoundJson, scopes_of
from reports.analysis.results import SCHEMA, to_json
from reports.analysis.suggested import SUGGESTED
from reports.analysis.windows import WindowGrouping
from reports.models import OnDemandFigures, QuestionAgreement, Report, ReportShard
from reports.sources.assigned import ASSIGNED, read_assigned
from reports.sources.attribute_members import store_attributes
from reports.sources.condition_counts import count_conditions
from reports.sources.labelers import labelers
from reports.sources.question_labels import count_suggested, read_labels
from reports.sources.rows import read_now
from reports.sources.shared_snapshots import Snapshot, open_snapshot, open_snapshot_at
from reports.sources.stored_labels import (
    ENOUGH_SHARED,
    LEAST_SHARED,
    RoundOverlap,
    count_abstentions,
    store_labels,
)
from reports.store.frozen_codebook import codebook_of, is_pooled, names_of
from reports.store.included_raters import counted_in
from reports.store.over_time import OverTimeOptions, OverTimeRefused, over_time
from reports.store.pair_rows import COPY_PAIRS, rows_in, rows_of
from reports.store.pair_totals import store_pair_totals
from reports.store.question_shards import QUESTION, SharedQuestions, Write, compute_question
from reports.store.requests import is_before_after
from reports.store.shards import SharedWork, compute_shard_blocks
from reports.store.sharing import is_resumed
from reports.store.stored_model_comparison import compares_models, store_model_comparison

# Returns the coefficient by which the rounds of an agreement are compared.
ComparedBy = Callable[[QuestionAgreement], str]


def compute(lease: Lease[Report], compared_by: ComparedBy) -> None:
    """Compute the leased report and write all its results and the state `done`, or nothing."""
    report = lease.run
    if is_resumed(report):
        with open_snapshot_at(report.head) as snapshot:
            write_results(report, snapshot, lease, compared_by)
        return
    # The codebook is read on another connection than the labels. If it is equal before and after, it is that of the
    # snapshot.
    is_of_one_moment = False
    while not is_of_one_moment:
        before = codebook_of(report)
        with open_snapshot() as snapshot:
            is_of_one_moment = codebook_of(report) == before
            if is_of_one_moment:
                begin(report, snapshot)
                write_results(report, snapshot, lease, compared_by)


def write_results(report: Report, snapshot: Snapshot, lease: Lease[Report], compared_by: ComparedBy) -> None:
    # The report's row is written last, so that heartbeats and cancellation are not blocked until then.
    with transaction.atomic():
        store_attributes(report, snapshot)
        scopes = scopes_of(report.codebook, report.chosen)
        keep_present = partial(store_assignment_counts_of, report, scopes)
        SharedQuestions(lease, scopes, writing(compared_by), keep_present).write_all(snapshot)
        found = dict(report.questions.values_list("question", "digest"))
        digests = [found[scope.question["id"]] for scope in scopes]
        # The report before its shards, as when it is canceled.
        if not report.finish(digest=digest_of(digests)):
            raise RunLost
        report.shards.all().delete()
        notify_done(report, scopes)
        notify(Notification.Kind.REPORT_DONE, report.project, [report.asked_by_id], subject_id=report.pk)


def writing(compared_by: ComparedBy) -> Write:
    """Return what writes one question, of a report or of a shard."""

    def write(report: Report, place: int, snapshot: Snapshot, lease: Lease[Any]) -> None:
        scopes = scopes_of(report.codebook, report.chosen)
        of = (place, len(scopes)) if isinstance(lease.run, Report) else (0, 1)
        write_question(report, scopes[place], snapshot, Progress(lease, scopes[place], *of), compared_by)

    return write


def compute_shard(lease: Lease[ReportShard], compared_by: ComparedBy) -> None:
    if lease.run.work == QUESTION:
        compute_question(lease, writing(compared_by))
    else:
        compute_shard_blocks(lease)


def notify_done(report: Report, scopes: Sequence[QuestionScope]) -> None:
    slug = report.project.slug
    # The report may have been named since the work began.
    report.refresh_from_db(fields=["name"])
    queue_event(
        report.project,
        Webhook.Event.REPORT_DONE,
        {"report_id": report.pk, "name": report.name, "n_questions": len(scopes)},
        links={
            "report_url": reverse("api_report", args=[slug, report.pk]),
            "page_url": report.get_absolute_url(),
        },
    )


def write_question(
    report: Report, scope: QuestionScope, snapshot: Snapshot, progress: "Progress", compared_by: ComparedBy
) -> None:
    """Write the results of one question, or the reason why there are none."""
    try:
        kind_of(scope).refuse_unfit()
        # Nothing is written while labels are read, so that a worker that takes over never waits for one that stalled.
        lead = leading_round(report, scope, snapshot, progress.phase("Reading", 0, progress.read / 2))
        scope = scope if lead is None else replace(scope, lead=lead["id"])
        began = time.monotonic()
        labels = read_labels(
            snapshot, scope, report_progress=progress.phase("Reading", progress.read / 2, progress.read)
        )
        reading = time.monotonic() - began
        with transaction.atomic():
            write_results_of(report, scope, lead, labels, reading, snapshot, progress, compared_by)
    except QuestionNotComputable as unfit:
        write_reason(report, scope, str(unfit))


def write_reason(report: Report, scope: QuestionScope, reason: str) -> None:
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
    """Record, before the work is done, which labels, codebook, and names the report uses."""
    report.codebook, report.names = codebook_of(report), names_of(report)
    head = head_of(report.project_id, snapshot.connections[0].cursor())
    if not report.record(
        head_position=head.position,
        head_entry=head.entry,
        head_digest=head.digest,
        codebook=report.codebook,
        names=report.names,
        code_version=settings.VERSION,
    ):
        raise RunLost


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress on one question, as a share of the whole report or shard."""

    lease: Lease[Report] | Lease[ReportShard]
    scope: QuestionScope
    place: int
    n_questions: int

    @property
    def read(self) -> float:
        """The share of the work done once the labels are read; replicate-based intervals take most of the time."""
        return 0.2 if self.scope.options.interval is IntervalMethod.ANALYTIC else 0.05

    @property
    def kept(self) -> float:
        """The share of the work done once the labels are stored for the pages."""
        return 0.5 if self.scope.options.interval is IntervalMethod.ANALYTIC else 0.1

    @property
    def compared(self) -> float:
        """The share of the work done once the pairs are counted."""
        return 0.8 if self.scope.options.interval is IntervalMethod.ANALYTIC else 0.2

    def phase(self, words: str, start: float, end: float) -> ReportProgress:
        """Return a callback for a part of the question; its stage is these words and the key of the question."""
        stage = f"{words} {self.scope.question['key']}"[:60]

        def report(share: float) -> None:
            self.lease.report_progress(stage, (self.place + share) / self.n_questions)

        return part_of(report, start, end)


def digest_of(digests: list[str]) -> str:
    return hashlib.sha256(",".join(digests).encode()).hexdigest()


def write_results_of(
    report: Report,
    scope: QuestionScope,
    lead: RoundJson | None,
    labels: QuestionLabels[Any],
    reading: float,
    snapshot: Snapshot,
    progress: Progress,
    compared_by: ComparedBy,
) -> None:
    """reading: how many seconds it took to read the labels."""
    agreement = QuestionAgreement.objects.create(
        report=report,
        question_id=scope.question["id"],
        categories=scope.question["categories"],
        raters=labelers(labels.rater_ids, labels.sample.labels_per_rater),
        coefficients={},
        n_items=len(labels.item_ids),
        n_raters=len(labels.rater_ids),
        n_labels=labels.n_labels,
        n_abstentions=labels.n_abstentions,
        n_pairs=0,
        digest=labels.digest,
        lead=lead,
        schema=SCHEMA,
    )
    agreement.n_confidences = store_labels(
        agreement,
        scope,
        counted_in(agreement).listed,
        snapshot,
        progress.phase("Storing labels of", progress.read, progress.kept),
    )
    raters = raters_in(agreement, scope, labels)
    # The comparisons of models and of rounds each take about as long as the figures.
    has_models = compares_models(agreement)
    n_parts = 1 + has_models + (agreement.lead is not None)
    computed, part = (
        progress.compared + (1 - progress.compared) * share / n_parts for share in (1, 1 + has_models)
    )
    # It asks the database, which the copy below would not let it do. A question that is a shard is not shared again.
    lease = progress.lease
    compute = (
        here if isinstance(lease.run, ReportShard) else SharedWork(lease, scope, labels, raters, reading)
    )
    with (
        statements_may_take(lease.run.seconds_allowed),
        connection.cursor() as cursor,
        cursor.copy(COPY_PAIRS) as copy,
    ):
        result = analyze(
            labels,
            scope,
            raters,
            keep=rows_of(labels.rater_ids.tolist()),
            store=lambda rows: copy.write(rows_in(rows, agreement.pk)),
            comparing=progress.phase("Comparing raters on", progress.kept, progress.compared),
            computing=progress.phase("Computing statistics of", progress.compared, computed),
            compute=compute,
        )
    agreement.n_pairs = result.n_pairs
    agreement.coefficients, agreement.statistics = result.coefficients_to_json(), result.statistics_to_json()
    store_pair_totals(agreement)
    store_assignment_counts(agreement, scope, snapshot)
    store_suggested(agreement, scope, snapshot)
    agreement.save()
    if has_models:
        store_model_comparison(agreement, progress.phase("Comparing models on", computed, part))
    if agreement.lead is not None:
        store_rounds(agreement, compared_by(agreement), progress.phase("Comparing rounds of", part, 1))


@contextmanager
def statements_may_take(seconds: int) -> Iterator[None]:
    """Within the block, let a statement of this transaction take as long as the run: rows are copied as computed."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('statement_timeout')")
        [before] = cursor.fetchone()
        cursor.execute("SELECT set_config('statement_timeout', %s, true)", [f"{seconds}s"])
        yield
        # After an error, the transaction takes no more statements, and is rolled back.
        cursor.execute("SELECT set_config('statement_timeout', %s, true)", [before])


def store_assignment_counts(agreement: QuestionAgreement, scope: QuestionScope, snapshot: Snapshot) -> None:
    """Store missing assignments and who was asked with the statistics; verification ignores both."""
    kinds = scope.options.kinds_counted(rater["kind"] for rater in agreement.raters)
    assigned = read_assigned(snapshot, scope, project=agreement.report.project_id, kinds=kinds)
    if assigned is not None:
        agreement.statistics[ASSIGNED] = assigned
    asked = count_conditions(snapshot, scope, kinds=kinds)
    if asked is not None:
        agreement.statistics[ASKED] = asked


def store_assignment_counts_of(
    report: Report, scopes: Sequence[QuestionScope], place: int, snapshot: Snapshot
) -> None:
    """The same for the results of a question that another worker computed, perhaps after assignments changed."""
    scope = scopes[place]
    agreement = report.questions.get(question=scope.question["id"])
    if not agreement.reason:
        lead = agreement.lead and agreement.lead["id"]
        store_assignment_counts(agreement, replace(scope, lead=lead) if lead else scope, snapshot)
        agreement.save(update_fields=["statistics"])


def store_suggested(agreement: QuestionAgreement, scope: QuestionScope, snapshot: Snapshot) -> None:
    """Store the number of labels accepted from a suggestion with the statistics; verification ignores it."""
    if n := count_suggested(snapshot, scope):
        agreement.statistics[SUGGESTED] = n


def leading_round(
    report: Report, scope: QuestionScope, snapshot: Snapshot, report_progress: ReportProgress
) -> RoundJson | None:
    """Return the round that the figures of the question use; None if rounds are pooled, or if one has all labels."""
    rounds = {} if is_pooled(report) else report.round_keys
    if not rounds:
        return None
    kinds = [scope.options.counted] if scope.options.counted else [PEOPLE, PEOPLE_AND_MODELS]
    overlaps = [
        RoundOverlap(report.project.raters.filter(kind__in=each).values_list("pk", flat=True))
        for each in kinds
    ]
    for rows in read_now(snapshot, scope, report_progress):
        for overlap in overlaps:
            overlap.add(rows)
    if len(set().union(*(overlap.rounds for overlap in overlaps))) < 2:
        return None
    # Rounds that add raters because others disagreed would bias the figures, so they lead only if requested by name.
    added = rounds_that_add_raters(report.project)
    mine = [pk for pk in rounds if (pk not in added if scope.round_ids is None else pk in scope.round_ids)]
    # Before and after a round, its items are compared; the other rounds may share more of them.
    enough = LEAST_SHARED if is_before_after(report) else ENOUGH_SHARED
    # A round with models only does not lead if there is one with people.
    leads = (each.leading(mine, enough=enough) for each in overlaps)
    lead = next((found for found in leads if found is not None), None)
    return None if lead is None else RoundJson(id=lead, key=rounds[lead])


def store_rounds(agreement: QuestionAgreement, coefficient: str, report_progress: ReportProgress) -> None:
    """Compute agreement by round along with the leading round, as a page would request it later."""
    asked = OverTimeOptions(WindowGrouping.ROUND, coefficient)
    try:
        found = over_time(agreement, asked, lambda stage, share: report_progress(share))
    except OverTimeRefused:
        # The page states the reason.
        return
    OnDemandFigures.objects.create(
        agreement=agreement,
        what=OnDemandFigures.What.OVER_TIME,
        asked=asked.as_json,
        code_version=settings.VERSION,
        result=to_json(found),
        state=OnDemandFigures.State.DONE,
        share_done=1,
        asked_by=agreement.report.asked_by,
        started_at=Now(),
        finished_at=Now(),
    )


def raters_in(agreement: QuestionAgreement, scope: QuestionScope, labels: QuestionLabels[Any]) -> Raters:
    """Return the raters of a result whose labels are stored, in the order of the columns of the labels."""
    known: dict[int, LabelerJson] = {rater["id"]: rater for rater in agreement.raters}
    raters = [known[pk] for pk in labels.rater_ids.tolist()]
    kinds = scope.options.kinds_counted(rater["kind"] for rater in raters)
    counted = [column for column, rater in enumerate(raters) if rater["kind"] in kinds]
    n_abstentions = 0
    if len(counted) < len(raters) and agreement.n_abstentions:
        n_abstentions = count_abstentions(agreement, [raters[column]["id"] for column in counted])
    return Raters([rater["key"] for rater in raters], counted, n_abstentions)
