"""A project that is due is purged, with every row, and nothing of another project."""

from datetime import timedelta
from io import BytesIO

import pytest
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.db.models import F
from django.utils import timezone

from projects.deletion import actions as deletion
from projects.events import record
from projects.items.lists import make_list
from projects.media import media_files as keeping
from projects.members import invitations
from projects.models import CodebookDraft, Event, ItemVersion, Membership, Project, RoundAttempt, Webhook
from projects.webhooks import actions as webhooks
from projects.webhooks.actions import WebhookSettings
from raters.imports.undoing import undo_import
from raters.models import (
    AdaptiveOverlap,
    Decision,
    DisputeWatch,
    FinalEstimate,
    FormerAssignee,
    Label,
    LabelImport,
    LabelRevision,
    ModelConfiguration,
    Notification,
    NotificationMail,
    StoredFigures,
)
from reports.models import FindingNote, OnDemandFigures, ReportShard
from reports.store import links
from reports.store.history_verification import head_now, verify_history
from tests import cast
from tests.config.routes.arguments import certificate_args, model_request_args
from tests.files import GOOD, load
from tests.finished import World, draft_import, new_world
from tests.live import administering
from tests.pictures import png
from tests.projects.test_deletion import make_due
from tests.sizes import only_in_full

OF_TABLES = """
SELECT t.relname FROM pg_class t
WHERE t.relkind = 'r' AND t.relnamespace = 'public'::regnamespace AND EXISTS (
    SELECT FROM pg_attribute a WHERE a.attrelid = t.oid AND a.attname = 'project_id' AND NOT a.attisdropped
)
"""
REFERENCES = """
SELECT conrelid::regclass::text, confrelid::regclass::text FROM pg_constraint
WHERE contype = 'f' AND conrelid <> confrelid
"""


@pytest.fixture
def doomed(committed_db) -> tuple[World, World]:
    """Two worlds of this test alone, committed: the owner of the tables purges the first."""
    return new_world("doomed", n_items=6, n_raters=3), new_world("spared", n_items=6, n_raters=3)


def rows_left(ids: dict[str, list[int]]) -> dict[str, int]:
    found = {}
    with connection.cursor() as cursor:
        for table, keys in ids.items():
            cursor.execute(f"SELECT count(*) FROM {table} WHERE id = ANY (%s)", [keys])
            found[table] = cursor.fetchone()[0]
    return found


def ids_of(project: Project) -> dict[str, list[int]]:
    found = {}
    with connection.cursor() as cursor:
        for table, where in deletion.TABLES:
            if table == "raters_stagedrevision":
                # Empty but for the length of one transaction.
                continue
            cursor.execute(f"SELECT id FROM {table} WHERE {where}", {"project": project.pk})
            found[table] = [pk for (pk,) in cursor.fetchall()]
    return found


