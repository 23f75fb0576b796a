"""Questions that are asked only of those who chose certain categories of an earlier question."""

import json
from uuid import uuid4

import pytest
from django.urls import reverse

from projects.codebook import drafts
from projects.codebook.categories import delete_category
from projects.codebook.conditions import questions_not_asked
from projects.codebook.content import questions_in_version
from projects.codebook.copying import copy_codebook
from projects.codebook.questions import change_question, create_question, delete_question, move_question
from projects.codebook.refusals import CodebookRefused
from projects.codebook.version_changes import changes_between
from projects.codebook.versions import content_of, current_version, store_version
from projects.models import CodebookVersion, Membership, Question, Round
from raters.actions import rater_of
from raters.labeling.answers import Answer, AnswersRefused
from raters.labeling.asking import ask_again
from raters.labeling.missing_answers import (
    incomplete_assignments,
    missing_answers_for,
    missing_answers_of_rounds,
)
from raters.labeling.undoing import undo
from raters.models import Assignment, Label
from tests import cast
from tests.files import checked
from tests.labeling import new_question
from tests.working import answer, new_work

SO = {"asked_if_question": "tone", "asked_if_categories": ["bad", "fair"]}


@pytest.fixture
def hanging(db):
    """Two raters, three items; “why” is asked only if the tone is bad or fair."""
    work = new_work(usernames=["ana", "ben"])
    why = new_question(work.project, key="why", categories=("rude", "wrong"), position=5, **SO)
    store_version(work.project)
    # Another project asks the same.
    new_question(cast.new_project("Twin", unique=True), key="tone", categories=("good", "fair", "bad"))
    return work, why


@pytest.fixture
def hanging_lead(hanging):
    return cast.member(hanging[0].project, Membership.Role.LEAD, username="lea")


def stored_answers(work, place=0, rater=0):
    labels = Label.objects.filter(item=work.items[place], rater=work.raters[rater])
    return {label.question.key: label.category.key for label in labels.select_related("question", "category")}


BOTH = {"tone": Answer(category="bad"), "why": Answer(category="rude")}


def test_who_is_asked_hangs_on_each_answer_before():
    questions = [
        Question(key="a", kind="single"),
        Question(key="b", kind="multiple", asked_if_question="a", asked_if_categories=["yes", "perhaps"]),
        Question(key="c", kind="number", asked_if_question="b", asked_if_categories=["x"]),
    ]

    assert questions_not_asked(questions, {"a": ["yes"], "b": ["x", "y"]}) == set()
    assert questions_not_asked(questions, {"a": ["perhaps"], "b": ["y"]}) == {"c"}
    assert questions_not_asked(questions, {"a": ["no"], "b": ["x"]}) == {"b", "c"}
    assert questions_not_asked(questions, {"b": ["x"]}) == {"b", "c"}


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"asked_if_question": "tone"}, "asked_if_categories"),
        ({"asked_if_question": "", "asked_if_categories": ["bad"]}, "asked_if_question"),
        ({"asked_if_question": "nobody"}, "asked_if_question"),
        ({"asked_if_question": "later"}, "asked_if_question"),
        ({"asked_if_question": "why"}, "asked_if_question"),
        ({"asked_if_question": "size"}, "asked_if_question"),
        ({"asked_if_categories": ["bad", "awful"]}, "asked_if_categories"),
    ],
)
def test_a_condition_that_nobody_could_meet_is_refused(hanging, hanging_lead, fields, field):
    work, why = hanging
    Question.objects.create(project=work.project, key="size", kind="number", level="ratio", position=2)
    new_question(work.project, key="later", categories=("bad",), position=9)
    if fields == {"asked_if_question": "tone"}:
        fields = {**fields, "asked_if_categories": []}

    with pytest.raises(CodebookRefused) as refused:
        change_question(why, by=hanging_lead, **fields)

    assert (refused.value.code, refused.value.field) == ("bad_condition", field)
    why.refresh_from_db()
    assert why.asked_if_categories == ["bad", "fair"]


