"""Saving answers: at once, exactly once, never over what was not seen."""

from uuid import uuid4

import pytest
from django.db import DatabaseError
from django.http import Http404
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projects.models import Category, Project, Question, Round
from raters.labeling import saving
from raters.labeling.answers import Answer, AnswersRefused
from raters.labeling.saving import save_answers
from raters.labeling.saving_records import KeyReused, RoundClosed, StaleRevision, SubmittedAnswers
from raters.models import Assignment, Label, LabelRevision, Submission
from tests.labeling import new_question
from tests.working import answer


def test_an_answer_becomes_a_label_with_its_revision(work):
    saved = answer(work, "good", seconds=4.5)

    label = Label.objects.get()
    assert (label.item, label.rater, label.question) == (work.items[0], work.raters[0], work.question)
    assert (label.category.key, label.round, label.seconds) == ("good", work.round, 4.5)
    assert saved.revisions == {"tone": 1}
    revision = LabelRevision.objects.get()
    assert (revision.user_id, revision.source) == (work.user().pk, "page")
    assert work.assignment().state == Assignment.State.DONE


def test_a_changed_answer_is_a_new_revision(work):
    answer(work, "good", seconds=4)

    saved = answer(work, "bad", seen={"tone": 1}, seconds=2)

    assert saved.revisions == {"tone": 2}
    assert (Label.objects.get().category.key, Label.objects.get().seconds) == ("bad", 6)
    assert list(LabelRevision.objects.order_by("id").values_list("revision", flat=True)) == [1, 2]


def test_the_same_answer_again_leaves_no_revision(work):
    answer(work, "good")

    saved = answer(work, "good", seen={"tone": 1}, seconds=2)

    assert saved.revisions == {"tone": 1}
    assert LabelRevision.objects.count() == 1


def test_a_saving_sent_twice_happens_once(work):
    key = uuid4()

    first = answer(work, "good", key=key)
    second = answer(work, "good", key=key)

    assert first == second
    assert LabelRevision.objects.count() == 1


def test_a_saving_sent_again_after_the_round_closed_is_answered(work):
    key = uuid4()
    first = answer(work, "good", key=key)
    Round.objects.update(state=Round.State.CLOSED)

    assert answer(work, "good", key=key) == first


def test_a_key_used_for_another_body_is_refused(work):
    key = uuid4()
    answer(work, "good", key=key)

    with pytest.raises(KeyReused):
        answer(work, "bad", key=key, seen={"tone": 1})

    assert Label.objects.get().category.key == "good"


def test_a_key_used_for_another_item_is_refused(work):
    key = uuid4()
    answer(work, "good", key=key)

    with pytest.raises(KeyReused):
        answer(work, "good", key=key, place=1)


def test_keys_of_two_people_are_independent(work):
    key = uuid4()

    answer(work, "good", key=key)
    answer(work, "bad", key=key, rater=1)

    assert Label.objects.count() == Submission.objects.count() == 2


@pytest.mark.parametrize("seen", [{}, {"tone": 0}, {"tone": 2}])
def test_what_was_not_seen_is_not_overwritten(work, seen):
    answer(work, "good")

    with pytest.raises(StaleRevision) as refused:
        answer(work, "bad", seen=seen)

    [stale] = refused.value.changed
    assert (stale.question, stale.revision, stale.answer) == ("tone", 1, Answer(category="good"))
    assert Label.objects.get().category.key == "good"
    assert Submission.objects.count() == 1


def test_a_label_that_was_withdrawn_meanwhile_is_stale(work):
    answer(work, "good")
    Label.objects.all().delete()

    with pytest.raises(StaleRevision) as refused:
        answer(work, "bad", seen={"tone": 1})

    assert refused.value.changed[0].answer is None


def test_a_label_made_again_goes_on_counting(work):
    answer(work, "good")
    Label.objects.all().delete()

    saved = answer(work, "good")

    # Revision 2 was its withdrawal; a tab that saw revision 1 must not take this for it.
    assert saved.revisions == {"tone": 3}


def test_the_place_of_another_rater_does_not_exist(work):
    draft = SubmittedAnswers(answers={"tone": Answer(category="good")}, revisions={})

    with pytest.raises(Http404):
        save_answers(work.raters[0], work.assignment(rater=1).pk, draft, key=uuid4(), by=work.user())

    assert not Label.objects.exists()


@pytest.mark.parametrize("state", [Round.State.CLOSED, Round.State.DRAFT])
def test_a_round_that_is_not_open_takes_no_labels(work, state):
    Round.objects.update(state=state)

    with pytest.raises(RoundClosed):
        answer(work, "good")


def test_a_closed_project_takes_no_labels(work):
    Project.objects.update(state=Project.State.CLOSED)

    with pytest.raises(RoundClosed, match="project is closed"):
        answer(work, "good")


def refused(work, answers) -> list[str]:
    with pytest.raises(AnswersRefused) as raised:
        answer(work, answers)
    assert not Label.objects.exists()
    return [fault.code for fault in raised.value.faults]


