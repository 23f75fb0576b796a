"""Tampering by a superuser, and what verifying the history says of it (P4)."""

from contextlib import contextmanager

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from core.history import head_of
from core.models import SITE, HistoryEntry
from projects.events import record
from projects.models import Event, Membership
from raters.models import Label, LabelRevision
from reports.models import Report
from reports.store.history import BadHead, parsed_head, verify_history
from tests import cast
from tests.labeling import add_labels, new_question
from tests.live import as_superuser
from tests.together import at_once


@pytest.fixture
def project(committed_db):
    """Six single labels of three raters, 40 in one statement, two changes, a withdrawal, and three events."""
    project = cast.new_project("Chain", unique=True)
    question = new_question(project, key="tone", categories=("good", "fair", "bad"))
    for item in ("i-1", "i-2"):
        for rater in ("ana", "ben", "eve"):
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SET LOCAL interrater.user_id = '7'")
                add_labels(question, [(item, rater, "good")])
    add_labels(question, [(f"j-{n}", "ana", "fair") for n in range(40)])
    bad = question.categories.get(key="bad")
    for label in Label.objects.filter(question=question, item__key="i-1")[:2]:
        label.category = bad
        label.save()
    Label.objects.get(question=question, item__key="i-2", rater__key="eve").delete()
    for about in ("a.csv", "b.csv", "c.csv"):
        record(Event.Kind.EXPORTED, project=project, about=about)
    return project


@contextmanager
def tampering(*tables):
    """A superuser with the triggers of these tables switched off."""
    with as_superuser() as superuser, superuser.transaction():
        for table in tables:
            superuser.execute(f"ALTER TABLE {table} DISABLE TRIGGER ALL")
        yield superuser
        for table in tables:
            superuser.execute(f"ALTER TABLE {table} ENABLE TRIGGER ALL")


def revisions_of(project):
    """Of the entries that hold one revision, in their order."""
    single = HistoryEntry.objects.filter(project_id=project.pk, kind="R", n_rows=1)
    return list(LabelRevision.objects.filter(entry_id__in=single.values("pk")).order_by("id"))


def position_of(revision):
    return HistoryEntry.objects.get(pk=revision.entry_id).position


def test_an_honest_history_verifies(project):
    found = verify_history(project)

    assert found.faults == []
    # One entry holds 40 revisions; ten hold one, and three an event, beside that of the project's own making.
    assert (found.n_revisions, found.n_events) == (49, found.n_entries - 10)
    assert verify_history(project, expected=found.head).faults == []


@pytest.mark.parametrize(
    "change",
    [
        "category_id = category_id + 1",
        "user_id = 8",
        "user_id = NULL",
        "at = at - interval '1 day'",
        "source = 'page'",
        "note = 'not mine'",
        "labelled_at = labelled_at - interval '1 hour'",
        "seconds = 3",
        "old_value = jsonb_build_object('id', label_id)",
    ],
)
def test_an_altered_revision_is_named(project, change):
    altered = revisions_of(project)[3]
    with tampering("raters_labelrevision") as superuser:
        superuser.execute(f"UPDATE raters_labelrevision SET {change} WHERE id = %s", [altered.pk])

    first = verify_history(project).faults[0]

    assert first.position == position_of(altered)
    assert f"Revision {altered.pk} " in first.sentence
    assert "was altered" in first.sentence


def test_an_altered_revision_of_a_round_is_named(project):
    round_ = HistoryEntry.objects.get(project_id=project.pk, kind="R", n_rows=40)
    altered = LabelRevision.objects.filter(entry_id=round_.pk).order_by("id")[17]
    with tampering("raters_labelrevision") as superuser:
        superuser.execute("UPDATE raters_labelrevision SET user_id = 9 WHERE id = %s", [altered.pk])

    first = verify_history(project).faults[0]

    assert (first.position, f"Revision {altered.pk} " in first.sentence) == (round_.position, True)