def test_what_a_condition_needs_cannot_go(hanging, hanging_lead):
    work, why = hanging
    tone = work.question
    refusals = [
        lambda: delete_category(tone.categories.get(key="bad"), by=hanging_lead),
        lambda: delete_question(tone, by=hanging_lead),
        lambda: move_question(why, -1, by=hanging_lead),
    ]
    for refusal in refusals:
        with pytest.raises(CodebookRefused, match="“why” is asked only if “tone” is") as refused:
            refusal()
        assert refused.value.code == "bad_condition"
    change_question(why, by=hanging_lead, asked_if_question="", asked_if_categories=[])

    delete_category(tone.categories.get(key="bad"), by=hanging_lead)

    assert not tone.categories.filter(key="bad").exists()


def test_a_condition_is_kept_with_the_version_and_shown(hanging, hanging_lead):
    work, why = hanging
    before = questions_in_version(content_of(current_version(work.project)))
    assert before[1].asked_if == ("tone", "bad", "fair")

    change_question(why, by=hanging_lead, asked_if_categories=["bad"])
    create_question(work.project, by=hanging_lead, key="size", kind="number", minimum=0, unit="mm", **SO)

    after = questions_in_version(content_of(current_version(work.project)))
    told = [change.sentence for change in changes_between(before, after)]
    assert told[0] == "“why” is now asked only if “tone” is “bad”."
    assert told[1].endswith("Asked only if “tone” is “bad” or “fair”.")
    assert next(each.sentence for each in changes_between(after, before)) == (
        "“why” is now asked only if “tone” is “bad” or “fair”."
    )


def test_number_rules_are_kept_with_the_version_and_shown(hanging, hanging_lead):
    work, _ = hanging
    size = create_question(work.project, by=hanging_lead, key="size", kind="number", minimum=0, unit="mm")
    n_versions = CodebookVersion.objects.filter(project=work.project).count()
    before = questions_in_version(content_of(current_version(work.project)))

    change_question(size, by=hanging_lead, tolerance=1)
    assert CodebookVersion.objects.filter(project=work.project).count() == n_versions
    change_question(size, by=hanging_lead, maximum=10, is_whole=True)

    after = questions_in_version(content_of(current_version(work.project)))
    assert [change.sentence for change in changes_between(before, after)] == [
        "“size” now takes a whole number from 0 to 10, in mm."
    ]
    change_question(size, by=hanging_lead, minimum=None, maximum=None, is_whole=False, unit="")
    last = questions_in_version(content_of(current_version(work.project)))
    assert [change.sentence for change in changes_between(after, last)] == ["“size” now takes any number."]


def test_it_is_copied_with_a_codebook(hanging, hanging_lead, project):
    copy_codebook(hanging[0].project, project, by=hanging_lead)

    copied = project.questions.get(key="why")
    assert (copied.asked_if_question, copied.asked_if_categories) == ("tone", ["bad", "fair"])


def test_a_lead_chooses_it_in_a_draft(hanging, hanging_lead, client):
    work, why = hanging
    client.force_login(hanging_lead)
    address = reverse("codebook_question", args=[work.project.slug, why.pk])
    sent = {"kind": "single", "level": "nominal", "is_required": "on", "allows_abstention": "on"}

    assert client.post(address, sent | {"asked_if": [f"{work.question.pk}:good"]}).status_code == 302
    draft = drafts.draft_context(work.project)
    assert draft.question(why.pk).asked_if_categories == ["good"]
    page = client.get(address).content.decode()
    assert f'value="{work.question.pk}:good" selected' in page
    why.refresh_from_db()
    assert why.asked_if_categories == ["bad", "fair"]
    gone = reverse("codebook_category_delete", args=[work.project.slug, work.question.categories.first().pk])
    shown = client.post(gone, follow=True).content.decode()
    assert "“why” is asked only if “tone” is “good”" in shown

    drafts.publish(work.project, by=hanging_lead, revision=drafts.draft_of(work.project).revision)

    why.refresh_from_db()
    assert why.asked_if_categories == ["good"]
    other = new_question(work.project, key="other", categories=("x",), position=3)
    both = {"asked_if": [f"{work.question.pk}:good", f"{other.pk}:x"]}
    assert client.post(address, sent | both).status_code == 400
    assert client.post(address, sent).status_code == 302
    assert drafts.draft_context(work.project).question(why.pk).asked_if_question == ""


