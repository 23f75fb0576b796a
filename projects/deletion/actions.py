"""Deletes a project: requested first, restorable for some days, and purged after that.

The label history is append-only and everything that labels refer to is protected, so only `purge` deletes it.
"""

from datetime import timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from core.history import head_of
from core.refusals import Refused
from core.runs.ledger import Run, run_models
from projects.codebook.former import EVER
from projects.events import events_of, record
from projects.media.media_files import drop_bytes
from projects.models import Event, Membership, Project

OF_PROJECT = "project_id = %(project)s"
OF_ITEM = "item_id IN (SELECT id FROM projects_item WHERE project_id = %(project)s)"
OF_QUESTION = "question_id IN (SELECT id FROM projects_question WHERE project_id = %(project)s)"
# The history also has questions that were deleted with the import that created them.
EVER_OF_QUESTION = f"question_id IN ({EVER})"
OF_REPORT = "report_id IN (SELECT id FROM reports_report WHERE project_id = %(project)s)"
OF_AGREEMENT = f"agreement_id IN (SELECT id FROM reports_questionagreement WHERE {OF_REPORT})"  # noqa: S608
OF_LABEL = f"label_id IN (SELECT id FROM raters_label WHERE {OF_QUESTION})"  # noqa: S608
OF_IMPORT = "label_import_id IN (SELECT id FROM raters_labelimport WHERE project_id = %(project)s)"
OF_INVITATION = "invitation_id IN (SELECT id FROM projects_invitation WHERE project_id = %(project)s)"
OF_ROUND = "round_id IN (SELECT id FROM projects_batch WHERE project_id = %(project)s)"
OF_THREAD = f"thread_id IN (SELECT id FROM raters_thread WHERE {OF_ITEM})"  # noqa: S608
OF_RULE = "rule_id IN (SELECT id FROM raters_qualityrule WHERE project_id = %(project)s)"
OF_LIST = "item_list_id IN (SELECT id FROM projects_itemlist WHERE project_id = %(project)s)"
OF_AUDIT = "audit_id IN (SELECT id FROM raters_audit WHERE project_id = %(project)s)"
OF_WEBHOOK = "webhook_id IN (SELECT id FROM projects_webhook WHERE project_id = %(project)s)"
OF_MODEL_RUN = "run_id IN (SELECT id FROM raters_modelrun WHERE project_id = %(project)s)"
OF_RATER = "rater_id IN (SELECT id FROM raters_rater WHERE project_id = %(project)s)"

# Every table with rows of a project, in an order in which referring tables come first.
TABLES = (
    ("reports_findingnote", OF_QUESTION),
    ("reports_reportlink", OF_REPORT),
    ("reports_attributegroup", OF_REPORT),
    ("reports_laterfigures", OF_AGREEMENT),
    ("reports_pairagreement", OF_AGREEMENT),
    ("reports_labelblock", OF_AGREEMENT),
    ("reports_questionagreement", OF_REPORT),
    ("reports_reportshard", OF_REPORT),
    ("reports_report", OF_PROJECT),
    ("raters_finalestimate", OF_QUESTION),
    ("raters_storedfigures", OF_PROJECT),
    ("raters_decision", OF_LABEL),
    ("raters_label", OF_QUESTION),
    ("raters_labelrevision", EVER_OF_QUESTION),
    ("raters_auditcertificate", OF_AUDIT),
    ("raters_auditedlabel", OF_ITEM),
    ("raters_audit", OF_PROJECT),
    ("raters_assignment", OF_ITEM),
    ("raters_message", OF_THREAD),
    ("raters_thread", OF_ITEM),
    ("raters_qualification", OF_ROUND),
    ("raters_formerassignee", OF_ROUND),
    ("raters_adaptiveoverlap", OF_ROUND),
    ("raters_notification", OF_PROJECT),
    ("raters_notificationmail", OF_PROJECT),
    ("raters_disputewatch", OF_PROJECT),
    ("raters_qualityalert", OF_PROJECT),
    ("raters_qualitycount", OF_RULE),
    ("raters_qualityrule", OF_PROJECT),
    ("raters_modelrequest", OF_MODEL_RUN),
    ("raters_modelrun", OF_PROJECT),
    ("raters_modelconfiguration", OF_RATER),
    ("raters_rater", OF_PROJECT),
    ("raters_importchunk", OF_IMPORT),
    ("raters_readblock", OF_IMPORT),
    ("raters_importedrange", OF_IMPORT),
    ("raters_labelimport", OF_PROJECT),
    ("projects_itemversion", OF_ITEM),
    ("projects_itemlistentry", OF_LIST),
    ("projects_itemlist", OF_PROJECT),
    ("projects_item", OF_PROJECT),
    ("projects_roundattempt", OF_ROUND),
    ("projects_roundgate", OF_ROUND),
    ("projects_batch", OF_PROJECT),
    ("projects_category", OF_QUESTION),
    ("projects_question", OF_PROJECT),
    ("projects_formerquestion", OF_PROJECT),
    ("projects_mediafile", OF_PROJECT),
    ("projects_delivery", OF_WEBHOOK),
    ("projects_webhook", OF_PROJECT),
    ("projects_redemption", OF_INVITATION),
    ("projects_invitation", OF_PROJECT),
    ("projects_membership", OF_PROJECT),
    ("projects_guidelinesversion", OF_PROJECT),
    ("projects_codebookversion", OF_PROJECT),
    ("projects_codebookdraft", OF_PROJECT),
    ("projects_event", OF_PROJECT),
    ("raters_stagedrevision", OF_PROJECT),
    # The history comes last: deleting labels adds to it.
    ("core_historyentry", OF_PROJECT),
    ("projects_project", "id = %(project)s"),
)
# The events about a deletion; the latest one counts.
DELETION = (Event.Kind.PROJECT_DELETION_REQUESTED, Event.Kind.PROJECT_DELETION_CANCELED)


