"""Answers in free text: stored as they are typed, with their history, and in no figure of agreement."""

import json
from hashlib import sha256
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from projects.codebook.versions import store_version
from projects.models import Item, Membership, Question, Round
from raters.actions import rater_of
from raters.items.label_history import changes, revisions_of
from raters.labeling.answers import Answer, AnswersRefused
from raters.labeling.asking import ask_again
from raters.labeling.missing_answers import incomplete_assignments
from raters.labeling.own_work import OwnLabelSearch, own_labels, own_labels_page
from raters.labeling.saving_records import KeyReused, SubmittedAnswers
from raters.labeling.undoing import undo
from raters.log.label_changes import ChangeFilter, change_page
from raters.models import Assignment, Label, LabelRevision
from reports.store.history_verification import verify_history
from tests import cast
from tests.working import answer

ODD = "  Grüße, “x”\n\n\t=SUM(A1) 😀 \N{ZERO WIDTH JOINER}\r\nend  "


def text_question(work):
    """An optional one behind the other question."""
    question = Question.objects.create(
        project=work.project, key="why", prompt="Why?", kind="text", position=1, is_required=False
    )
    store_version(work.project)
    return question


@pytest.fixture
def optional_why(work):
    return text_question(work)


@pytest.fixture
def committed_work_and_why(committed_work):
    return committed_work, text_question(committed_work)


def both(text=None, category="good", **more):
    answers = {"tone": Answer(category=category)}
    return answers if text is None else answers | {"why": Answer(text=text, **more)}


def texts():
    return list(Label.objects.filter(text__isnull=False).order_by("pk").values_list("text", flat=True))


def texts_of(question):
    return list(Label.objects.filter(question=question).values_list("text", flat=True))


def test_a_text_is_stored_exactly_as_it_was_typed(work, optional_why):
    saved = answer(work, both(ODD))

    assert texts() == [ODD]
    assert saved.revisions == {"tone": 1, "why": 1}
    assert LabelRevision.objects.get(question_id=optional_why.pk).text == ODD
    assert work.assignment().state == Assignment.State.DONE


def test_each_change_is_a_revision_and_the_history_stays_whole(committed_work_and_why):
    work, why = committed_work_and_why
    answer(work, both("first"))
    answer(work, both("second"), seen={"tone": 1, "why": 1})
    answer(work, both(None), seen={"tone": 1, "why": 2})

    rows = LabelRevision.objects.filter(question_id=why.pk).order_by("pk")
    assert list(rows.values_list("change", "text", "old_value__text")) == [
        ("I", "first", None),
        ("U", "second", "first"),
        ("D", None, "second"),
    ]
    last = changes(list(revisions_of(work.items[0])))[0]
    assert (last.old, last.new) == ("second", "")
    assert verify_history(work.project).faults == []


def test_a_saving_sent_twice_happens_once_and_another_text_is_refused(work, optional_why):
    key = uuid4()

    assert answer(work, both("once"), key=key) == answer(work, both("once"), key=key)
    with pytest.raises(KeyReused):
        answer(work, both("twice"), key=key)

    assert texts() == ["once"]


def test_what_was_sent_before_there_were_texts_may_be_sent_again():
    """The digest of an answer without a text is what release 0.3.0 computed."""
    draft = SubmittedAnswers(answers={"tone": Answer(category="good")}, revisions={"tone": 0})

    stored = {
        "category": "good",
        "categories": None,
        "number": None,
        "is_abstention": False,
        "reason": "",
        "note": "",
    }
    then = {
        "answers": {"tone": stored},
        "revisions": {"tone": 0},
        "seconds": None,
        "is_guideline_unclear": False,
        "source": "page",
        "guidelines_version": None,
    }
    assert draft.digest == sha256(json.dumps(then, sort_keys=True).encode()).digest()