def test_a_program_sets_it(hanging, hanging_lead, client):
    work, why = hanging
    client.force_login(hanging_lead)
    address = reverse("api_question", args=[work.project.slug, why.pk])

    def patched(**fields):
        return client.patch(address, json.dumps(fields), content_type="application/json")

    shown = patched(asked_if_categories=["good", "good"])
    assert (shown.status_code, shown.json()["asked_if_categories"]) == (200, ["good"])
    refused = patched(asked_if_categories=["awful"])
    assert refused.status_code in {400, 409}
    assert refused.json()["errors"][0]["field"] == "asked_if_categories"


def test_an_answer_to_a_question_that_was_not_asked_is_refused(hanging):
    work, _ = hanging
    with pytest.raises(AnswersRefused) as refused:
        answer(work, {"tone": Answer(category="good"), "why": Answer(category="rude")})
    assert refused.value.errors == [
        {
            "field": "why",
            "code": "not_asked",
            "detail": "“why” is asked only if “tone” is “bad” or “fair”. Remove its answer, or change the one that it "
            "depends on.",
        }
    ]
    with pytest.raises(AnswersRefused) as refused:
        answer(work, {"tone": Answer(is_abstention=True), "why": Answer(category="rude")})
    assert refused.value.code == "not_asked"
    with pytest.raises(AnswersRefused) as refused:
        answer(work, "bad")
    assert (refused.value.code, refused.value.errors[0]["field"]) == ("required", "why")

    answer(work, "good")
    answer(work, BOTH, place=1)

    assert (stored_answers(work), stored_answers(work, 1)) == (
        {"tone": "good"},
        {"tone": "bad", "why": "rude"},
    )


def test_another_answer_before_it_takes_it_away_and_undo_brings_it_back(committed_db):
    """On committed rows: what one saving changed is known by its transaction."""
    work = new_work()
    new_question(work.project, key="why", categories=("rude", "wrong"), position=5, **SO)
    first = answer(work, BOTH)

    second = answer(work, "good", seen=first.revisions)
    assert stored_answers(work) == {"tone": "good"}
    undo(work.raters[0], work.assignment().pk, second.revisions, key=uuid4(), by=work.user())

    assert stored_answers(work) == {"tone": "bad", "why": "rude"}
    assert work.assignment().state == Assignment.State.DONE
    third = answer(work, "good", place=1)
    undo(work.raters[0], work.assignment(1).pk, third.revisions, key=uuid4(), by=work.user())
    assert work.assignment(1).state == Assignment.State.PENDING


def test_an_answer_that_was_not_asked_for_is_not_missing(hanging, hanging_lead):
    work, why = hanging
    Question.objects.filter(pk=why.pk).update(is_required=False)
    answer(work, "good")
    answer(work, "bad", place=1)
    answer(work, BOTH, place=2)
    Question.objects.filter(pk=why.pk).update(is_required=True)
    why.refresh_from_db()

    assert [each.sentence for each in missing_answers_for(work.project, by=hanging_lead)] == [
        "1 assignment has no answer to why"
    ]
    assert list(incomplete_assignments(work.project, why)) == [work.assignment(1)]
    assert ask_again(work.project, why, by=hanging_lead) == 1

    answer(work, {"why": Answer(category="wrong")}, place=1)

    assert stored_answers(work, 1) == {"tone": "bad", "why": "wrong"}
    assert missing_answers_for(work.project, by=hanging_lead) == []


def test_who_lacks_an_answer_says_nothing_to_a_lead_who_labels_the_same_items(hanging, hanging_lead, client):
    """Whoever is asked why has chosen a category that the lead may not know yet."""
    work, why = hanging
    Question.objects.filter(pk=why.pk).update(is_required=False)
    for place in (0, 1):
        answer(work, "bad", place=place)
        answer(work, "good", place=place, rater=1)
    Question.objects.filter(pk=why.pk).update(is_required=True)
    why.refresh_from_db()
    mine = Round.objects.create(project=work.project, key="mine", position=5, state=Round.State.OPEN)
    Assignment.objects.create(rater=rater_of(work.project, hanging_lead), item=work.items[0], round=mine)
    client.force_login(hanging_lead)
    listed = client.get(reverse("api_missing_answers", args=[work.project.slug]), {"question": "why"})
    behind = client.get(reverse("progress_items", args=[work.project.slug]), {"what": "missing_answers"})

    assert [row["item"] for row in listed.json()["results"]] == ["item-2"]
    assert [row.item for row in behind.context["rows"]] == [work.items[1]]
    assert [each.n for each in missing_answers_for(work.project, by=hanging_lead)] == [1]
    by_round = missing_answers_of_rounds(work.project, [mine.pk])
    assert [each.n for each in by_round[work.round.pk]] == [1]
    assert ask_again(work.project, why, by=hanging_lead) == 1
    assert [work.assignment(place).asked_again for place in (0, 1)] == [[], [why.pk]]


