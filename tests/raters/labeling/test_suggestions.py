"""A label that was accepted from a suggestion, and what becomes of the mark when its rater answers again."""

from uuid import uuid4

from raters.labeling.undoing import undo
from raters.models import Label, LabelRevision
from reports.store.history_verification import verify_history
from tests.working import answer


def test_another_answer_of_the_rater_is_no_suggestion_and_undoing_brings_it_back(committed_work):
    work = committed_work
    answer(work, "good")
    Label.objects.filter(rater=work.raters[0]).update(from_suggestion=True)

    answer(work, "bad", seen={"tone": 2})
    assert Label.objects.get(rater=work.raters[0]).from_suggestion is False

    undo(work.raters[0], work.assignment().pk, {"tone": 3}, key=uuid4(), by=work.user())
    assert Label.objects.get(rater=work.raters[0]).from_suggestion is True


def test_the_history_holds_with_marks_and_without(committed_work):
    answer(committed_work, "good")
    own = Label.objects.filter(rater=committed_work.raters[0])
    own.update(from_suggestion=True)
    own.update(from_suggestion=False)

    assert verify_history(committed_work.project).faults == []
    of_own = LabelRevision.objects.filter(rater_id=committed_work.raters[0].pk)
    marks = of_own.order_by("id").values_list("from_suggestion", flat=True)
    assert list(marks) == [False, True, False]