def fill(world: World) -> None:
    """Rows in tables that a finished world leaves empty."""
    # A question that went with its import, and left its history.
    undo_import(load(world.project, GOOD, by=world.lead, question="gone"), by=world.lead)
    links.share(world.report, by=world.lead)
    _, key = invitations.invite(world.project, by=world.lead, role="rater")
    invitations.redeem(invitations.hashed(key), user=world.people["stranger"], addresses=[])
    keeping.store_media(world.project, "own.png", BytesIO(png(3, 2)), by=world.lead)
    draft = draft_import(world)
    draft.chunks.create(position=0, content=b"x")
    draft.blocks.create(position=0, labels=b"x", items=b"", kinds=b"", state={})
    draft.ranges.create(kind="item", first_id=1, last_id=1)
    ItemVersion.objects.create(item=world.item, content=[])
    make_list(world.project, "To discuss", [world.item.pk], by=world.lead)
    question = world.agreement.question
    FinalEstimate.objects.create(question=question, rule="weighted")
    StoredFigures.objects.create(project=world.project, what="progress", asked={})
    FindingNote.objects.create(question=question, finding="[]", text="Seen.", written_by=world.lead)
    OnDemandFigures.objects.create(agreement=world.agreement, what="time", asked={"by": "x"})
    world.report.shards.create(
        question=question, digest="", counted=[], work="draws", first=0, last=1, state=ReportShard.State.DONE
    )
    world.report.attribute_groups.create(unit="item", name="site", value="a", n_values=1, members=b"")
    wanted = WebhookSettings("https://hooks.example.org/", [Webhook.Event.REPORT_DONE])
    webhook, _ = webhooks.add(world.project, wanted, by=world.lead, site="https://labels.example.org")
    webhook.deliveries.create(kind="test", payload={})
    world.project.guidelines_versions.create(number=1, text="x", made_by=world.lead)
    world.project.codebook_versions.create(number=1, content={})
    CodebookDraft.objects.create(project=world.project, changed_by=world.lead)
    rater = world.pair.rater_a
    model_request_args(world)
    ModelConfiguration.objects.create(rater=rater, digest="0", content={})
    round_ = world.project.rounds.create(key="r")
    rater.assignments.create(item=world.item, round=round_, pass_number=7)
    round_.gates.create(gate=world.project.rounds.create(key="gate"))
    RoundAttempt.objects.create(round=world.project.rounds.create(key="again"), first=round_, number=2)
    round_.qualifications.create(rater=rater, n=1, n_right=1, is_passed=True)
    thread = world.item.threads.create(rater=rater)
    thread.messages.create(author=world.lead, text="x")
    mail = NotificationMail.objects.create(recipient=world.lead, project=world.project)
    row = {"recipient": world.lead, "project": world.project, "kind": Notification.Kind.ALERT}
    Notification.objects.create(**row, mail=mail)
    DisputeWatch.objects.create(project=world.project)
    AdaptiveOverlap.objects.create(round=round_, changed_by=world.lead)
    FormerAssignee.objects.create(round=round_, user=world.lead)
    rule = world.project.quality_rules.create(
        kind="reference", n=5, limit=1, acceptable=0.1, changed_by=world.lead
    )
    rule.counts.create(rater=rater)
    world.project.quality_alerts.create(rater=rater, kind="reference", rule="x", n=3, n_bad=2)
    certificate_args(world)
    label = Label.objects.filter(question__project=world.project).first()
    Decision.objects.create(label=label, decided_by=world.lead)


def test_a_purge_removes_every_row_and_leaves_one_event(doomed, settings):
    world, other = doomed
    fill(world)
    fill(other)
    n_labels = Label.objects.filter(question__project=world.project).count()
    questions = [world.agreement.question_id, *world.project.former_questions.values_list("pk", flat=True)]
    n_revisions = LabelRevision.objects.filter(question_id__in=questions).count()
    ids, spared = ids_of(world.project), ids_of(other.project)
    deletion.request_deletion(world.project, by=world.lead, name=world.project.name)
    requested = Event.objects.get(kind="project_deletion_requested", project_id=world.project.pk)
    head = head_now(world.project)
    make_due(world.project, settings)

    with administering():
        call_command("purge_deleted_projects")

    assert [table for table, keys in ids.items() if not keys] == []
    assert {table: n for table, n in rows_left(ids).items() if n} == {}
    assert rows_left(spared) == {table: len(keys) for table, keys in spared.items()}
    assert not Event.objects.filter(project_id=world.project.pk).exists()
    event = Event.objects.get(kind="project_deleted", detail__project_id=world.project.pk)
    assert (event.kind, event.user_id, event.about) == (
        "project_deleted",
        world.lead.pk,
        world.project.slug,
    )
    assert event.detail == {
        "project_id": world.project.pk,
        "head": str(head),
        "name": world.project.name,
        "requested_at": requested.at.isoformat(),
        "n_labels": n_labels,
        "n_revisions": n_revisions,
    }
    assert min(n_labels, n_revisions) > 0
    assert verify_history(None).faults == []
    assert verify_history(other.project).faults == []


