"""Labels and revisions that a superuser altered, and what verifying the history says of them (P4)."""

import pytest

from core.models import HistoryEntry
from raters.models import Label, LabelRevision
from reports.store.history_verification import verify_history
from tests.reports.provenance.tampering import position_of, revisions_of, tampering


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
        "text = 'another'",
        "from_suggestion = true",
        "old_value = jsonb_build_object('id', label_id)",
    ],
)
def test_an_altered_revision_is_named(chained_project, change):
    altered = revisions_of(chained_project)[3]
    with tampering("raters_labelrevision") as superuser:
        superuser.execute(f"UPDATE raters_labelrevision SET {change} WHERE id = %s", [altered.pk])

    first = verify_history(chained_project).faults[0]

    assert first.position == position_of(altered)
    assert f"Revision {altered.pk} " in first.sentence
    assert "was altered" in first.sentence


def test_an_altered_revision_of_a_round_is_named(chained_project):
    round_ = HistoryEntry.objects.get(project_id=chained_project.pk, kind="R", n_rows=40)
    altered = LabelRevision.objects.filter(entry_id=round_.pk).order_by("id")[17]
    with tampering("raters_labelrevision") as superuser:
        superuser.execute("UPDATE raters_labelrevision SET user_id = 9 WHERE id = %s", [altered.pk])

    first = verify_history(chained_project).faults[0]

    assert (first.position, f"Revision {altered.pk} " in first.sentence) == (round_.position, True)


def test_forging_the_digest_too_changes_the_entry(chained_project):
    round_ = HistoryEntry.objects.get(project_id=chained_project.pk, kind="R", n_rows=40)
    with tampering("raters_labelrevision") as superuser:
        superuser.execute(
            "UPDATE raters_labelrevision SET user_id = 9 WHERE entry_id = %s AND id %% 40 = 1", [round_.pk]
        )
        superuser.execute(
            "UPDATE raters_labelrevision r SET digest = revision_digest(r) WHERE entry_id = %s",
            [round_.pk],
        )

    first = verify_history(chained_project).faults[0]

    assert first.position == round_.position
    assert "One of the 40 revisions" in first.sentence


def test_a_deleted_revision_is_missed(chained_project):
    deleted = revisions_of(chained_project)[4]
    position = position_of(deleted)
    with tampering("raters_labelrevision") as superuser:
        superuser.execute("DELETE FROM raters_labelrevision WHERE id = %s", [deleted.pk])

    first = verify_history(chained_project).faults[0]

    assert (first.position, first.sentence) == (position, f"The revision of entry {position} was deleted.")


def test_swapped_revisions_are_named(chained_project):
    a, b = revisions_of(chained_project)[1:3]
    with tampering("raters_labelrevision") as superuser:
        superuser.execute(
            "UPDATE raters_labelrevision r SET rater_id = o.rater_id, label_id = o.label_id"
            " FROM raters_labelrevision o WHERE (r.id, o.id) IN ((%s, %s), (%s, %s))",
            [a.pk, b.pk, b.pk, a.pk],
        )

    faults = verify_history(chained_project).faults

    assert faults[0].position == position_of(a)
    assert f"Revision {a.pk} " in faults[0].sentence


def test_an_inserted_revision_is_named(chained_project):
    with tampering("raters_labelrevision") as superuser:
        superuser.execute(
            "INSERT INTO raters_labelrevision (label_id, change, item_id, question_id, rater_id, pass_number, revision,"
            " category_id, is_abstention, source, entry_id, digest)"
            " SELECT label_id, 'U', item_id, question_id, rater_id, pass_number, 9, category_id, false, source,"
            " entry_id, digest FROM raters_labelrevision WHERE id = %s RETURNING id",
            [revisions_of(chained_project)[0].pk],
        )
        [(pk,)] = superuser.execute("SELECT max(id) FROM raters_labelrevision").fetchall()

    first = verify_history(chained_project).faults[0]

    assert f"Revision {pk} " in first.sentence or "inserted" in first.sentence


def test_cut_revisions_show_at_their_labels(chained_project):
    """Without the revisions, a label has no history: one need not have kept a head."""
    last = revisions_of(chained_project)[5]
    with tampering("raters_labelrevision", "core_historyentry") as superuser:
        superuser.execute(
            "DELETE FROM raters_labelrevision WHERE entry_id IN (SELECT id FROM core_historyentry"
            " WHERE project_id = %s AND id >= %s)",
            [chained_project.pk, last.entry_id],
        )
        superuser.execute("DELETE FROM projects_event WHERE false")
        superuser.execute(
            "DELETE FROM core_historyentry WHERE project_id = %s AND id >= %s",
            [chained_project.pk, last.entry_id],
        )

    assert any("has no history" in fault.sentence for fault in verify_history(chained_project).faults)


@pytest.mark.parametrize(
    "change", ["category_id = category_id - 1", "labelled_at = now() - interval '2 days'"]
)
def test_a_label_that_was_altered_behind_its_history_is_named(chained_project, change):
    label = Label.objects.filter(
        question__project=chained_project, item__key="i-1", category__key="bad"
    ).first()
    with tampering("raters_label") as superuser:
        superuser.execute(f"UPDATE raters_label SET {change} WHERE id = %s", [label.pk])

    [fault] = verify_history(chained_project).faults

    assert fault.sentence.startswith(f"Label {label.pk} does not match its history")
