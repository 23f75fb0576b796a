"""Undo goes one step back in the history, and is a step of it."""

from uuid import uuid4

import pytest

from projects.models import Question, Round
from raters.labeling.answers import Answer
from raters.labeling.next_assignment import take_next_assignment
from raters.labeling.saving_records import RoundClosed, StaleRevision
from raters.labeling.undoing import NoLabelsToUndo, undo, undone_answers
from raters.models import Assignment, Label, LabelRevision
from tests.working import answer


def labels(work):
    return Label.objects.filter(rater=work.raters[0])


def revisions(work):
    return LabelRevision.objects.filter(rater_id=work.raters[0].pk).order_by("id")


def take_back(work, seen, *, key=None):
    return undo(work.raters[0], work.assignment().pk, seen, key=key or uuid4(), by=work.user())


def test_undo_writes_the_former_answer_as_a_new_revision(committed_work):
    answer(committed_work, "good", seconds=2)
    answer(committed_work, {"tone": Answer(category="bad", note="sure")}, seen={"tone": 1}, seconds=3)

    saved = take_back(committed_work, {"tone": 2})

    label = labels(committed_work).get()
    assert (label.category.key, label.note, label.seconds, label.revision) == ("good", "", 2, 3)
    assert saved.revisions == {"tone": 3}
    assert list(revisions(committed_work).values_list("change", "revision")) == [
        ("I", 1), ("U", 2), ("U", 3),
    ]  # fmt: skip
    assert revisions(committed_work).get(revision=3).source == "page, undo"


def test_undo_of_the_first_answer_brings_the_item_back(committed_work):
    answer(committed_work, "good")

    saved = take_back(committed_work, {"tone": 1})

    assert saved.revisions == {}
    assert not labels(committed_work).exists()
    assert committed_work.assignment().state == Assignment.State.PENDING
    assert take_next_assignment(committed_work.raters[0]) == committed_work.assignment().pk


def test_undo_twice_does_it_again(committed_work):
    answer(committed_work, "good")
    take_back(committed_work, {"tone": 1})

    saved = take_back(committed_work, {})

    assert labels(committed_work).get().category.key == "good"
    assert saved.revisions == {"tone": 3}
    assert committed_work.assignment().state == Assignment.State.DONE


def test_undo_takes_back_all_answers_of_one_saving(committed_work):
    Question.objects.create(
        project=committed_work.project, key="size", kind=Question.Kind.NUMBER, is_required=False
    )
    answer(committed_work, {"tone": Answer(category="good"), "size": Answer(number=1.0)})
    answer(committed_work, "bad", seen={"tone": 1, "size": 1})

    saved = take_back(committed_work, {"tone": 2})

    assert labels(committed_work).get(question=committed_work.question).category.key == "good"
    assert labels(committed_work).get(question__key="size").number == 1.0
    assert saved.revisions == {"tone": 3, "size": 3}


def test_undo_sent_twice_happens_once(committed_work):
    key = uuid4()
    answer(committed_work, "good")
    answer(committed_work, "bad", seen={"tone": 1})

    first = take_back(committed_work, {"tone": 2}, key=key)
    again = take_back(committed_work, {"tone": 2}, key=key)

    assert first == again
    assert labels(committed_work).get().category.key == "good"


def test_undo_of_what_was_not_seen_is_refused(committed_work):
    answer(committed_work, "good")
    answer(committed_work, "bad", seen={"tone": 1})

    with pytest.raises(StaleRevision):
        take_back(committed_work, {"tone": 1})


def test_undo_in_a_closed_round_is_refused(committed_work):
    answer(committed_work, "good")
    Round.objects.filter(pk=committed_work.round.pk).update(state=Round.State.CLOSED)

    with pytest.raises(RoundClosed):
        take_back(committed_work, {"tone": 1})


def test_without_an_answer_there_is_nothing_to_undo(committed_work):
    with pytest.raises(NoLabelsToUndo):
        take_back(committed_work, {})


def test_what_somebody_else_changed_is_not_undone(committed_work):
    answer(committed_work, "good")
    labels(committed_work).update(category=committed_work.question.categories.get(key="bad"))

    with pytest.raises(NoLabelsToUndo):
        take_back(committed_work, {"tone": 2})


def given_back(work):
    return undone_answers(work.raters[0], work.assignment(), [work.question])


def test_an_undone_answer_is_restored_until_it_is_saved_again(committed_work):
    answer(committed_work, "good")
    answer(committed_work, {"tone": Answer(category="bad", note="sure")}, seen={"tone": 1})
    assert given_back(committed_work) == {}

    take_back(committed_work, {"tone": 2})
    assert given_back(committed_work) == {"tone": Answer(category="bad", note="sure")}

    answer(committed_work, "fair", seen={"tone": 3})
    assert given_back(committed_work) == {}