def test_whoever_forges_the_digest_too_changes_the_entry(project):
    round_ = HistoryEntry.objects.get(project_id=project.pk, kind="R", n_rows=40)
    with tampering("raters_labelrevision") as superuser:
        superuser.execute(
            "UPDATE raters_labelrevision SET user_id = 9 WHERE entry_id = %s AND id %% 40 = 1", [round_.pk]
        )
        superuser.execute(
            "UPDATE raters_labelrevision r SET digest = revision_digest(r) WHERE entry_id = %s",
            [round_.pk],
        )

    first = verify_history(project).faults[0]

    assert first.position == round_.position
    assert "One of the 40 revisions" in first.sentence


def test_a_deleted_revision_is_missed(project):
    deleted = revisions_of(project)[4]
    position = position_of(deleted)
    with tampering("raters_labelrevision") as superuser:
        superuser.execute("DELETE FROM raters_labelrevision WHERE id = %s", [deleted.pk])

    first = verify_history(project).faults[0]

    assert (first.position, first.sentence) == (position, f"The revision of entry {position} was deleted.")


def test_a_deleted_entry_is_missed(project):
    deleted = revisions_of(project)[4]
    position = position_of(deleted)
    with tampering("raters_labelrevision", "core_historyentry") as superuser:
        superuser.execute("DELETE FROM raters_labelrevision WHERE id = %s", [deleted.pk])
        superuser.execute("DELETE FROM core_historyentry WHERE id = %s", [deleted.entry_id])

    assert verify_history(project).faults[0].sentence.startswith(f"Entry {position} is missing")


def test_swapped_revisions_are_named(project):
    a, b = revisions_of(project)[1:3]
    with tampering("raters_labelrevision") as superuser:
        superuser.execute(
            "UPDATE raters_labelrevision r SET rater_id = o.rater_id, label_id = o.label_id"
            " FROM raters_labelrevision o WHERE (r.id, o.id) IN ((%s, %s), (%s, %s))",
            [a.pk, b.pk, b.pk, a.pk],
        )

    faults = verify_history(project).faults

    assert faults[0].position == position_of(a)
    assert f"Revision {a.pk} " in faults[0].sentence


def test_entries_that_change_places_are_named(project):
    a, b = (position_of(each) for each in revisions_of(project)[1:3])
    with tampering("core_historyentry") as superuser:
        superuser.execute(
            "UPDATE core_historyentry SET position = -position WHERE project_id = %s AND position IN (%s, %s)",
            [project.pk, a, b],
        )
        superuser.execute(
            "UPDATE core_historyentry SET position = CASE position WHEN %s THEN %s ELSE %s END"
            " WHERE project_id = %s AND position < 0",
            [-a, b, a, project.pk],
        )

    assert verify_history(project).faults[0].position == a


def test_an_inserted_revision_is_named(project):
    with tampering("raters_labelrevision") as superuser:
        superuser.execute(
            "INSERT INTO raters_labelrevision (label_id, change, item_id, question_id, rater_id, pass_number, revision,"
            " category_id, is_abstention, source, entry_id, digest)"
            " SELECT label_id, 'U', item_id, question_id, rater_id, pass_number, 9, category_id, false, source,"
            " entry_id, digest FROM raters_labelrevision WHERE id = %s RETURNING id",
            [revisions_of(project)[0].pk],
        )
        [(pk,)] = superuser.execute("SELECT max(id) FROM raters_labelrevision").fetchall()

    first = verify_history(project).faults[0]

    assert f"Revision {pk} " in first.sentence or "inserted" in first.sentence


def test_a_cut_end_shows_against_a_head_alone(project):
    with connection.cursor() as cursor:
        head = head_of(project.pk, cursor)
    cut_from = HistoryEntry.objects.get(project_id=project.pk, position=head.position - 1)
    with tampering("projects_event", "core_historyentry") as superuser:
        superuser.execute(
            "DELETE FROM projects_event WHERE project_id = %s AND entry_id >= %s", [project.pk, cut_from.pk]
        )
        superuser.execute(
            "DELETE FROM core_historyentry WHERE project_id = %s AND position >= %s",
            [project.pk, cut_from.position],
        )

    assert verify_history(project).faults == []
    first = verify_history(project, expected=str(head)).faults[0]
    assert first.position == cut_from.position
    assert "was cut" in first.sentence


