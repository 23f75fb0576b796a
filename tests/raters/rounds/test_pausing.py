"""A pause hands out nothing and loses nothing."""

from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from projects.models import Event, Round
from raters.labeling.answers import Answer
from raters.labeling.next_assignment import next_assignment_of, take_next_assignment
from raters.labeling.own_rounds import own_rounds
from raters.labeling.saving import save_answers
from raters.labeling.saving_records import SubmittedAnswers
from raters.models import Assignment, Label
from raters.rounds.pausing import pause_round, resume_round
from raters.rounds.states import WrongRoundState, close_round, open_round
from tests import cast
from tests.working import answer, new_work


def save(work, place=0, label="good"):
    draft = SubmittedAnswers(answers={"tone": Answer(category=label)}, revisions={})
    return save_answers(work.raters[0], work.assignment(place).pk, draft, key=uuid4(), by=work.user())


def test_a_paused_round_hands_out_nothing_until_it_goes_on(work, lead):
    pause_round(work.round, by=lead, note="The codebook changes.")

    assert take_next_assignment(work.raters[0]) is None
    assert next_assignment_of(work.raters[0]).own is None
    [own] = own_rounds(work.raters[0])
    assert (own.key, own.n_left, own.paused_by, own.note) == ("round 1", 3, "lena", "The codebook changes.")

    resume_round(work.round, by=lead)

    assert take_next_assignment(work.raters[0]) == work.assignment().pk
    assert (work.round.paused_at, work.round.paused_by, work.round.pause_note) == (None, None, "")
    kinds = (
        Event.objects.filter(project_id=work.project.pk)
        .order_by("pk")
        .values_list("kind", "user_id", "about")
    )
    assert list(kinds) == [("round_paused", lead.pk, "round 1"), ("round_resumed", lead.pk, "round 1")]


def test_another_round_goes_on(work, lead):
    other = Round.objects.create(project=work.project, key="round 2", position=1)
    own = Assignment.objects.filter(rater=work.raters[0], item=work.items[2])
    own.update(round=other)

    pause_round(work.round, by=lead)

    assert take_next_assignment(work.raters[0]) == own.get().pk


def test_free_items_wait_and_stay_with_who_took_them(lead):
    work = new_work(n_items=2, n_raters=2, places=1)
    taken = take_next_assignment(work.raters[0])
    pause_round(work.round, by=lead)
    assert take_next_assignment(work.raters[1]) is None
    Assignment.objects.filter(pk=taken).update(last_seen_at="2020-01-01T00:00Z")

    resume_round(work.round, by=lead)

    # The time of the pause is not idle.
    assert take_next_assignment(work.raters[1]) not in {None, taken}
    assert Assignment.objects.get(pk=taken).rater == work.raters[0]


def test_completed_labels_are_saved_and_the_page_notified(work, lead):
    pause_round(work.round, by=lead)

    assert save(work).is_paused

    assert Label.objects.get().category.key == "good"
    assert Assignment.objects.get(pk=work.assignment().pk).state == "done"
    resume_round(work.round, by=lead)
    assert not save(work, place=1).is_paused


def test_the_same_again_changes_nothing(work, lead):
    pause_round(work.round, by=lead, note="Wait")
    before = Round.objects.values().get()

    pause_round(work.round, by=lead, note="Another")

    assert Round.objects.values().get() == before
    resume_round(work.round, by=lead)
    resume_round(work.round, by=lead)
    assert Event.objects.filter(kind="round_resumed").count() == 1


@pytest.mark.parametrize("step", [pause_round, resume_round])
def test_only_an_open_round_is_paused_or_resumed(work, lead, step):
    close_round(work.round, by=lead)

    with pytest.raises(WrongRoundState, match="not open"):
        step(work.round, by=lead)


def test_closing_ends_the_pause(work, lead):
    pause_round(work.round, by=lead)

    close_round(work.round, by=lead)

    open_round(work.round, by=lead)
    assert not work.round.is_paused


def test_the_database_knows_no_paused_round_that_is_closed(work):
    with pytest.raises(IntegrityError, match="batch_paused_is_open"), transaction.atomic():
        Round.objects.update(state="closed", paused_at=timezone.now())


def test_a_rater_sees_who_paused_and_what_to_do(work, lead):
    pause_round(work.round, by=lead, note="Back on Monday.")
    client = cast.signed_in(work.user())
    slug = work.project.slug

    pages = [
        client.get(reverse("label", args=[slug])),
        client.get(reverse("label_item", args=[slug, work.assignment().pk])),
    ]

    for page in pages:
        shown = page.content.decode()
        assert "data-paused" in shown
        assert "by lena" in shown
        assert "Back on Monday." in shown
    assert "by lena: Back on Monday." in client.get(reverse("project", args=[slug])).content.decode()
    assert "data-closed" in pages[1].content.decode()


def test_an_answer_sent_without_a_script_is_saved(work, lead):
    client = cast.signed_in(work.user())
    address = reverse("label_item", args=[work.project.slug, work.assignment().pk])
    client.get(address)
    pause_round(work.round, by=lead)
    category = work.question.categories.get(key="fair")
    sent = {
        "key": str(uuid4()),
        f"answer-{work.question.pk}": category.pk,
        f"revision-{work.question.pk}": 0,
    }

    page = client.post(address, sent, follow=True)

    assert "data-paused" in page.content.decode()


def test_others_of_the_project_are_not_concerned(work, lead):
    answer(work, "good", rater=1)
    pause_round(work.round, by=lead)

    assert Label.objects.count() == 1
