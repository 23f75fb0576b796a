"""Which events notify whom. Code that needs more information than its event carries calls `notify` directly."""

from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from projects.events import follow
from projects.models import Event, Project, Round, RoundGate
from raters.models import Assignment, Notification, Rater, Thread, counted
from raters.notifications.notification_kinds import members_for
from raters.notifications.notifying import notify

Kind = Notification.Kind


def connect() -> None:
    follow(Event.Kind.ROUND_OPENED, round_opened)
    follow(Event.Kind.ATTEMPT_GIVEN, notify_of_attempt)
    follow(Event.Kind.QUESTION_ASKED, notify_of_question)
    follow(Event.Kind.QUESTION_ANSWERED, question_answered)
    follow(Event.Kind.GUIDELINES_CHANGED, guidelines_changed)
    follow(Event.Kind.CODEBOOK_PUBLISHED, codebook_published)
    follow(Event.Kind.QUALITY_ALERT, quality_alert)
    follow(Event.Kind.RATER_PAUSED, rater_paused)
    follow(Event.Kind.PASS_DECIDED, pass_decided)


def users_with_work(round_: Round) -> list[int]:
    """Return the members with open work in a round that they can get items of: they passed one of its gates,
    or another attempt at one, if there are any.
    """
    left = Assignment.objects.filter(
        counted(), rater=OuterRef("pk"), round=round_, state=Assignment.State.PENDING
    )
    raters = Rater.objects.filter(Exists(left), project=round_.project_id, user__isnull=False)
    gates = RoundGate.objects.filter(round=round_).values("gate")
    if gates.exists():
        of_gates = Round.objects.filter(Q(pk__in=gates) | Q(attempt__first__in=gates))
        raters = raters.filter(qualifications__round__in=of_gates, qualifications__is_passed=True)
    return list(raters.order_by("user").values_list("user", flat=True).distinct())


def round_opened(event: Event, project: Project, by: Any) -> None:
    """Notify raters who have assignments; if assignments are taken on demand, everyone who may label."""
    round_ = project.rounds.get(key=event.about)
    users = users_with_work(round_)
    if Assignment.objects.filter(round=round_, rater=None, state=Assignment.State.PENDING).exists():
        users = [*users, *members_for(Kind.ASSIGNED, project)]
    notify(Kind.ASSIGNED, project, users, by=by, round_=round_)


def notify_of_attempt(event: Event, project: Project, by: Any) -> None:
    """Notify the rater, who has assignments only after the round of the attempt was opened."""
    rater = project.raters.get(key=event.about)
    notify(
        Kind.ASSIGNED, project, [rater.user_id], by=by, round_=project.rounds.get(key=event.detail["round"])
    )


def notify_of_question(event: Event, project: Project, by: Any) -> None:
    """Notify the leads, except those still labeling in a round of the item: their list of questions omits it, too."""
    thread = Thread.objects.get(pk=event.detail["thread"])
    leads = members_for(Kind.ASKED, project)
    rounds = Round.objects.filter(assignments__item=thread.item_id).exclude(state=Round.State.CLOSED)
    blind = Assignment.objects.filter(round__in=rounds, rater__user__in=leads)
    seeing = set(leads) - set(blind.values_list("rater__user", flat=True).distinct())
    notify(Kind.ASKED, project, seeing, by=by, subject_id=thread.pk)


def question_answered(event: Event, project: Project, by: Any) -> None:
    thread = Thread.objects.select_related("rater").get(pk=event.detail["thread"])
    notify(Kind.ANSWERED, project, [thread.rater.user_id], by=by, subject_id=thread.pk)


def guidelines_changed(event: Event, project: Project, by: Any) -> None:
    notify(Kind.GUIDELINES, project, _in_open_rounds(project), by=by, replaces=True)


def codebook_published(event: Event, project: Project, by: Any) -> None:
    notify(Kind.CODEBOOK, project, _in_open_rounds(project), by=by, replaces=True)


def _in_open_rounds(project: Project) -> "QuerySet[Rater, int | None]":
    """Return the users who are labeling, or have labeled, in an open round of the project."""
    of_rater = Assignment.objects.filter(rater=OuterRef("pk"), round__state=Round.State.OPEN)
    return Rater.objects.filter(Exists(of_rater), project=project).values_list("user", flat=True)


def quality_alert(event: Event, project: Project, by: Any) -> None:
    notify(Kind.ALERT, project, members_for(Kind.ALERT, project), by=by)


def rater_paused(event: Event, project: Project, by: Any) -> None:
    """Notify the rater if the rule or the lead has a message for them."""
    if event.detail["note"]:
        notify(Kind.PAUSED, project, [_rater(event, project).user_id], by=by)


def pass_decided(event: Event, project: Project, by: Any) -> None:
    round_ = project.rounds.get(key=event.detail["round"])
    notify_of_pass(round_, [_rater(event, project).user_id], is_passed=event.detail["is_passed"], by=by)


def notify_of_pass(round_: Round, users: list[int | None], *, is_passed: bool, by: Any = None) -> None:
    """Notify raters of their result; they see it only for rounds that gate other rounds."""
    if users and RoundGate.objects.filter(gate=round_).exists():
        kind = Kind.PASSED if is_passed else Kind.NOT_PASSED
        notify(kind, round_.project, users, by=by, round_=round_)


def _rater(event: Event, project: Project) -> Rater:
    return Rater.objects.get(project=project, key=event.about)