def test_cut_revisions_show_at_their_labels(project):
    """Without the revisions, a label has no history: one need not have kept a head."""
    last = revisions_of(project)[5]
    with tampering("raters_labelrevision", "core_historyentry") as superuser:
        superuser.execute(
            "DELETE FROM raters_labelrevision WHERE entry_id IN (SELECT id FROM core_historyentry"
            " WHERE project_id = %s AND id >= %s)",
            [project.pk, last.entry_id],
        )
        superuser.execute("DELETE FROM projects_event WHERE false")
        superuser.execute(
            "DELETE FROM core_historyentry WHERE project_id = %s AND id >= %s", [project.pk, last.entry_id]
        )

    assert any("has no history" in fault.sentence for fault in verify_history(project).faults)


@pytest.mark.parametrize(
    "change", ["category_id = category_id - 1", "labelled_at = now() - interval '2 days'"]
)
def test_a_label_that_was_altered_behind_its_history_is_named(project, change):
    label = Label.objects.filter(question__project=project, item__key="i-1", category__key="bad").first()
    with tampering("raters_label") as superuser:
        superuser.execute(f"UPDATE raters_label SET {change} WHERE id = %s", [label.pk])

    [fault] = verify_history(project).faults

    assert fault.sentence.startswith(f"Label {label.pk} does not match its history")


@pytest.mark.parametrize("change", ["about = 'x.csv'", "user_name = 'nobody'", "at = at - interval '1 day'"])
def test_an_altered_event_is_named(project, change):
    event = Event.objects.filter(project_id=project.pk, kind="exported").order_by("id")[1]
    with tampering("projects_event") as superuser:
        superuser.execute(f"UPDATE projects_event SET {change} WHERE id = %s", [event.pk])

    [fault] = verify_history(project).faults

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
def test_a_function_that_lies_deceives_no_verification(project, function):
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
            superuser.execute(change, [project.pk])

        assert verify_history(project).faults != []
    finally:
        with as_superuser() as superuser:
            superuser.execute(truth)


@pytest.mark.parametrize(
    "change",
    ["head_entry = 1", "head_entry = NULL", "head_position = 0", "head_position = NULL", "head_digest = ''"],
)
def test_a_report_whose_head_was_altered_is_named(project, change):
    with connection.cursor() as cursor:
        head = head_of(project.pk, cursor)
    report = Report.objects.create(
        project=project,
        asked_by=cast.person("rea", unique=True),
        head_position=head.position,
        head_entry=head.entry,
        head_digest=head.digest,
    )
    assert verify_history(project).faults == []
    with tampering("reports_report") as superuser:
        superuser.execute(f"UPDATE reports_report SET {change} WHERE id = %s", [report.pk])

    [fault] = verify_history(project).faults

    assert f"Report {report.pk} " in fault.sentence


def test_a_name_gives_way_to_the_pseudonym_of_an_erasure_alone(project):
    record(Event.Kind.PERSON_ERASED, about="erased-1", account=1)
    record(Event.Kind.PERSON_ERASED, about="", account="")
    with tampering("projects_event") as superuser:
        superuser.execute(
            "UPDATE projects_event SET salt = NULL, user_name = 'erased-1 was the lead' WHERE project_id = %s"
            " AND about = 'b.csv'",
            [project.pk],
        )

    [fault] = verify_history(project).faults

    assert "was altered" in fault.sentence


def test_a_deleted_event_is_missed(project):
    event = Event.objects.filter(project_id=project.pk, kind="exported").order_by("id")[1]
    with tampering("projects_event") as superuser:
        superuser.execute("DELETE FROM projects_event WHERE id = %s", [event.pk])

    [fault] = verify_history(project).faults

    assert "was deleted" in fault.sentence