@pytest.mark.parametrize(
    ("chosen", "code"),
    [
        ({}, "required"),
        ({"tone": Answer()}, "one_value"),
        ({"tone": Answer(category="good", number=1.0)}, "one_value"),
        ({"tone": Answer(category="good", is_abstention=True)}, "one_value"),
        ({"tone": Answer(category="great")}, "unknown_category"),
        ({"tone": Answer(categories=("good",))}, "kind"),
        ({"tone": Answer(number=1.0)}, "kind"),
        ({"tone": Answer(category="good", note="x" * 10_001)}, "too_long"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused(work, chosen, code):
    assert refused(work, chosen) == [code]


def test_an_answer_to_no_question_is_refused(work):
    assert refused(work, {"tone": Answer(category="good"), "mood": Answer(number=1.0)}) == [
        "unknown_question"
    ]


def test_a_category_of_another_project_is_refused(work):
    theirs = new_question(Project.objects.create(name="Other", slug="other-a"), categories=("foreign",))

    assert refused(work, {"tone": Answer(category=theirs.categories.get().key)}) == ["unknown_category"]


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf"), 1e101])
def test_a_number_must_be_finite_and_bounded(work, number):
    Question.objects.create(project=work.project, key="size", kind=Question.Kind.NUMBER)

    chosen = {"tone": Answer(category="good"), "size": Answer(number=number)}

    assert refused(work, chosen) == ["out_of_range"]


def test_all_faults_are_reported_at_once(work):
    Question.objects.create(project=work.project, key="size", kind=Question.Kind.NUMBER)

    assert refused(work, {"tone": Answer(number=1.0)}) == ["kind", "required"]


def test_questions_of_every_kind_are_saved_together(work):
    Question.objects.create(project=work.project, key="size", kind=Question.Kind.NUMBER)
    new_question(work.project, key="themes", categories=("a", "b", "c"), kind=Question.Kind.MULTIPLE)
    new_question(work.project, key="extra", is_required=False)

    saved = answer(
        work,
        {
            "tone": Answer(is_abstention=True, reason="Unreadable", note="See page 2"),
            "size": Answer(number=-2.5),
            "themes": Answer(categories=("c", "a")),
        },
    )

    assert saved.revisions == {"tone": 1, "size": 1, "themes": 1}
    labels = {label.question.key: label for label in Label.objects.all()}
    assert (labels["tone"].is_abstention, labels["tone"].reason, labels["tone"].note) == (
        True, "Unreadable", "See page 2",
    )  # fmt: skip
    assert labels["size"].number == -2.5
    chosen = Category.objects.filter(pk__in=labels["themes"].category_set).values_list("key", flat=True)
    assert list(chosen) == ["a", "c"]
    assert labels["themes"].category_set == sorted(labels["themes"].category_set)


def test_an_empty_set_is_an_answer(work):
    new_question(work.project, key="themes", categories=("a", "b"), kind=Question.Kind.MULTIPLE)

    answer(work, {"tone": Answer(category="good"), "themes": Answer(categories=())})

    assert Label.objects.get(question__key="themes").category_set == []


def test_one_answer_that_does_not_fit_keeps_all_from_being_saved(work):
    new_question(work.project, key="themes", categories=("a", "b"), kind=Question.Kind.MULTIPLE)

    chosen = {"tone": Answer(category="good"), "themes": Answer(categories=("a", "a"))}

    assert refused(work, chosen) == ["duplicate"]


def test_an_optional_answer_that_is_left_out_is_withdrawn(work):
    Question.objects.create(project=work.project, key="size", kind=Question.Kind.NUMBER, is_required=False)
    answer(work, {"tone": Answer(category="good"), "size": Answer(number=1.0)})

    saved = answer(work, "good", seen={"tone": 1, "size": 1})

    assert saved.revisions == {"tone": 1}
    assert list(LabelRevision.objects.order_by("id").values_list("change", flat=True)) == ["I", "I", "D"]


def test_a_repeat_is_a_label_of_its_own(work):
    answer(work, "good")
    again = Assignment.objects.create(
        rater=work.raters[0], item=work.items[0], round=work.round, pass_number=2, position=9
    )
    draft = SubmittedAnswers(answers={"tone": Answer(category="bad")}, revisions={})

    save_answers(work.raters[0], again.pk, draft, key=uuid4(), by=work.user())

    labels = Label.objects.order_by("pass_number").values_list("pass_number", "category__key")
    assert list(labels) == [(1, "good"), (2, "bad")]


def test_what_fails_in_the_database_leaves_nothing(work, monkeypatch):
    def fail(*args, **kwargs):
        raise DatabaseError("lost")

    monkeypatch.setattr(saving, "finish", fail)

    with pytest.raises(DatabaseError):
        answer(work, "good")

    assert not Label.objects.exists()
    assert not Submission.objects.exists()


def test_saving_takes_as_many_queries_with_ten_questions_as_with_one(work, django_assert_max_num_queries):
    for n in range(9):
        new_question(work.project, key=f"more-{n}")
    answers = {f"more-{n}": Answer(category="yes") for n in range(9)} | {"tone": Answer(category="good")}
    place = work.assignment().pk

    with django_assert_max_num_queries(12):
        save_answers(
            work.raters[0],
            place,
            SubmittedAnswers(answers=answers, revisions={}),
            key=uuid4(),
            by=work.user(),
        )


# Everything but what Postgres cannot keep.
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=200)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(note=TEXTS, reason=TEXTS, number=st.floats(-1e100, 1e100))
def test_the_saved_label_is_the_submitted_answer(work, note, reason, number):
    Question.objects.get_or_create(project=work.project, key="size", kind=Question.Kind.NUMBER)
    now = {label.question.key: label.revision for label in Label.objects.select_related("question")}

    answer(
        work,
        {"tone": Answer(is_abstention=True, reason=reason, note=note), "size": Answer(number=number)},
        seen=now,
    )

    label = Label.objects.get(question=work.question)
    assert (label.reason, label.note) == (reason, note)
    assert Label.objects.get(question__key="size").number == number
    last = LabelRevision.objects.filter(label_id=label.pk).order_by("-revision")[0]
    assert (last.reason, last.note) == (reason, note)
