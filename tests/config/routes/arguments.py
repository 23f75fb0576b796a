"""What the addresses of routes take in a world, which is made when it is first needed."""

import secrets
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from allauth.usersessions.models import UserSession
from django.utils import timezone
from knox.models import AuthToken

from core.tables.sources import bytes_of
from projects.items.item_columns import ItemOptions
from projects.items.lists import make_list
from projects.members import invitations
from projects.models import Delivery, Membership, Project, Round, RoundAttempt, Webhook
from projects.webhooks.signing import new_secret, sealed
from raters.actions import rater_of
from raters.imports import actions
from raters.models import (
    AdaptiveOverlap,
    Assignment,
    Audit,
    AuditedLabel,
    Label,
    LabelImport,
    ModelRun,
    Notification,
    Qualification,
    Rater,
)
from raters.notifications.preferences import stop_address
from reports.models import OnDemandFigures, Report
from reports.results.audits.certificates import issue_certificate
from reports.store import links
from tests.finished import World, draft_import


def report_args(world: World) -> list[Any]:
    return [world.project.slug, world.report.pk]


def audit_args(world: World) -> list[Any]:
    """The world as an audit, of a label that its auditors judged wrong."""
    if not Audit.objects.filter(project=world.project).exists():
        audit = Audit.objects.create(
            project=world.project,
            source_name="Delivery",
            question=world.agreement.question,
            population={"rounds": None, "raters": None},
            n_labels=10,
            n_units=10,
            unit="label",
            strata=[{"value": "all", "size": 10, "n_labels": 10, "drawn": 1}],
            groups=[{"by": "rater", "value": "ann", "n_labels": 10}],
            plan={"aim": "estimate", "confidence": 0.95, "share": 0.1, "margin": 0.05},
            seed=1,
        )
        AuditedLabel.objects.create(
            audit=audit,
            item=world.item,
            unit=0,
            probability=0.1,
            given="ugly",
            rater="ann",
            rater_kind="human",
        )
    return [world.project.slug]


def audited_label_args(world: World) -> list[Any]:
    return [*audit_args(world), AuditedLabel.objects.filter(audit__project=world.project).first().pk]


def certificate_args(world: World) -> list[Any]:
    audit_args(world)
    audit = Audit.objects.get(project=world.project)
    return [world.project.slug, issue_certificate(audit, by=world.lead).pk]


def queued_args(world: World) -> list[Any]:
    report = Report.objects.create(
        project=world.project, scope=world.report.scope, options={"weights": "linear"}, asked_by=world.lead
    )
    return [world.project.slug, report.pk]


def list_args(world: World) -> list[Any]:
    made = make_list(world.project, "To discuss", [world.item.pk], by=world.lead)
    return [world.project.slug, made.pk]


def link_args(world: World) -> list[Any]:
    link, _ = links.share(world.report, by=world.lead)
    return [*report_args(world), link.pk]


def failed_args(world: World) -> list[Any]:
    slug, pk = queued_args(world)
    Report.objects.filter(pk=pk).update(state=Report.State.FAILED, failure="Because.")
    return [slug, pk]


def on_demand_args(world: World) -> list[Any]:
    figures = OnDemandFigures.objects.create(
        agreement=world.agreement, what=OnDemandFigures.What.OVER_TIME, asked={"by": secrets.token_hex(4)}
    )
    return [world.project.slug, figures.public]


def failed_on_demand_args(world: World) -> list[Any]:
    slug, public = on_demand_args(world)
    OnDemandFigures.objects.filter(public=public).update(
        state=OnDemandFigures.State.FAILED, failure="Because."
    )
    return [slug, public]


def question_args(world: World) -> list[Any]:
    return [*report_args(world), world.agreement.question_id]


def key_args(world: World) -> list[Any]:
    return [*report_args(world), world.agreement.question.key]


def pair_args(world: World) -> list[Any]:
    return [*question_args(world), world.pair.rater_a_id, world.pair.rater_b_id]


def rater_in_report_args(world: World) -> list[Any]:
    return [*question_args(world), world.pair.rater_a_id]


def own_page_args(world: World) -> list[Any]:
    """The rater's own page where the lead allows it: the labels are of a round that is revealed."""
    Project.objects.filter(pk=world.project.pk).update(shows_own_figures=True)
    round_, _ = Round.objects.get_or_create(
        project=world.project, key="revealed", defaults={"state": "closed", "revealed_at": timezone.now()}
    )
    Rater.objects.filter(project=world.project, user=world.people["rater"]).update(user=None)
    Rater.objects.filter(pk=world.pair.rater_a_id).update(user=world.people["rater"])
    Label.objects.filter(rater=world.pair.rater_a_id).update(round=round_)
    return rater_in_report_args(world)


def page_of_another_args(world: World) -> list[Any]:
    """The page of another rater, where the lead allows raters to see their own."""
    return [*own_page_args(world)[:-1], world.pair.rater_b_id]