def test_a_chain_rewritten_as_a_whole_shows_against_a_head_alone(project):
    """A superuser may compute every digest again; a head that was kept elsewhere is the only witness."""
    altered = revisions_of(project)[0]
    head = verify_history(project).head
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
            "SELECT id FROM core_historyentry WHERE project_id = %s ORDER BY position", [project.pk]
        ).fetchall():
            [(digest,)] = superuser.execute(
                "UPDATE core_historyentry SET digest = history_entry_digest(%s::bytea, project_id, kind, n_rows,"
                " content, at, position) WHERE id = %s RETURNING digest",
                [digest, pk],
            ).fetchall()

    assert verify_history(project).faults == []
    assert "rewritten" in verify_history(project, expected=head).faults[0].sentence


def test_commits_at_once_make_one_chain(project):
    question = project.questions.get()
    users = [cast.member(project, Membership.Role.RATER, username="many", unique=True) for _ in range(2)]

    def save(number):
        with transaction.atomic():
            add_labels(question, [(f"k-{number}", "ana", "good")])
            # Of the site and of the project, in either order: two transactions must not wait for each other.
            events = [{"project": project}, {"project": None}]
            for where in events if number % 2 else reversed(events):
                record(Event.Kind.EXPORTED, by=users[number % 2], about=f"{number}.csv", **where)

    at_once(24, save)

    assert verify_history(project).faults == []
    assert verify_history(None).faults == []
    positions = HistoryEntry.objects.filter(project_id=project.pk).values_list("position", flat=True)
    assert sorted(positions) == list(range(1, len(positions) + 1))
    assert not HistoryEntry.objects.filter(project_id=SITE, position=None).exists()


def test_what_is_rolled_back_leaves_no_gap(project):
    question = project.questions.get()
    with transaction.atomic():
        add_labels(question, [("k-1", "ana", "good")])
        transaction.set_rollback(True)

    add_labels(question, [("k-2", "ana", "good")])

    assert verify_history(project).faults == []


class TestCommand:
    def test_it_prints_the_head(self, project, capsys):
        call_command("verify_history", project.slug)

        assert verify_history(project).head in capsys.readouterr().out

    def test_it_fails_with_the_first_rows(self, project, capsys):
        altered = revisions_of(project)[3]
        with tampering("raters_labelrevision") as superuser:
            superuser.execute("UPDATE raters_labelrevision SET user_id = 8 WHERE id = %s", [altered.pk])

        with pytest.raises(SystemExit):
            call_command("verify_history", project.slug)

        assert f"Revision {altered.pk} " in capsys.readouterr().out

    @pytest.mark.parametrize("arguments", [[], ["nothing-of-the-kind"], ["x", "--site"]])
    def test_it_says_what_it_needs(self, committed_db, arguments):
        with pytest.raises(CommandError):
            call_command("verify_history", *arguments)

    def test_it_refuses_what_is_no_head(self, project):
        with pytest.raises(CommandError, match="A head is"):
            call_command("verify_history", project.slug, head="12:xyz")


@pytest.mark.parametrize(
    "text",
    ["x", "-1:", "\u0663:", "9" * 19 + ":", "9" * 5000 + ":", f"1:{'A' * 64}", "1:\0", f"1:{'a' * 63}"],
)
def test_what_is_no_head_is_refused_without_repeating_it(text):
    with pytest.raises(BadHead, match="128:") as refused:
        parsed_head(text)

    assert len(str(refused.value)) < 100


def test_page_and_api_name_the_row(project, client):
    lead = cast.member(project, Membership.Role.LEAD, username="lena", unique=True)
    client.force_login(lead)
    altered = revisions_of(project)[3]
    page, api = f"/p/{project.slug}/history/", f"/api/v1/projects/{project.slug}/history/"
    head = client.get(api).json()["head"]
    assert head in client.get(page).content.decode()
    assert (
        client.post(f"{api}verify/", {"head": head}, content_type="application/json").json()["faults"] == []
    )
    with tampering("raters_labelrevision") as superuser:
        superuser.execute("UPDATE raters_labelrevision SET user_id = 8 WHERE id = %s", [altered.pk])

    told = client.post(f"{page}verify/", {"head": head})
    [fault] = client.post(f"{api}verify/", {}, content_type="application/json").json()["faults"]

    assert f"Revision {altered.pk} " in fault["sentence"]
    assert fault["sentence"] in told.content.decode()
    assert client.post(f"{page}verify/", {"head": "no head"}).status_code == 400
