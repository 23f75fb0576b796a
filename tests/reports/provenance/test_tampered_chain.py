"""Entries, events and heads that a superuser altered, and what verifying the history says of them (P4)."""

import pytest
from django.db import connection

from core.history import head_of
from core.models import HistoryEntry
from projects.events import record
from projects.models import Event
from reports.models import Report
from reports.store.history_verification import verify_history
from tests import cast
from tests.live import as_superuser
from tests.reports.provenance.tampering import position_of, revisions_of, tampering


def test_a_deleted_entry_is_missed(chained_project):
    deleted = revisions_of(chained_project)[4]
    position = position_of(deleted)
    with tampering("raters_labelrevision", "core_historyentry") as superuser:
        superuser.execute("DELETE FROM raters_labelrevision WHERE id = %s", [deleted.pk])
        superuser.execute("DELETE FROM core_historyentry WHERE id = %s", [deleted.entry_id])

    assert verify_history(chained_project).faults[0].sentence.startswith(f"Entry {position} is missing")


def test_entries_that_change_places_are_named(chained_project):
    a, b = (position_of(each) for each in revisions_of(chained_project)[1:3])
    with tampering("core_historyentry") as superuser:
        superuser.execute(
            "UPDATE core_historyentry SET position = -position WHERE project_id = %s AND position IN (%s, %s)",
            [chained_project.pk, a, b],
        )
        superuser.execute(
            "UPDATE core_historyentry SET position = CASE position WHEN %s THEN %s ELSE %s END"
            " WHERE project_id = %s AND position < 0",
            [-a, b, a, chained_project.pk],
        )

    assert verify_history(chained_project).faults[0].position == a


def test_a_cut_end_shows_against_a_head_alone(chained_project):
    with connection.cursor() as cursor:
        head = head_of(chained_project.pk, cursor)
    cut_from = HistoryEntry.objects.get(project_id=chained_project.pk, position=head.position - 1)
    with tampering("projects_event", "core_historyentry") as superuser:
        superuser.execute(
            "DELETE FROM projects_event WHERE project_id = %s AND entry_id >= %s",
            [chained_project.pk, cut_from.pk],
        )
        superuser.execute(
            "DELETE FROM core_historyentry WHERE project_id = %s AND position >= %s",
            [chained_project.pk, cut_from.position],
        )

    assert verify_history(chained_project).faults == []
    first = verify_history(chained_project, expected=str(head)).faults[0]
    assert first.position == cut_from.position
    assert "was cut" in first.sentence


@pytest.mark.parametrize("change", ["about = 'x.csv'", "user_name = 'nobody'", "at = at - interval '1 day'"])
def test_an_altered_event_is_named(chained_project, change):
    event = Event.objects.filter(project_id=chained_project.pk, kind="exported").order_by("id")[1]
    with tampering("projects_event") as superuser:
        superuser.execute(f"UPDATE projects_event SET {change} WHERE id = %s", [event.pk])

    [fault] = verify_history(chained_project).faults

    assert fault.sentence == f"Event {event.pk} was altered."


LIES = {
    "revision_digest": (
        "CREATE OR REPLACE FUNCTION revision_digest(r raters_labelrevision) RETURNS bytea LANGUAGE sql STABLE"
        " RETURN (r).digest",
        "UPDATE raters_labelrevision SET user_id = 99 WHERE entry_id IN"
        " (SELECT id FROM core_historyentry WHERE project_id = %s)",
    ),
    "event_names": (
        "CREATE OR REPLACE FUNCTION event_names(salt uuid, user_name text, about text, detail jsonb) RETURNS bytea"
        " LANGUAGE sql STABLE AS 'SELECT names FROM projects_event v WHERE v.salt = $1'",
        "UPDATE projects_event SET user_name = 'mallory' WHERE project_id = %s",
    ),
    "history_entry_digest": (
        "CREATE OR REPLACE FUNCTION history_entry_digest(before bytea, project_id bigint, kind text, n_rows bigint,"
        " content bytea, at timestamptz, place bigint) RETURNS bytea LANGUAGE sql STABLE"
        " AS 'SELECT digest FROM core_historyentry e WHERE e.project_id = $2 AND e.position = $7'",
        "UPDATE core_historyentry SET at = at - interval '1 day' WHERE project_id = %s",
    ),
}