@only_in_full
def test_the_history_is_guarded_again_after_a_purge(doomed, settings):
    world, other = doomed
    deletion.request_deletion(world.project, by=world.lead, name=world.project.name)
    make_due(world.project, settings)
    with pytest.raises(DatabaseError, match="permission denied"):
        deletion.purge(world.project)
    with administering():
        call_command("purge_deleted_projects")

    assert not Project.objects.filter(pk=world.project.pk).exists()
    with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
        LabelRevision.objects.filter(question_id=other.agreement.question_id).delete()
    label = Label.objects.filter(question__project=other.project).first()
    label.delete()

    assert LabelRevision.objects.filter(question_id=other.agreement.question_id, change="D").count() == 1


@pytest.mark.parametrize("due", [None, timedelta(days=1)])
def test_what_is_not_due_is_not_purged(project, due):
    when = F("deletion_due_at") if due is None else timezone.now() + due
    Project.objects.filter(pk=project.pk).update(deletion_due_at=when)

    call_command("purge_deleted_projects")
    with pytest.raises(deletion.PurgeNotDue):
        deletion.purge(project)

    assert Project.objects.filter(pk=project.pk).exists()


@pytest.mark.parametrize("steps", [[], ["requested"], ["requested", "canceled"]])
def test_the_column_alone_purges_nothing(committed_db, settings, steps):
    """The program writes it: what counts is that the history has the request, and when that was made."""
    settings.PROJECT_DELETION_DAYS = 0 if "canceled" in steps else 30
    project = cast.new_project("Kept", unique=True)
    for what in steps:
        record(Event.Kind(f"project_deletion_{what}"), project=project)
    Project.objects.filter(pk=project.pk).update(deletion_due_at=timezone.now() - timedelta(days=1))

    with administering():
        call_command("purge_deleted_projects")

    assert Project.objects.filter(pk=project.pk).exists()


def test_bytes_that_another_project_has_stay(committed_db, settings):
    project, other = cast.new_project("Own", unique=True), cast.new_project("Other", unique=True)
    lead = cast.member(project, Membership.Role.LEAD, username="lena", unique=True)
    keeping.store_media(project, "own.png", BytesIO(png(7, 3)), by=lead)
    keeping.store_media(project, "both.png", BytesIO(png(2, 2)), by=lead)
    keeping.store_media(other, "both.png", BytesIO(png(2, 2)), by=lead)
    places = {media.name: keeping.place_of(media.sha256) for media in project.media.all()}
    make_due(project, settings)

    with administering():
        call_command("purge_deleted_projects")

    assert {name: default_storage.exists(place) for name, place in places.items()} == {
        "own.png": False,
        "both.png": True,
    }


def test_every_table_of_a_project_is_purged_before_those_it_refers_to(db):
    """A new table that belongs to a project must be in the list, wherever its foreign keys lead."""
    tables = [table for table, _ in deletion.TABLES]
    with connection.cursor() as cursor:
        cursor.execute(REFERENCES)
        references = set(cursor.fetchall())
        cursor.execute(OF_TABLES)
        of_project = {"projects_project", *(table for (table,) in cursor.fetchall())}
    while more := {child for child, parent in references if parent in of_project} - of_project:
        of_project |= more

    assert of_project | {"raters_labelrevision"} == set(tables)
    wrong = [
        (child, parent)
        for child, parent in references
        if child in tables and parent in tables and tables.index(child) > tables.index(parent)
    ]
    assert wrong == []


def test_drafts_of_imports_go_too(committed_db, settings):
    project = cast.new_project("Draft", unique=True)
    LabelImport.objects.create(project=project, file_name="x", sha256="", n_bytes=1, state="draft")
    make_due(project, settings)

    with administering():
        call_command("purge_deleted_projects")

    assert not LabelImport.objects.filter(project_id=project.pk).exists()
    assert not Project.objects.filter(pk=project.pk).exists()