def item_args(world: World) -> list[Any]:
    return [world.project.slug, world.item.pk]


def member_args(world: World) -> list[Any]:
    member = Membership.objects.get_or_create(
        project=world.project, user=world.people["stranger"], defaults={"role": "rater"}
    )[0]
    return [world.project.slug, member.pk]


def removed_member_args(world: World) -> list[Any]:
    return [
        world.project.slug,
        Membership.objects.get(project=world.project, user=world.people["auditor"]).pk,
    ]


def import_args(world: World) -> list[Any]:
    run = draft_import(world)
    LabelImport.objects.filter(pk=run.pk).update(state=LabelImport.State.DONE)
    return [world.project.slug, run.pk]


def draft_args(world: World) -> list[Any]:
    return [world.project.slug, draft_import(world).pk]


def items_args(world: World) -> list[Any]:
    kind, blocks = LabelImport.Kind.ITEMS, bytes_of(b"item\na\n")()
    draft = actions.upload(world.project, "items.csv", blocks, ItemOptions(), by=world.lead, kind=kind)
    return [world.project.slug, draft.pk]


def foreign_token(world: World) -> list[Any]:
    """A token of the lead: for everyone else it does not exist."""
    token, _ = AuthToken.objects.create(user=world.lead)
    return [token.token_key]


def foreign_session(world: World) -> list[Any]:
    """A session of the lead: for everyone else it does not exist."""
    key = secrets.token_hex(16)
    session = UserSession.objects.create(user=world.lead, session_key=key, ip="192.0.2.1", user_agent="")
    return [session.pk]


def foreign_notification(world: World) -> list[Any]:
    """A notification of the lead: for everyone else it does not exist."""
    made = Notification.objects.create(
        recipient=world.lead, project=world.project, kind=Notification.Kind.DISPUTES
    )
    return [made.pk]


def stop_args(world: World) -> list[Any]:
    """What a link in an email to the lead ends with: it is enough to stop these emails."""
    return [stop_address(world.lead, "report").rstrip("/").rpartition("/")[2]]


def words_of(*args: Any) -> Callable[[World], list[Any]]:
    return lambda world: list(args)


def invitation_args(world: World) -> list[Any]:
    invitation, _ = invitations.invite(world.project, by=world.lead, role="rater")
    return [world.project.slug, invitation.pk]


def webhook_args(world: World) -> list[Any]:
    return [world.project.slug, _webhook(world).pk]


def delivery_args(world: World) -> list[Any]:
    """One that was given up."""
    webhook = _webhook(world)
    delivery = Delivery.objects.create(webhook=webhook, kind=Delivery.TEST, payload={}, state="failed")
    return [world.project.slug, webhook.pk, delivery.pk]


def _webhook(world: World) -> Webhook:
    return Webhook.objects.create(
        project=world.project,
        url="https://hooks.example.org/",
        events=[Webhook.Event.REPORT_DONE],
        secret=sealed(new_secret()),
        site="https://labels.example.org",
        made_by=world.lead,
    )


def model_draft_args(world: World) -> list[Any]:
    return [world.project.slug, _model_run(world, state="draft").pk]


def model_run_args(world: World) -> list[Any]:
    """One that a worker has, as the only one under way."""
    world.project.model_runs.exclude(state="draft").update(state="done", lease_until=None)
    run = _model_run(world, state="running", lease_until=timezone.now() + timedelta(hours=1))
    return [world.project.slug, run.pk]


def ended_run_args(world: World) -> list[Any]:
    return [world.project.slug, _model_run(world, state="done").pk]


def model_request_args(world: World) -> list[Any]:
    return [*model_draft_args(world), 1]


def _model_run(world: World, **state: Any) -> ModelRun:
    content = {
        "endpoint": "https://models.example.org/v1",
        "model": "tiny",
        "temperature": 0.0,
        "seed": None,
        "answer_format": "prompt",
        "questions": ["answer"],
        "fields_left_out": [],
        "has_guidelines": True,
        "instructions": "",
        "system": "Label.",
        "schema": "",
    }
    run = ModelRun.objects.create(
        project=world.project,
        content=content,
        digest="0" * 64,
        items_in_words="all",
        asked_by=world.lead,
        **state,
    )
    run.requests.create(
        item=world.item, position=1, digest="0" * 64, n_input_estimated=1, n_output_estimated=1
    )
    return run


def rater_args(world: World) -> list[Any]:
    return [world.project.slug, world.pair.rater_a_id]


def own_invitation_args(world: World) -> list[Any]:
    """To the stranger: for everyone else it does not exist."""
    invitation, _ = invitations.invite(
        world.project, by=world.lead, role="rater", username=world.people["stranger"].username
    )
    return [invitation.pk]


def place_args(world: World) -> list[Any]:
    """A place of the rater's in an open round: for everyone else it does not exist."""
    round_, _ = Round.objects.get_or_create(project=world.project, key="open")
    rater = rater_of(world.project, world.people["rater"])
    place, _ = Assignment.objects.get_or_create(rater=rater, item=world.item, round=round_)
    return [world.project.slug, place.pk]