def test_a_question_asked_again_alone_takes_those_that_depend_on_it_along(hanging, hanging_lead):
    work, _ = hanging
    first = answer(work, BOTH)
    Label.objects.filter(pk__in=Label.objects.filter(question=work.question).values("pk")).delete()
    assert ask_again(work.project, work.question, by=hanging_lead) == 1

    answer(work, "good", seen={"tone": first.revisions.get("unknown", 0)})

    assert stored_answers(work) == {"tone": "good"}


def test_the_page_says_when_a_question_is_asked(hanging, client):
    work, why = hanging
    client.force_login(work.user())
    address = reverse("label_item", args=[work.project.slug, work.assignment().pk])
    page = client.get(address).content.decode()
    assert "Asked only if “tone” is “bad” or “fair”." in page
    assert 'data-asked-if="tone"' in page
    good = work.question.categories.get(key="good")
    form = {
        f"answer-{work.question.pk}": good.pk,
        f"revision-{work.question.pk}": 0,
        f"revision-{why.pk}": 0,
        "key": uuid4(),
    }

    refused = client.post(address, form | {f"answer-{why.pk}": why.categories.first().pk})
    assert refused.status_code == 400
    assert "“why” is asked only if" in refused.content.decode()
    assert client.post(address, form).status_code == 302

    assert stored_answers(work) == {"tone": "good"}


def test_a_set_that_was_not_asked_for_is_no_empty_set(hanging, client):
    """A form without scripts shows the question, be it asked or not."""
    work, _ = hanging
    new_question(work.project, key="parts", kind="multiple", categories=("a",), position=7, **SO)
    client.force_login(work.user())
    address = reverse("label_item", args=[work.project.slug, work.assignment().pk])
    form = {f"answer-{work.question.pk}": work.question.categories.get(key="good").pk}

    assert client.post(address, form | {"key": uuid4()}).status_code == 302

    assert stored_answers(work) == {"tone": "good"}


def test_a_file_cannot_answer_what_was_not_asked(hanging):
    work, _ = hanging
    answer(work, BOTH, place=2)
    content = (
        b"item,rater,question,label\n"
        b"item-1,zoe,tone,bad\nitem-1,zoe,why,rude\n"
        b"item-2,zoe,tone,good\nitem-2,zoe,why,rude\n"
        b"item-3,zoe,why,wrong\n"
    )

    faults = checked(work.project, content).faults.listed

    assert [(fault.line, fault.column, fault.code) for fault in faults] == [
        (5, "label", "not_asked"),
        (6, "label", "not_asked"),
    ]
    assert "asked only if “tone” is “bad” or “fair”" in faults[0].rule


def test_a_file_may_answer_what_the_project_says_was_asked(hanging):
    work, why = hanging
    Question.objects.filter(pk=why.pk).update(is_required=False)
    rater = rater_of(work.project, work.user())
    answer(work, "fair")
    answer(work, "good", place=1)
    content = f"item,rater,question,label\nitem-1,{rater.key},why,rude\nitem-2,{rater.key},why,rude\n"

    faults = checked(work.project, content.encode()).faults.listed

    assert [fault.line for fault in faults] == [3]


def test_a_closed_round_keeps_the_condition_of_what_it_asked(hanging):
    """The question is asked by the answer that stands, whatever the round."""
    work, _ = hanging
    Round.objects.update(state=Round.State.CLOSED)

    assert missing_answers_for(work.project, by=cast.person("onlooker")) == []
