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
from projects.models import Delivery, Membership, Project, Round, Webhook
from projects.webhooks.signing import new_secret, sealed
from raters.imports import actions
from raters.models import (
    Audit,
    AuditedLabel,
    Label,
    LabelImport,
    ModelRun,
    Notification,
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
