"""A history that nobody altered verifies, however many wrote it at once."""

from django.db import transaction

from core.models import SITE, HistoryEntry
from projects.events import record
from projects.models import Event, Membership
from reports.store.history_verification import verify_history
from tests import cast
from tests.labeling import add_labels
from tests.together import at_once


def test_an_honest_history_verifies(chained_project):
    found = verify_history(chained_project)

    assert found.faults == []
    # One entry holds 40 revisions; ten hold one, and three an event, beside that of the project's own making.
    assert (found.n_revisions, found.n_events) == (49, found.n_entries - 10)
    assert verify_history(chained_project, expected=found.head).faults == []


def test_commits_at_once_make_one_chain(chained_project):
    question = chained_project.questions.get()
    users = [
        cast.member(chained_project, Membership.Role.RATER, username="many", unique=True) for _ in range(2)
    ]

    def save(number):
        with transaction.atomic():
            add_labels(question, [(f"k-{number}", "ana", "good")])
            # Of the site and of the project, in either order: two transactions must not wait for each other.
            events = [{"project": chained_project}, {"project": None}]
            for where in events if number % 2 else reversed(events):
                record(Event.Kind.EXPORTED, by=users[number % 2], about=f"{number}.csv", **where)

    at_once(24, save)

    assert verify_history(chained_project).faults == []
    assert verify_history(None).faults == []
    positions = HistoryEntry.objects.filter(project_id=chained_project.pk).values_list("position", flat=True)
    assert sorted(positions) == list(range(1, len(positions) + 1))
    assert not HistoryEntry.objects.filter(project_id=SITE, position=None).exists()


def test_what_is_rolled_back_leaves_no_gap(chained_project):
    question = chained_project.questions.get()
    with transaction.atomic():
        add_labels(question, [("k-1", "ana", "good")])
        transaction.set_rollback(True)

    add_labels(question, [("k-2", "ana", "good")])

    assert verify_history(chained_project).faults == []