@pytest.mark.parametrize(
    ("answer_given", "code"),
    [
        (Answer(text=" \n\t"), "bad_text"),
        (Answer(text="x\0y"), "bad_text"),
        (Answer(text="x\ud800"), "bad_text"),
        (Answer(text="x" * 2001), "bad_text"),
        (Answer(number=3.0), "kind"),
        (Answer(category="good"), "kind"),
        (Answer(text="x", number=3.0), "one_value"),
        (Answer(text="x", is_abstention=True), "one_value"),
    ],
)
def test_what_is_no_text_is_refused(work, optional_why, answer_given, code):
    with pytest.raises(AnswersRefused) as refused:
        answer(work, both() | {"why": answer_given})

    assert (refused.value.code, refused.value.faults[0].question) == (code, "why")
    assert not Label.objects.exists()


def test_the_length_is_that_of_the_question(work, optional_why):
    Question.objects.filter(pk=optional_why.pk).update(max_length=3)

    answer(work, both("😀😀😀"))
    with pytest.raises(AnswersRefused, match="at most 3"):
        answer(work, both("abcd"), place=1)


def test_a_text_is_no_answer_to_another_question(work, optional_why):
    with pytest.raises(AnswersRefused) as refused:
        answer(work, {"tone": Answer(text="good")})

    assert refused.value.code == "kind"


