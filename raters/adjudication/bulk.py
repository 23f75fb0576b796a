"""Decide many disputes by one rule in one transaction, with one log event, and undo them as a whole.

Decisions made together are identified only by the source in their history; a decision revised later is no longer
part of the group.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from django.db import transaction
from django.db.models import Max
from django.urls import reverse
from django.utils import timezone

from core.refusals import Refused
from projects.events import events_of, record
from projects.models import Event, Project, Question, Webhook
from projects.refusals import ProjectClosed
from projects.webhooks.event_queue import new_delivery, queue
from raters.adjudication.disputes import DisputeFilter, OpenDisputes
from raters.adjudication.proposing import (
    BulkPreview,
    BulkRule,
    Proposal,
    lock_items,
    offered_to,
    preview_among,
)
from raters.adjudication.queue import forget_all
from raters.adjudication.special_raters import consensus_for, consensus_of
from raters.figures.stored_figures import FiguresNotComputed
from raters.labeling.saving import set_history_context
from raters.models import Decision, Label, LabelRevision

# Maximum number of bulk decisions listed on a page.
MOST_LISTED = 20


class BulkPreviewOutdated(Refused):
    """The decisions would differ from the preview."""

    code = "stale_preview"

    def __init__(self) -> None:
        super().__init__(
            "Labels or decisions have changed since the preview. Nothing was saved. Preview again."
        )


class DisputesNotListed(Refused):
    """The disputes of a large project are not stored, as the viewer may see other rounds than at the preview."""

    code = "disputes_not_listed"

    def __init__(self) -> None:
        super().__init__(
            "Nothing was saved. The rounds whose disputes you can see have changed since the preview, or the preview "
            "is old, so the disputes are being listed again. Preview again."
        )


class NoDecisionsToUndo(Refused):
    code = "nothing_to_undo"

    def __init__(self) -> None:
        super().__init__(
            "All of these decisions have since been changed or withdrawn, so there is nothing to undo."
        )


@dataclass(frozen=True, slots=True)
class BulkResult:
    """bulk: the ID with which to undo it. found: what was decided, and what was left."""

    bulk: str
    found: BulkPreview

    @property
    def n(self) -> int:
        return len(self.found.proposals)


@dataclass(frozen=True, slots=True)
class BulkUndoResult:
    """n_left: decisions revised or withdrawn since, which are unchanged."""

    n: int
    n_left: int


@dataclass(frozen=True, slots=True)
class BulkDecisionRow:
    bulk: str
    words: str
    n: int
    by: str
    at: datetime
    is_undone: bool


def decide_many(
    project: Project, wanted: DisputeFilter, rule: BulkRule, *, digest: str, by: Any, source: str = "page"
) -> BulkResult:
    """Decide disputes by a rule. digest: that of the preview.

    Raises ProjectClosed, BulkPreviewOutdated, DisputesNotListed.
    """
    _refuse_closed(project)
    try:
        # Before the transaction: a refusal would roll back that the figures were asked for.
        offered = offered_to(project, wanted, by=by)
    except FiguresNotComputed as waiting:
        raise DisputesNotListed from waiting
    return _decide_offered(project, wanted, rule, offered, digest=digest, by=by, source=source)


@transaction.atomic
def _decide_offered(
    project: Project,
    wanted: DisputeFilter,
    rule: BulkRule,
    offered: OpenDisputes,
    *,
    digest: str,
    by: Any,
    source: str,
) -> BulkResult:
    _refuse_closed(project)
    # Lock the items, so that no decision comes between reading and writing.
    lock_items(each.item for each in offered.firsts)
    found = preview_among(project, wanted, rule, offered)
    if found.digest != digest or not found.proposals:
        raise BulkPreviewOutdated
    bulk = uuid4().hex[:12]
    set_history_context(by, _source(source, bulk))
    _write(project, found.proposals, by)
    _log(project, wanted, rule, found, bulk, by)
    _queue_events(
        project, [(each.dispute.item, each.dispute.question) for each in found.proposals], is_withdrawn=False
    )
    return BulkResult(bulk, found)


@transaction.atomic
def undo_many(project: Project, bulk: str, *, by: Any, source: str = "page") -> BulkUndoResult:
    """Withdraw the decisions that have not been revised since. Raises ProjectClosed, NothingToUndo."""
    _refuse_closed(project)
    made = _made(project, bulk)
    lock_items(each.item_id for each in made)
    revisions = {each.label_id: each.revision for each in made}
    current = [
        label
        for label in Label.objects.filter(pk__in=list(revisions)).select_for_update()
        if label.revision == revisions[label.pk]
    ]
    if not current:
        raise NoDecisionsToUndo
    set_history_context(by, f"{_source(source, bulk)}, withdrawn")
    pks = [label.pk for label in current]
    Decision.objects.filter(label__in=pks).delete()
    Label.objects.filter(pk__in=pks).delete()
    undone = BulkUndoResult(len(current), len(made) - len(current))
    record(
        Event.Kind.DISPUTES_REOPENED,
        by=by,
        project=project,
        about=f"{undone.n:,} decisions",
        bulk=bulk,
        n=undone.n,
    )
    _queue_events(project, [(label.item_id, label.question_id) for label in current], is_withdrawn=True)
    return undone


def bulks_of(project: Project) -> list[BulkDecisionRow]:
    """Return the latest bulk decisions, newest first."""
    kinds = [Event.Kind.DISPUTES_DECIDED, Event.Kind.DISPUTES_REOPENED]
    events = list(events_of(project).filter(kind__in=kinds)[: 2 * MOST_LISTED])
    undone = {each.detail.get("bulk") for each in events if each.kind == Event.Kind.DISPUTES_REOPENED}
    return [
        BulkDecisionRow(
            each.detail["bulk"],
            each.detail["rule"],
            each.detail["n"],
            each.user_name,
            each.at,
            each.detail["bulk"] in undone,
        )
        for each in events
        if each.kind == Event.Kind.DISPUTES_DECIDED
    ][:MOST_LISTED]


def _refuse_closed(project: Project) -> None:
    if Project.objects.get(pk=project.pk).is_closed:
        raise ProjectClosed("This project is closed, so its labels can’t be changed.")


def _source(source: str, bulk: str) -> str:
    return f"decision by {source}, bulk {bulk}"


def _made(project: Project, bulk: str) -> list[LabelRevision]:
    consensus = consensus_of(project)
    if consensus is None:
        return []
    questions = list(project.questions.values_list("pk", flat=True))
    return list(
        LabelRevision.objects.filter(
            question_id__in=questions,
            rater_id=consensus.pk,
            source__in=[_source(way, bulk) for way in ("page", "api")],
            # The index of decisions has no others.
            source__startswith="decision by ",
            change=LabelRevision.Change.CREATED,
        )
    )


def _write(project: Project, proposals: Iterable[Proposal], by: Any) -> None:
    consensus, at = consensus_for(project), timezone.now()
    known = list(proposals)
    before = _last_revisions(consensus.pk, known)
    labels = [
        Label(
            item_id=each.dispute.item,
            question_id=each.dispute.question,
            rater=consensus,
            category_id=each.value.category,
            category_set=None if each.value.category_set is None else list(each.value.category_set),
            number=each.value.number,
            labelled_at=at,
            # A new decision continues the revision numbers of a withdrawn one, as in `deciding`.
            revision=before.get((each.dispute.item, each.dispute.question), 0) + 1,
        )
        for each in known
    ]
    made = Label.objects.bulk_create(labels)
    Decision.objects.bulk_create(Decision(label=label, decided_by=by) for label in made)


def _last_revisions(rater: int, proposals: Iterable[Proposal]) -> dict[tuple[int, int], int]:
    items = {each.dispute.item for each in proposals}
    rows = LabelRevision.objects.filter(item_id__in=items, rater_id=rater).order_by()
    last = rows.values_list("item_id", "question_id").annotate(last=Max("revision"))
    return {(item, question): revision for item, question, revision in last}


def _log(
    project: Project, wanted: DisputeFilter, rule: BulkRule, found: BulkPreview, bulk: str, by: Any
) -> None:
    record(
        Event.Kind.DISPUTES_DECIDED,
        by=by,
        project=project,
        about=f"{len(found.proposals):,} disputes",
        rule=rule.words,
        bulk=bulk,
        n=len(found.proposals),
        n_left=len(found.left),
        # By ID: a name would remain in the log after the person is erased.
        rater=rule.rater,
        question=wanted.question,
        round=wanted.round,
        list=wanted.list,
    )


def _queue_events(project: Project, places: Iterable[tuple[int, int]], *, is_withdrawn: bool) -> None:
    forget_all(project)
    event = Webhook.Event.DISPUTE_DECIDED
    wanting = list(Webhook.objects.filter(project=project, is_active=True, events__contains=[event]))
    if not wanting:
        return
    keys = dict(Question.objects.filter(project=project).values_list("pk", "key"))
    queue(
        [
            new_delivery(
                webhook,
                event,
                {
                    "item_id": item,
                    "question": keys[question],
                    "question_id": question,
                    "is_withdrawn": is_withdrawn,
                },
                links={"case_url": reverse("api_case", args=[project.slug, item, question])},
            )
            for webhook in wanting
            for item, question in places
        ]
    )