class NameMismatch(Refused):
    """The typed name differs; it must be typed so that nobody deletes the wrong project."""

    code, status_code = "name_differs", 400

    def __init__(self) -> None:
        super().__init__("Enter the project name exactly as shown.")


class AlreadyPurged(Refused):
    """The project was purged at the same moment."""

    code, status_code = "purged", 404

    def __init__(self) -> None:
        super().__init__("This project has been permanently deleted.")


class PurgeNotDue(Exception):
    """Only a project whose deletion was requested and not canceled in time is purged."""


def deleted_projects(user: Any) -> QuerySet[Project]:
    """The projects that the user can still restore: server owners all, leads their own."""
    deleted = Project.objects.filter(deletion_due_at__isnull=False).order_by("name")
    if user.is_superuser:
        return deleted
    return deleted.filter(memberships__user=user.pk, memberships__role=Membership.Role.LEAD)


@transaction.atomic
def request_deletion(project: Project, *, by: Any, name: str) -> None:
    """Hide the project and stop all its runs; it is purged later. Raises NameMismatch."""
    now = Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    if name != now.name:
        raise NameMismatch
    if now.deletion_due_at is None:
        due = timezone.now() + timedelta(days=settings.PROJECT_DELETION_DAYS)
        Project.objects.filter(pk=now.pk).update(deletion_due_at=due)
        _cancel_runs(now)
        record(Event.Kind.PROJECT_DELETION_REQUESTED, by=by, project=now, due=due.isoformat())
    project.refresh_from_db(fields=["deletion_due_at"])


def _cancel_runs(project: Project) -> None:
    active = Q(state__in=[Run.State.QUEUED, Run.State.RUNNING])
    for model in run_models():
        for run in model.objects.filter(active, **{model.project_path: project}):
            run.cancel()


@transaction.atomic
def restore(project: Project, *, by: Any) -> None:
    """Restore the project; canceled runs have to be requested again. Raises AlreadyPurged."""
    if Project.objects.filter(pk=project.pk, deletion_due_at__isnull=False).update(deletion_due_at=None):
        record(Event.Kind.PROJECT_DELETION_CANCELED, by=by, project=project)
    try:
        project.refresh_from_db(fields=["deletion_due_at"])
    except Project.DoesNotExist:
        raise AlreadyPurged from None


def due_projects() -> QuerySet[Project]:
    return Project.objects.filter(deletion_due_at__lte=timezone.now()).order_by("pk")


@transaction.atomic
def purge(project: Project) -> None:
    """Permanently delete every row of a project, and media that no other project uses. Raises PurgeNotDue.

    Runs as the owner of the tables: the program's role may not delete history. One event of the site remains, with the
    final head of the history.
    """
    project = Project.objects.select_for_update().get(pk=project.pk)
    if project.deletion_due_at is None or project.deletion_due_at > timezone.now():
        raise PurgeNotDue
    # The program writes the column; the matching event and its time were written by the database.
    requested = events_of(project).filter(kind__in=DELETION).first()
    days = timedelta(days=settings.PROJECT_DELETION_DAYS)
    if (
        requested is None
        or requested.kind != Event.Kind.PROJECT_DELETION_REQUESTED
        or requested.at + days > timezone.now()
    ):
        raise PurgeNotDue
    media = set(project.media.values_list("sha256", flat=True))
    deleted: dict[str, int] = {}
    with connection.cursor() as cursor:
        head = head_of(project.pk, cursor)
        cursor.execute("SELECT set_config('interrater.purging', 'on', true)")
        for table, where in TABLES:
            cursor.execute(f"DELETE FROM {table} WHERE {where}", {"project": project.pk})  # noqa: S608
            deleted[table] = cursor.rowcount
        cursor.execute("SELECT set_config('interrater.purging', 'off', true)")
    n_labels = deleted["raters_label"]
    record(
        Event.Kind.PROJECT_DELETED,
        by=_person(requested.user_id),
        about=project.slug,
        project_id=project.pk,
        name=project.name,
        requested_at=requested.at.isoformat(),
        n_labels=n_labels,
        # Each deleted label has added one revision.
        n_revisions=deleted["raters_labelrevision"] - n_labels,
        head=str(head),
    )
    for sha256 in media:
        transaction.on_commit(partial(drop_bytes, sha256))


def _person(pk: int | None) -> Any:
    return None if pk is None else get_user_model().objects.filter(pk=pk).first()
