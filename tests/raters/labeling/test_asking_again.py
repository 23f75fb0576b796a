"""A required question that comes late: whose answer is missing, and asking again for this question only."""

import json
from uuid import uuid4

import pytest
from django.urls import reverse

from core.refusals import Refused
from projects.codebook.questions import delete_question
from projects.models import Event, Membership, Question, Round
from raters.labeling.answers import Answer, AnswersRefused
from raters.labeling.asking import NoAssignmentsToAsk, ask_again, n_to_ask
from raters.labeling.assignment_context import assignment_context
from raters.labeling.missing_answers import missing_answers_for
from raters.labeling.next_assignment import next_assignment_of, take_next_assignment
from raters.labeling.saving import save_answers
from raters.labeling.saving_records import StaleRevision, SubmittedAnswers
from raters.labeling.undoing import undo
from raters.models import Assignment, Label, LabelRevision
from raters.progress.next_steps import next_steps
from raters.progress.progress_figures import figures_of
from raters.rounds.states import close_round
from tests import cast
from tests.labeling import new_question
from tests.working import answer, new_work


@pytest.fixture
def late(db):
    """Two items labeled by two raters, all done; then a second required question comes."""
    work = new_work(n_items=2, usernames=["ana", "ben"])
    for rater in (0, 1):
        for place in (0, 1):
            answer(work, {"tone": Answer(category="good", note="Mine")}, place=place, rater=rater)
    return work


@pytest.fixture
def size(late):
    return new_question(late.project, key="size", categories=("small", "large"), position=1)


@pytest.fixture
def asking_lead(late):
    return cast.member(late.project, Membership.Role.LEAD, username="lea")


def counts(work):
    return [
        (each.question.key, each.n, each.n_asked)
        for each in missing_answers_for(work.project, by=cast.person("onlooker", unique=True))
    ]


def save(work, answers, *, place=0, rater=0, seen=None, key=None):
    draft = SubmittedAnswers({q: Answer(category=c) for q, c in answers.items()}, seen or {})
    assignment = work.assignment(place, rater)
    return save_answers(work.raters[rater], assignment.pk, draft, key=key or uuid4(), by=work.user(rater))


def stored_answers(work, place=0, rater=0):
    own = Label.objects.filter(item=work.items[place], rater=work.raters[rater])
    return {label.question.key: label.category.key for label in own.select_related("question", "category")}


def test_assignments_done_before_a_required_question_have_no_answer(late, size):
    assert counts(late) == [("size", 4, 0)]
    figures = figures_of(late.project)
    assert [[(each.sentence, each.n) for each in row.missing_answers] for row in figures.raters] == [
        [("2 assignments have no answer to size", 2)],
        [("2 assignments have no answer to size", 2)],
    ]
    assert [each.n for each in figures.rounds[0].missing_answers] == [4]


def test_an_optional_question_has_no_missing_answers(late, size):
    Question.objects.filter(pk=size.pk).update(is_required=False)

    assert counts(late) == []


def test_a_withdrawn_item_has_no_missing_answers(late, size, asking_lead):
    late.project.items.filter(pk=late.items[0].pk).update(withdrawn_at="2026-01-01T00:00Z")

    assert counts(late) == [("size", 2, 0)]


def test_a_round_is_not_labeled_while_answers_are_missing(late, size):
    sentences = [step.sentence for step in next_steps(late.project, figures_of(late.project))]

    assert "In round 1, 4 assignments have no answer to size." in sentences
    assert "All items in round 1 are labeled." not in sentences
    Question.objects.filter(pk=size.pk).update(is_required=False)
    sentences = [step.sentence for step in next_steps(late.project, figures_of(late.project))]
    assert "All items in round 1 are labeled." in sentences