def round_args(world: World) -> list[Any]:
    round_, _ = Round.objects.get_or_create(project=world.project, key="open")
    return [world.project.slug, round_.pk]


def planned_args(world: World) -> list[Any]:
    round_, _ = Round.objects.get_or_create(
        project=world.project, key="planned", defaults={"plans": [{"seed": 1}]}
    )
    return [world.project.slug, round_.pk]


def adaptive_args(world: World) -> list[Any]:
    slug, pk = planned_args(world)
    AdaptiveOverlap.objects.get_or_create(round_id=pk, defaults={"changed_by": world.lead})
    return [slug, pk]


def thread_args(world: World) -> list[Any]:
    """A question that was answered."""
    thread, _ = world.item.threads.get_or_create(rater=world.pair.rater_a, defaults={"is_open": False})
    thread.messages.create(author=world.lead, text="Why?")
    thread.messages.create(author=world.lead, text="So.", is_answer=True)
    return [world.project.slug, thread.pk]


def unclear_args(world: World) -> list[Any]:
    """An assignment that its rater marked as not covered by the guidelines."""
    round_, _ = Round.objects.get_or_create(
        project=world.project, key="unclear", defaults={"state": Round.State.CLOSED}
    )
    mark, _ = Assignment.objects.get_or_create(
        round=round_, item=world.item, rater=world.pair.rater_b, defaults={"pass_number": 99}
    )
    Assignment.objects.filter(pk=mark.pk).update(is_guideline_unclear=True)
    return [world.project.slug, mark.pk]


def asked_args(world: World) -> list[Any]:
    """A place of the rater's, who has asked about it, as has another rater."""
    slug, pk = place_args(world)
    for rater in (rater_of(world.project, world.people["rater"]), world.pair.rater_b):
        world.item.threads.get_or_create(rater=rater)
    return [slug, pk]


def alert_args(world: World) -> list[Any]:
    project = world.project
    alert = project.quality_alerts.create(rater=world.pair.rater_a, kind="reference", rule="x", n=3, n_bad=2)
    return [project.slug, alert.pk]


def pass_args(world: World) -> list[Any]:
    """A rater of a round with a pass mark."""
    round_, _ = Round.objects.get_or_create(project=world.project, key="school", defaults={"pass_mark": 0.5})
    rater = world.pair.rater_a
    Assignment.objects.get_or_create(rater=rater, item=world.item, round=round_, pass_number=9)
    return [world.project.slug, round_.pk, rater.pk]


def attempt_args(world: World) -> list[Any]:
    """A rater who missed the pass mark of a round, of whose item the answer is known; the attempt is given already."""
    project = world.project
    round_, _ = Round.objects.get_or_create(
        project=project, key="missed", defaults={"pass_mark": 0.5, "state": Round.State.CLOSED}
    )
    further, _ = Round.objects.get_or_create(
        project=project, key="missed: attempt 2", defaults={"pass_mark": 0.5, "state": Round.State.OPEN}
    )
    RoundAttempt.objects.get_or_create(round=further, first=round_, number=2)
    rater = rater_of(project, world.people["rater"])
    reference, _ = Rater.objects.get_or_create(project=project, key="known", kind=Rater.Kind.REFERENCE)
    question = project.questions.get()
    Label.objects.get_or_create(
        item=world.item,
        question=question,
        rater=reference,
        defaults={"category": question.categories.first()},
    )
    Assignment.objects.get_or_create(
        rater=rater, item=world.item, round=round_, defaults={"pass_number": 88, "state": "done"}
    )
    Qualification.objects.get_or_create(
        round=round_, rater=rater, defaults={"n": 1, "n_right": 0, "is_passed": False}
    )
    return [project.slug, round_.pk, rater.pk]


def paused_args(world: World) -> list[Any]:
    """The rater has a message to read; for everyone else, it does not exist."""
    rater = rater_of(world.project, world.people["rater"])
    Rater.objects.filter(pk=rater.pk).update(paused_at=timezone.now(), pause_note="x", may_resume=True)
    return [world.project.slug]


def unlabeled_args(world: World) -> list[Any]:
    """A round that nobody has labeled in."""
    round_, _ = Round.objects.get_or_create(project=world.project, key="unlabeled")
    return [world.project.slug, round_.pk]


def revealed_args(world: World) -> list[Any]:
    """A revealed round in which the rater has labeled: for who has not, it does not exist."""
    round_, _ = Round.objects.get_or_create(
        project=world.project, key="revealed", defaults={"state": "closed", "revealed_at": timezone.now()}
    )
    question = world.agreement.question
    Label.objects.get_or_create(
        item=world.item,
        question=question,
        rater=rater_of(world.project, world.people["rater"]),
        defaults={"round": round_, "category": question.categories.first()},
    )
    return [world.project.slug, round_.pk]