def test_the_database_refuses_what_is_no_text(work, optional_why):
    row = {"item": work.items[0], "question": optional_why, "rater": work.raters[0]}

    for values in ({"text": ""}, {"text": "x" * 10_001}, {"number": 1.0}, {"text": "x", "number": 1.0}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Label.objects.create(**row, **values)
    with pytest.raises(IntegrityError), transaction.atomic():
        Label.objects.create(**row | {"question": work.question}, text="x")


def test_undo_brings_a_text_back_and_takes_it_away(committed_work_and_why):
    work, why = committed_work_and_why
    answer(work, both("first"))
    answer(work, both("second"), seen={"tone": 1, "why": 1})

    done = undo(work.raters[0], work.assignment().pk, {"tone": 1, "why": 2}, key=uuid4(), by=work.user())
    assert texts_of(why) == ["first"]
    undo(work.raters[0], work.assignment().pk, done.revisions, key=uuid4(), by=work.user())

    assert texts_of(why) == ["second"]


def test_a_required_text_counts_as_missing_and_is_asked_again(work, optional_why):
    lead = cast.member(work.project, Membership.Role.LEAD, username="lea")
    answer(work, both())
    Question.objects.filter(pk=optional_why.pk).update(is_required=True)
    optional_why.refresh_from_db()

    with pytest.raises(AnswersRefused, match="Answer"):
        answer(work, both(), place=1)
    assert incomplete_assignments(work.project, optional_why).count() == 1
    ask_again(work.project, optional_why, by=lead)
    answer(work, {"why": Answer(text="because")}, seen={"why": 0})

    assert texts() == ["because"]
    assert Label.objects.filter(item=work.items[0]).count() == 2
    assert incomplete_assignments(work.project, optional_why).count() == 0


def test_a_condition_decides_whether_a_text_is_asked(work, optional_why):
    Question.objects.filter(pk=optional_why.pk).update(asked_if_question="tone", asked_if_categories=["bad"])

    with pytest.raises(AnswersRefused) as refused:
        answer(work, both("no reason"))
    answer(work, both("a reason", category="bad"))
    answer(work, both(category="good"), seen={"tone": 1, "why": 1})

    assert refused.value.code == "not_asked"
    assert texts() == []


def test_own_texts_are_searched_in_own_work(work, optional_why):
    answer(work, both("Shimmering water"))
    answer(work, both("dry"), place=1)
    answer(work, both("water"), rater=1, place=2)

    rows = list(own_labels(work.raters[0], OwnLabelSearch(answer="WATER")))

    assert [(own.item.key, own.answers[1][1].text) for own in own_labels_page(work.raters[0], rows)] == [
        ("item-1", "Shimmering water")
    ]


def page_of(work, place=0):
    return f"/p/{work.project.slug}/label/{work.assignment(place).pk}/"


def form_of(work, why, text, *, seen=0, **more):
    return {
        "key": str(uuid4()),
        f"answer-{work.question.pk}": str(work.question.categories.get(key="good").pk),
        f"revision-{work.question.pk}": str(seen),
        f"revision-{why.pk}": str(seen),
        f"text-{why.pk}": text,
        **more,
    }


@pytest.mark.signed_in("first_rater")
def test_the_form_without_scripts(client, work, optional_why):
    client.post(page_of(work), form_of(work, optional_why, "\r\nTwo\r\nlines "))
    client.post(page_of(work, 1), form_of(work, optional_why, " \r\n "))

    assert texts() == ["\nTwo\nlines "]
    assert Label.objects.filter(item=work.items[1]).count() == 1
    shown = client.get(page_of(work))
    # A browser takes one line break away at the beginning of a text area.
    assert f'name="text-{optional_why.pk}"' in shown.content.decode()
    assert ">\n\nTwo\nlines </textarea>" in shown.content.decode()


@pytest.mark.signed_in("first_rater")
def test_what_the_form_refuses_is_in_it_again(client, work, optional_why):

    for text, more in (
        ("too long" * 300, {}),
        ("both", {f"answer-{optional_why.pk}": "cannot-tell"}),
        ("a\0b", {}),
    ):
        response = client.post(page_of(work), form_of(work, optional_why, text, **more))

        assert response.status_code == 400
        assert text.replace("\0", "") in response.content.decode().replace("\0", "")

    assert not Label.objects.exists()


@pytest.mark.signed_in("first_rater")
def test_the_api_saves_and_shows_texts(client, work, optional_why):
    address = reverse("api_answers", args=[work.project.slug, work.assignment().pk])
    body = {
        "answers": [{"question": "tone", "category": "good"}, {"question": "why", "text": ODD}],
        "revisions": [],
    }

    saved = client.put(
        address, json.dumps(body), content_type="application/json", headers={"Idempotency-Key": str(uuid4())}
    )
    shown = client.get(reverse("api_assignment", args=[work.project.slug, work.assignment().pk])).json()

    assert saved.status_code == 200
    assert texts() == [ODD]
    assert [each["text"] for each in shown["answers"]] == [None, ODD]


@pytest.mark.signed_in("first_rater")
@pytest.mark.parametrize("text", ["", "  ", "x\0", 7, ["x"], "x" * 10_001])
def test_the_api_refuses_what_is_no_text(client, work, optional_why, text):
    address = reverse("api_answers", args=[work.project.slug, work.assignment().pk])
    body = {"answers": [{"question": "why", "text": text}], "revisions": []}

    refused = client.put(
        address, json.dumps(body), content_type="application/json", headers={"Idempotency-Key": str(uuid4())}
    )

    assert refused.status_code == 400
    assert not Label.objects.exists()


@pytest.mark.signed_in("first_rater")
def test_one_choice_and_a_text_are_not_saved_at_once(client, work, optional_why):
    assert "data-at-once" not in client.get(page_of(work)).content.decode()


def test_words_of_texts_are_found_in_the_history(work, optional_why):
    answer(work, both("clear water"))
    answer(work, both("mud"), seen={"tone": 1, "why": 1})
    answer(work, both("mud"), place=1)

    def found(text):
        page = change_page(work.project, ChangeFilter(text=text), None, size=10)
        return [(row.item, row.change.old, row.change.new) for row in page.rows]

    assert found("WATER") == [("item-1", "clear water", "mud"), ("item-1", "", "clear water")]
    assert len(found("mud")) == 2
    assert found("%") == []


@pytest.mark.signed_in(None)
def test_items_are_found_by_what_raters_wrote_but_not_by_who_labels_them_blind(client, work, optional_why):
    answer(work, both("clear water"))
    auditor = cast.member(work.project, Membership.Role.AUDITOR, username="audrey")
    # A lead who labels the same round.
    blind = cast.member(work.project, Membership.Role.LEAD, username="lea")
    Assignment.objects.create(rater=rater_of(work.project, blind), item=work.items[0], round=work.round)

    def items(user):
        shown = cast.signed_in(user).get(reverse("items", args=[work.project.slug]), {"q": "WATER"})
        return [row[0].key for row in shown.context["rows"]]

    assert items(auditor) == ["item-1"]
    assert items(blind) == []
    Round.objects.filter(pk=work.round.pk).update(state=Round.State.CLOSED)
    assert items(blind) == ["item-1"]
    assert Item.objects.count() == 3