def test_asking_again_brings_them_back_to_their_raters_with_this_question_alone(late, size, asking_lead):
    assert next_assignment_of(late.raters[0]).own is None

    assert ask_again(late.project, size, by=asking_lead) == 4

    assert counts(late) == [("size", 4, 4)]
    upcoming = take_next_assignment(late.raters[0])
    shown = assignment_context(late.raters[0], upcoming)
    assert [question.key for question in shown.questions] == ["size"]
    assert [(q.key, a.category, a.note) for q, a in shown.existing_answers] == [("tone", "good", "Mine")]
    assert stored_answers(late) == {"tone": "good"}
    event = Event.objects.filter(kind=Event.Kind.ROUND_CHANGED).get()
    assert (event.about, event.detail["asked_again"], event.detail["n_assignments"]) == ("round 1", "size", 4)


def test_the_answer_to_one_question_leaves_all_others(late, size, asking_lead):
    ask_again(late.project, size, by=asking_lead)
    n_revisions = LabelRevision.objects.count()
    key = uuid4()

    saved = save(late, {"size": "large"}, key=key)

    assert saved.revisions == {"size": 1}
    assert stored_answers(late) == {"tone": "good", "size": "large"}
    assert Label.objects.get(question=late.question, item=late.items[0], rater=late.raters[0]).note == "Mine"
    assert LabelRevision.objects.count() == n_revisions + 1
    assert late.assignment().state == Assignment.State.DONE
    assert counts(late) == [("size", 3, 3)]
    # Sent again after a lost answer, it is the same saving.
    assert save(late, {"size": "large"}, key=key) == saved
    # Afterwards the rater goes back to an item with all its questions.
    assert [q.key for q in assignment_context(late.raters[0], late.assignment().pk).questions] == [
        "tone",
        "size",
    ]


def test_the_question_is_required_still(late, size, asking_lead):
    ask_again(late.project, size, by=asking_lead)

    with pytest.raises(AnswersRefused):
        save(late, {}, seen={"size": 0})
    assert stored_answers(late) == {"tone": "good"}


def test_a_page_that_was_open_before_saves_all_answers_as_ever(late, size, asking_lead):
    """It holds the whole codebook: what it changed is neither lost nor mixed with what stands."""
    ask_again(late.project, size, by=asking_lead)

    with pytest.raises(StaleRevision):
        save(late, {"tone": "bad", "size": "small"})
    save(late, {"tone": "bad", "size": "small"}, seen={"tone": 1})

    assert stored_answers(late) == {"tone": "bad", "size": "small"}


def test_a_second_tab_does_not_overwrite_the_answer(late, size, asking_lead):
    ask_again(late.project, size, by=asking_lead)
    save(late, {"size": "large"})

    with pytest.raises(StaleRevision):
        save(late, {"size": "small"})
    assert stored_answers(late) == {"tone": "good", "size": "large"}


def test_undo_takes_back_this_answer_alone(committed_db):
    """On committed rows: what one saving changed is known by its transaction."""
    work = new_work(n_items=1, n_raters=1)
    answer(work, "good")
    size = new_question(work.project, key="size", categories=("small", "large"), position=1)
    lead = cast.member(work.project, Membership.Role.LEAD, username="lea", unique=True)
    ask_again(work.project, size, by=lead)
    save(work, {"size": "large"})

    undone = undo(work.raters[0], work.assignment().pk, {"size": 1}, key=uuid4(), by=work.user())

    assert undone.revisions == {}
    assert stored_answers(work) == {"tone": "good"}
    assert work.assignment().state == Assignment.State.PENDING
    assert [q.key for q in assignment_context(work.raters[0], work.assignment().pk).questions] == ["size"]
    with pytest.raises(StaleRevision):
        undo(work.raters[0], work.assignment().pk, {"size": 1}, key=uuid4(), by=work.user())


def test_a_mark_that_the_guidelines_leave_it_open_stays(late, size, asking_lead):
    Assignment.objects.filter(pk=late.assignment().pk).update(is_guideline_unclear=True)
    ask_again(late.project, size, by=asking_lead)

    save(late, {"size": "large"})

    assert late.assignment().is_guideline_unclear


