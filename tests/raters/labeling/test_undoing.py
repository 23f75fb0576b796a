"""Undo goes one step back in the history, and is a step of it."""

from uuid import uuid4

import pytest

from projects.models import Question, Round
from raters.labeling.answers import Answer
from raters.labeling.next_assignment import take_next
from raters.labeling.saving import RoundClosed, StaleRevision
from raters.labeling.undoing import NothingToUndo, undo
from raters.models import Assignment, Label, LabelRevision
from tests.working import Work, answer, new_work


@pytest.fixture
def work(committed_db) -> Work:
    """On committed rows: what one saving changed is known by its transaction."""
    return new_work()


def labels(work):
    return Label.objects.filter(rater=work.raters[0])


def revisions(work):
    return LabelRevision.objects.filter(rater_id=work.raters[0].pk).order_by("id")


def take_back(work, seen, *, key=None):
    return undo(work.raters[0], work.assignment().pk, seen, key=key or uuid4(), by=work.user())


def test_undo_writes_the_former_answer_as_a_new_revision(work):
    answer(work, "good", seconds=2)
    answer(work, {"tone": Answer(category="bad", note="sure")}, seen={"tone": 1}, seconds=3)

    saved = take_back(work, {"tone": 2})

    label = labels(work).get()
    assert (label.category.key, label.note, label.seconds, label.revision) == ("good", "", 2, 3)
    assert saved.revisions == {"tone": 3}
    assert list(revisions(work).values_list("change", "revision")) == [
        ("I", 1), ("U", 2), ("U", 3),
    ]  # fmt: skip
    assert revisions(work).get(revision=3).source == "page, undo"


def test_undo_of_the_first_answer_brings_the_item_back(work):
    answer(work, "good")

    saved = take_back(work, {"tone": 1})

    assert saved.revisions == {}
    assert not labels(work).exists()
    assert work.assignment().state == Assignment.State.PENDING
    assert take_next(work.raters[0]) == work.assignment().pk


def test_undo_twice_does_it_again(work):
    answer(work, "good")
    take_back(work, {"tone": 1})

    saved = take_back(work, {})

    assert labels(work).get().category.key == "good"
    assert saved.revisions == {"tone": 3}
    assert work.assignment().state == Assignment.State.DONE


def test_undo_takes_back_all_answers_of_one_saving(work):
    Question.objects.create(project=work.project, key="size", kind=Question.Kind.NUMBER, is_required=False)
    answer(work, {"tone": Answer(category="good"), "size": Answer(number=1.0)})
    answer(work, "bad", seen={"tone": 1, "size": 1})

    saved = take_back(work, {"tone": 2})

    assert labels(work).get(question=work.question).category.key == "good"
    assert labels(work).get(question__key="size").number == 1.0
    assert saved.revisions == {"tone": 3, "size": 3}


def test_undo_sent_twice_happens_once(work):
    key = uuid4()
    answer(work, "good")
    answer(work, "bad", seen={"tone": 1})

    first = take_back(work, {"tone": 2}, key=key)
    again = take_back(work, {"tone": 2}, key=key)

    assert first == again
    assert labels(work).get().category.key == "good"


def test_undo_of_what_was_not_seen_is_refused(work):
    answer(work, "good")
    answer(work, "bad", seen={"tone": 1})

    with pytest.raises(StaleRevision):
        take_back(work, {"tone": 1})


def test_undo_in_a_closed_round_is_refused(work):
    answer(work, "good")
    Round.objects.filter(pk=work.round.pk).update(state=Round.State.CLOSED)

    with pytest.raises(RoundClosed):
        take_back(work, {"tone": 1})


def test_nothing_said_is_nothing_to_undo(work):
    with pytest.raises(NothingToUndo):
        take_back(work, {})


def test_what_somebody_else_changed_is_not_undone(work):
    answer(work, "good")
    labels(work).update(category=work.question.categories.get(key="bad"))

    with pytest.raises(NothingToUndo):
        take_back(work, {"tone": 2})