@pytest.mark.parametrize("function", LIES)
def test_a_function_that_lies_deceives_no_verification(chained_project, function):
    """Seen: with another function for the digests, everything verified, even against a head."""
    lie, change = LIES[function]
    with as_superuser() as superuser:
        [(truth,)] = superuser.execute(
            "SELECT pg_get_functiondef(oid) FROM pg_proc WHERE proname = %s ORDER BY pronargs LIMIT 1",
            [function],
        ).fetchall()
    try:
        with tampering("raters_labelrevision", "projects_event", "core_historyentry") as superuser:
            superuser.execute(lie)
            superuser.execute(change, [chained_project.pk])

        assert verify_history(chained_project).faults != []
    finally:
        with as_superuser() as superuser:
            superuser.execute(truth)


@pytest.mark.parametrize(
    "change",
    ["head_entry = 1", "head_entry = NULL", "head_position = 0", "head_position = NULL", "head_digest = ''"],
)
def test_a_report_whose_head_was_altered_is_named(chained_project, change):
    with connection.cursor() as cursor:
        head = head_of(chained_project.pk, cursor)
    report = Report.objects.create(
        project=chained_project,
        asked_by=cast.person("rea", unique=True),
        head_position=head.position,
        head_entry=head.entry,
        head_digest=head.digest,
    )
    assert verify_history(chained_project).faults == []
    with tampering("reports_report") as superuser:
        superuser.execute(f"UPDATE reports_report SET {change} WHERE id = %s", [report.pk])

    [fault] = verify_history(chained_project).faults

    assert f"Report {report.pk} " in fault.sentence


def test_a_name_gives_way_to_the_pseudonym_of_an_erasure_alone(chained_project):
    record(Event.Kind.PERSON_ERASED, about="erased-1", account=1)
    record(Event.Kind.PERSON_ERASED, about="", account="")
    with tampering("projects_event") as superuser:
        superuser.execute(
            "UPDATE projects_event SET salt = NULL, user_name = 'erased-1 was the lead' WHERE project_id = %s"
            " AND about = 'b.csv'",
            [chained_project.pk],
        )

    [fault] = verify_history(chained_project).faults

    assert "was altered" in fault.sentence


def test_a_deleted_event_is_missed(chained_project):
    event = Event.objects.filter(project_id=chained_project.pk, kind="exported").order_by("id")[1]
    with tampering("projects_event") as superuser:
        superuser.execute("DELETE FROM projects_event WHERE id = %s", [event.pk])

    [fault] = verify_history(chained_project).faults

    assert "was deleted" in fault.sentence


def test_a_chain_rewritten_as_a_whole_shows_against_a_head_alone(chained_project):
    """A superuser may compute every digest again; a head that was kept elsewhere is the only witness."""
    altered = revisions_of(chained_project)[0]
    head = verify_history(chained_project).head
    with tampering("raters_labelrevision", "core_historyentry") as superuser:
        superuser.execute("UPDATE raters_labelrevision SET user_id = 8 WHERE id = %s", [altered.pk])
        superuser.execute(
            "UPDATE raters_labelrevision r SET digest = revision_digest(r) WHERE id = %s",
            [altered.pk],
        )
        superuser.execute(
            "UPDATE core_historyentry e SET content = (SELECT sha256(string_agg(r.digest, '' ORDER BY r.id))"
            " FROM raters_labelrevision r WHERE r.entry_id = e.id) WHERE e.id = %s",
            [altered.entry_id],
        )
        digest = b""
        for (pk,) in superuser.execute(
            "SELECT id FROM core_historyentry WHERE project_id = %s ORDER BY position", [chained_project.pk]
        ).fetchall():
            [(digest,)] = superuser.execute(
                "UPDATE core_historyentry SET digest = history_entry_digest(%s::bytea, project_id, kind, n_rows,"
                " content, at, position) WHERE id = %s RETURNING digest",
                [digest, pk],
            ).fetchall()

    assert verify_history(chained_project).faults == []
    assert "rewritten" in verify_history(chained_project, expected=head).faults[0].sentence