def test_two_questions_are_asked_together(late, size, asking_lead):
    ask_again(late.project, size, by=asking_lead)
    save(late, {"size": "large"})
    color = new_question(late.project, key="color", categories=("red", "blue"), position=2)

    assert counts(late) == [("size", 3, 3), ("color", 4, 0)]
    ask_again(late.project, color, by=asking_lead)

    assert counts(late) == [("size", 3, 3), ("color", 4, 4)]
    assert [q.key for q in assignment_context(late.raters[0], late.assignment().pk).questions] == ["color"]
    assert [q.key for q in assignment_context(late.raters[0], late.assignment(1).pk).questions] == [
        "size",
        "color",
    ]


def test_what_is_asked_again_is_handed_to_nobody_else(db, lead_of_places):
    work, lead = lead_of_places
    size = new_question(work.project, key="size", position=1)
    ask_again(work.project, size, by=lead)
    Assignment.objects.update(last_seen_at="2020-01-01T00:00Z")

    assert next_assignment_of(work.raters[1]).is_free is False


@pytest.fixture
def lead_of_places(db):
    work = new_work(n_items=1, places=1, usernames=["ana", "ben"])
    taken = take_next_assignment(work.raters[0])
    save_answers(
        work.raters[0],
        taken,
        SubmittedAnswers({"tone": Answer(category="good")}, {}),
        key=uuid4(),
        by=work.user(0),
    )
    return work, cast.member(work.project, Membership.Role.LEAD, username="lea")


@pytest.mark.parametrize("why", ["closed round", "closed project", "left", "reference shown", "asked before"])
def test_nobody_is_asked_who_cannot_answer(late, size, asking_lead, why):
    if why == "closed round":
        close_round(late.round, by=asking_lead)
    elif why == "closed project":
        type(late.project).objects.filter(pk=late.project.pk).update(state="closed")
        late.project.refresh_from_db()
    elif why == "left":
        Membership.objects.filter(project=late.project, role=Membership.Role.RATER).delete()
    elif why == "reference shown":
        Assignment.objects.update(reference_shown_at="2026-01-01T00:00Z")
    else:
        ask_again(late.project, size, by=asking_lead)
    before = list(Assignment.objects.order_by("pk").values())

    assert n_to_ask(late.project, size, by=asking_lead) == 0
    with pytest.raises(Refused):
        ask_again(late.project, size, by=asking_lead)
    assert list(Assignment.objects.order_by("pk").values()) == before


def test_one_round_alone(late, size, asking_lead):
    other = Round.objects.create(project=late.project, key="round 2", state=Round.State.OPEN, position=1)

    with pytest.raises(NoAssignmentsToAsk):
        ask_again(late.project, size, by=asking_lead, round_=other)
    assert ask_again(late.project, size, by=asking_lead, round_=late.round) == 4


def test_deleting_the_question_ends_the_asking(late, size, asking_lead):
    ask_again(late.project, size, by=asking_lead)

    delete_question(size, by=asking_lead)

    states = Assignment.objects.values_list("state", "asked_again").distinct()
    assert list(states) == [("done", [])]


def test_the_page_shows_this_question_and_its_usual_keys(late, size, asking_lead, client):
    client.force_login(late.user())
    whole = client.get(reverse("label_item", args=[late.project.slug, late.assignment().pk]))
    ask_again(late.project, size, by=asking_lead)

    page = client.get(reverse("label_item", args=[late.project.slug, late.assignment().pk]))

    keys = {row.question.key: [key for _, key, _ in row.choices] for row in page.context["rows"]}
    of_whole = {row.question.key: [key for _, key, _ in row.choices] for row in whole.context["rows"]}
    assert keys == {"size": of_whole["size"]}
    assert 'id="asked-again"' in page.content.decode()
    assert page.context["note"] == ""


