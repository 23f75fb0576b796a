"""A round without labels is reset or deleted; a rater who saves at the same moment loses nothing."""

import threading
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.http import Http404
from django.urls import reverse

from projects.models import Event, Item, Membership, Round
from raters.labeling.answers import Answer
from raters.labeling.next_assignment import next_assignment_of
from raters.labeling.saving import save_answers
from raters.labeling.saving_records import SubmittedAnswers
from raters.labeling.undoing import undo
from raters.models import Assignment, Label
from raters.rounds.assigning.assignment_design import AssignmentDesign, Overlap
from raters.rounds.plan_storage import plan_round, replan
from raters.rounds.resetting import RoundHasLabels, WrongRoundState, delete_round, set_back
from raters.rounds.round_plan import RoundPlan
from raters.rounds.states import close_round, held, open_round, reveal_round
from tests import cast
from tests.live import wait_until
from tests.working import answer, new_work


def test_a_round_is_set_back_to_planned_and_opened_again(work, lead):
    set_back(work.round, by=lead)

    assert (work.round.state, work.round.opened_at) == (Round.State.DRAFT, None)
    assert next_assignment_of(work.raters[0]).own is None
    open_round(work.round, by=lead)
    assert next_assignment_of(work.raters[0]).own == work.assignment(0).pk
    kinds = Event.objects.filter(project_id=work.project.pk).order_by("pk").values_list("kind", flat=True)
    assert list(kinds) == ["round_set_back", "round_opened"]


def test_what_was_taken_on_demand_is_free_again(lead):
    work = new_work(n_items=1, n_raters=1, places=1)
    Assignment.objects.update(rater=work.raters[0], handed_out_at="2026-01-01T00:00Z")

    set_back(work.round, by=lead)

    assert Assignment.objects.get().rater is None


def test_a_round_is_deleted_with_its_assignments(work, lead):
    delete_round(work.round, by=lead)

    assert not Round.objects.exists()
    assert not Assignment.objects.exists()
    assert work.project.items.count() == 3
    event = Event.objects.get(kind="round_deleted")
    assert (event.about, event.user_id, event.detail["n_assignments"]) == ("round 1", lead.pk, 6)


@pytest.mark.parametrize("step", [set_back, delete_round])
def test_a_round_with_labels_stays(work, lead, step):
    answer(work, "good")

    with pytest.raises(RoundHasLabels, match="have labeled in this round"):
        step(work.round, by=lead)

    assert Label.objects.count() == 1
    assert Round.objects.get().state == Round.State.OPEN


@pytest.mark.parametrize("step", [set_back, delete_round])
def test_what_was_taken_back_is_history_of_the_round(work, lead, step):
    """The history speaks of the round: it must not be gone."""
    answer(work, "good")
    undo(work.raters[0], work.assignment().pk, {"tone": 1}, key=uuid4(), by=work.user())
    assert not Label.objects.exists()

    with pytest.raises(RoundHasLabels):
        step(work.round, by=lead)


def test_a_revealed_round_is_not_set_back(work, lead):
    close_round(work.round, by=lead)
    reveal_round(work.round, by=lead)

    with pytest.raises(WrongRoundState, match="revealed"):
        set_back(work.round, by=lead)


def test_a_round_that_was_just_deleted_is_not_there(work, lead):
    pk = work.assignment().pk
    delete_round(Round.objects.get(), by=lead)

    with pytest.raises(Http404):
        close_round(work.round, by=lead)
    with pytest.raises(Http404):
        save_to(work, pk)


def save_to(work, pk):
    draft = SubmittedAnswers(answers={"tone": Answer(category="good")}, revisions={})
    return save_answers(work.raters[0], pk, draft, key=uuid4(), by=work.user())


def in_thread(found, do):
    def run():
        try:
            found.append(do())
        except Exception as error:
            found.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def n_waiting():
    query = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    with connection.cursor() as cursor:
        # In a transaction, what was seen first would be seen forever.
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(query)
        return cursor.fetchone()[0]


@pytest.fixture
def shared_work(committed_db):
    return new_work(n_items=2, n_raters=1)


def test_who_saves_first_keeps_the_round(shared_work):
    """The lead deletes while an answer is being saved: the deletion waits, and finds the label."""
    lead = cast.member(shared_work.project, Membership.Role.LEAD, username="lead", unique=True)
    found: list = []

    with transaction.atomic():
        answer(shared_work, "good")
        thread = in_thread(found, lambda: delete_round(shared_work.round, by=lead))
        wait_until(n_waiting)
    thread.join()

    assert isinstance(found[0], RoundHasLabels)
    assert Label.objects.filter(round=shared_work.round).count() == 1


def test_saving_into_a_deleted_round_shows_an_error(shared_work):
    """The other way round: the saving waits for the deletion, and neither ends in a deadlock."""
    lead = cast.member(shared_work.project, Membership.Role.LEAD, username="lead", unique=True)
    found: list = []

    pk = shared_work.assignment().pk

    with transaction.atomic():
        delete_round(shared_work.round, by=lead)
        thread = in_thread(found, lambda: save_to(shared_work, pk))
        wait_until(n_waiting)
    thread.join()

    assert isinstance(found[0], Http404)
    assert not Label.objects.filter(question=shared_work.question).exists()


def test_who_opens_the_next_item_while_the_round_is_set_back(shared_work):
    lead = cast.member(shared_work.project, Membership.Role.LEAD, username="lead", unique=True)
    found: list = []

    with transaction.atomic():
        held(shared_work.round)
        set_back(shared_work.round, by=lead)
        pk = shared_work.assignment().pk
        thread = in_thread(found, lambda: save_to(shared_work, pk))
        wait_until(n_waiting)
    thread.join()

    assert "not open yet" in str(found[0])
    client = cast.signed_in(shared_work.user())
    page = client.get(reverse("label_item", args=[shared_work.project.slug, pk]))
    assert page.status_code == 404


def test_saving_while_the_round_is_replanned(shared_work):
    """Saving locks the assignment before the round, and so does planning: neither waits for the other in a circle."""
    lead = cast.member(shared_work.project, Membership.Role.LEAD, username="lead", unique=True)
    Item.objects.bulk_create(Item(project=shared_work.project, key=f"new-{n}") for n in range(4))
    plan = RoundPlan(overlap=Overlap(AssignmentDesign.EVERYONE), seed=1)
    round_ = plan_round(shared_work.project, "second", plan, [shared_work.user()], by=lead)
    # Neither in hand nor fetched ahead: it is planned anew.
    pk = round_.assignments.latest("position").pk
    found: list = []

    with transaction.atomic():
        Assignment.objects.select_for_update(no_key=True).get(pk=pk)
        thread = in_thread(found, lambda: replan(round_, [shared_work.user()], by=lead, seed=2))
        wait_until(n_waiting)
        with connection.cursor() as cursor:
            cursor.execute("SELECT FROM projects_batch WHERE id = %s FOR SHARE NOWAIT", [round_.pk])
    thread.join()

    assert found == [None]