def test_without_scripts_the_form_saves_it(late, size, asking_lead, client):
    client.force_login(late.user())
    ask_again(late.project, size, by=asking_lead)
    address = reverse("label_item", args=[late.project.slug, late.assignment().pk])
    large = size.categories.get(key="large")

    response = client.post(
        address, {f"answer-{size.pk}": large.pk, f"revision-{size.pk}": 0, "key": uuid4(), "note": ""}
    )

    assert response.status_code == 302
    assert stored_answers(late) == {"tone": "good", "size": "large"}


def test_a_form_of_all_questions_is_shown_again_with_all(late, size, asking_lead, client):
    client.force_login(late.user())
    ask_again(late.project, size, by=asking_lead)
    address = reverse("label_item", args=[late.project.slug, late.assignment().pk])
    bad = late.question.categories.get(key="bad")

    response = client.post(
        address, {f"answer-{late.question.pk}": bad.pk, f"revision-{late.question.pk}": 1, "key": uuid4()}
    )

    assert response.status_code == 400
    assert [row.question.key for row in response.context["rows"]] == ["tone", "size"]
    assert stored_answers(late) == {"tone": "good"}


def test_the_rater_does_not_see_that_all_is_done(late, size, client):
    client.force_login(late.user())

    page = client.get(reverse("label", args=[late.project.slug])).content.decode()

    assert "All done" not in page
    assert 'id="missing-answers"' in page


def test_a_program_asks_lists_and_answers(late, size, asking_lead, client):
    client.force_login(asking_lead)
    address = reverse("api_missing_answers", args=[late.project.slug])

    listed = client.get(f"{address}?question=size&rater={late.raters[0].key}").json()
    assert [(row["item"], row["is_asked_again"]) for row in listed["results"]] == [
        ("item-1", False),
        ("item-2", False),
    ]
    done = client.post(address, json.dumps({"question": "size"}), content_type="application/json")
    assert done.json() == {"question": "size", "n_asked": 4}
    progress = client.get(reverse("api_progress", args=[late.project.slug])).json()
    assert progress["missing_answers"] == [{"question": "size", "n": 4, "n_asked": 4}]
    [round_] = client.get(reverse("api_rounds", args=[late.project.slug])).json()
    assert round_["missing_answers"] == progress["missing_answers"]

    client.force_login(late.user())
    one = reverse("api_assignment", args=[late.project.slug, late.assignment().pk])
    shown = client.get(one).json()
    assert shown["asked_again"] == ["size"]
    assert [each["question"] for each in shown["answers"]] == ["tone"]
    body = {"answers": [{"question": "size", "category": "large"}], "revisions": []}
    client.put(
        reverse("api_answers", args=[late.project.slug, late.assignment().pk]),
        json.dumps(body),
        content_type="application/json",
        headers={"Idempotency-Key": str(uuid4())},
    )
    assert stored_answers(late) == {"tone": "good", "size": "large"}
    assert client.get(one).json()["asked_again"] == []


def test_each_number_leads_to_its_list_and_the_list_asks(late, size, asking_lead, client):
    client.force_login(asking_lead)
    where = f"?what=missing_answers&question={size.pk}"
    behind = reverse("progress_items", args=[late.project.slug])
    for name in ("progress", "rounds", "finals", "project"):
        page = client.get(reverse(name, args=[late.project.slug])).content.decode().replace("&amp;", "&")
        assert f"what=missing_answers&question={size.pk}" in page or f"question={size.pk}" in page, name

    listed = client.get(behind + where)
    assert [(row.item.key, row.rater) for row in listed.context["rows"]] == [
        (item, rater) for item in ("item-1", "item-2") for rater in ("ana", "ben")
    ]
    assert listed.context["asking"].n == 4
    asked = client.post(reverse("progress_ask", args=[late.project.slug]), {"question": size.pk})
    assert asked.url == behind + where
    assert client.get(behind + where).context["asking"].n == 0
    assert counts(late) == [("size", 4, 4)]
