"""What raters may enter as an answer to a number question: declared, and held to on every way in."""

import json
import re
from uuid import uuid4

import pytest
from django.db import connection
from django.urls import reverse

from projects.codebook.copying import copy_codebook
from projects.codebook.number_rules import check_numbers, is_allowed, sql_forbidden
from projects.codebook.questions import change_question, create_question
from projects.codebook.refusals import CodebookRefused
from projects.models import Membership, Question, Round
from raters.adjudication.disputes import DisputeFilter, read, undecided_items
from raters.adjudication.exporting import final_labels
from raters.correcting.actions import correct_kind
from raters.labeling.answers import Answer, AnswersRefused
from raters.models import Label, Rater
from raters.progress.progress_figures import figures_of
from tests import cast
from tests.files import checked, load_questions
from tests.working import answer, new_work


@pytest.fixture
def measured(db):
    """Two raters, three items, and a number beside the question of choice."""
    work = new_work(usernames=["ana", "ben"])
    Question.objects.filter(pk=work.question.pk).update(is_required=False)
    return work, Question.objects.create(project=work.project, key="size", kind="number", level="ratio")


@pytest.fixture
def measuring_lead(measured):
    return cast.member(measured[0].project, Membership.Role.LEAD, username="lea")


RULES = [
    ({"minimum": 0.0, "maximum": 10.0}, [0, 10, 2.5], [-0.1, 10.001], "a number from 0 to 10"),
    ({"minimum": 1.0}, [1, 1e9], [0.999], "a number of at least 1"),
    ({"maximum": -2.0}, [-2, -5], [0], "a number of at most -2"),
    ({"is_whole": True}, [3, -4], [0.5], "a whole number"),
    ({"step": 0.1}, [0.3, 0.7, -1.1], [0.35], "a number in steps of 0.1"),
    (
        {"minimum": 1.0, "maximum": 9.0, "is_whole": True, "step": 2.0},
        [1, 3, 9],
        [2, 0, 11, 3.5],
        "a whole number from 1 to 9 in steps of 2",
    ),
    # Missing values lie where they lie.
    ({"minimum": 0.0, "maximum": 10.0, "missing_values": [99.0]}, [99, 5], [98], "a number from 0 to 10"),
    ({}, [1e99, -3.25], [], ""),
]


@pytest.mark.parametrize(("fields", "allowed", "forbidden", "words"), RULES)
def test_the_rule_in_python_in_the_database_and_in_words(measured, fields, allowed, forbidden, words):
    _, size = measured
    Question.objects.filter(pk=size.pk).update(**fields)
    size.refresh_from_db()

    assert size.number_rule == words
    for number in (*allowed, *forbidden):
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT {sql_forbidden('%(number)s::float8', 'q')} FROM projects_question q WHERE id = %(pk)s",
                {"number": float(number), "pk": size.pk},
            )
            [is_forbidden] = cursor.fetchone()
        assert (is_allowed(size, number), is_forbidden) == (number in allowed, number not in allowed), number


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"minimum": 3, "maximum": 2}, "minimum"),
        ({"step": 0}, "step"),
        ({"step": 0.5, "is_whole": True}, "step"),
        ({"tolerance": -1}, "tolerance"),
        ({"maximum": 1e200}, "maximum"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(measured, measuring_lead, fields, field):
    with pytest.raises(CodebookRefused) as refused:
        change_question(measured[1], by=measuring_lead, **fields)

    assert refused.value.errors[0]["field"] == field


def test_only_number_questions_have_them(measured, measuring_lead):
    work, size = measured
    with pytest.raises(CodebookRefused):
        change_question(work.question, by=measuring_lead, minimum=1)
    with pytest.raises(CodebookRefused):
        create_question(work.project, by=measuring_lead, key="new", unit="mm")
    change_question(size, by=measuring_lead, minimum=1, unit="mm", tolerance=0.5)

    changed = change_question(size, by=measuring_lead, kind="single", level="nominal")

    assert (changed.minimum, changed.unit, changed.tolerance) == (None, "", None)
    check_numbers(changed, {})


def test_they_go_along_when_a_codebook_is_copied(measured, measuring_lead, project):
    change_question(
        measured[1], by=measuring_lead, minimum=1, maximum=9, is_whole=True, step=2, unit="mm", tolerance=2
    )

    copy_codebook(measured[0].project, project, by=measuring_lead)

    copied = project.questions.get(key="size")
    assert (copied.minimum, copied.maximum, copied.is_whole) == (1, 9, True)
    assert (copied.step, copied.unit, copied.tolerance) == (2, "mm", 2)


def test_a_lead_sets_them_by_page_and_program(measured, measuring_lead, client):
    work, size = measured
    # What raters see now is changed in a draft.
    Round.objects.update(state=Round.State.DRAFT)
    client.force_login(measuring_lead)
    address = reverse("codebook_question", args=[work.project.slug, size.pk])
    sent = {
        "kind": "number",
        "level": "ratio",
        "minimum": "0",
        "maximum": "10",
        "is_whole": "on",
        "unit": "mm",
        "tolerance": "1",
    }

    assert client.post(address, sent).status_code == 302
    api = client.get(reverse("api_codebook", args=[work.project.slug])).json()
    shown = next(each for each in api["questions"] if each["key"] == "size")
    assert (shown["minimum"], shown["maximum"], shown["is_whole"], shown["unit"], shown["tolerance"]) == (
        0, 10, True, "mm", 1,
    )  # fmt: skip
    assert client.post(address, sent | {"minimum": "11"}).status_code == 400
    page = client.get(reverse("codebook", args=[work.project.slug])).content.decode()
    assert "A whole number from 0 to 10, in mm" in page


def test_labeling_is_held_to_it_and_shows_it(measured, client):
    work, size = measured
    Question.objects.filter(pk=size.pk).update(minimum=0, maximum=10, unit="mm", missing_values=[99.0])

    with pytest.raises(AnswersRefused) as refused:
        answer(work, {"size": Answer(number=12.5)})
    assert refused.value.errors == [
        {
            "field": "size",
            "code": "out_of_range",
            "detail": "The answer to “size” must be a number from 0 to 10, got 12.5.",
        }
    ]
    client.force_login(work.user())
    address = reverse("label_item", args=[work.project.slug, work.assignment().pk])
    page = client.get(address).content.decode()
    assert "A number from 0 to 10, in mm" in page
    assert 'data-maximum="10.0"' in page
    typed = {
        f"answer-{size.pk}": "12,5",
        f"revision-{size.pk}": 0,
        f"revision-{work.question.pk}": 0,
        "key": uuid4(),
    }
    again = client.post(address, typed)
    assert again.status_code == 400
    assert "must be a number from 0 to 10, got 12.5" in again.content.decode()
    body = json.dumps({"answers": [{"question": "size", "number": 11}], "revisions": []})
    by_program = client.put(
        reverse("api_answers", args=[work.project.slug, work.assignment().pk]),
        body,
        content_type="application/json",
        headers={"Idempotency-Key": str(uuid4())},
    )
    assert (by_program.status_code, by_program.json()["errors"][0]["field"]) == (400, "size")
    assert not Label.objects.filter(question=size).exists()
    answer(work, {"size": Answer(number=99)})


def test_labels_that_a_program_sends_are_held_to_it_row_by_row(measured, measuring_lead, client):
    work, size = measured
    Question.objects.filter(pk=size.pk).update(minimum=0, maximum=10, is_whole=True)
    client.force_login(measuring_lead)
    rows = [
        {"item": "item-1", "rater": "model-1", "question": "size", "number": number} for number in (4, 10.5)
    ]
    rows[1]["item"] = "item-2"

    response = client.post(
        reverse("api_labels", args=[work.project.slug]), json.dumps(rows), content_type="application/json"
    )

    assert response.status_code == 400
    assert [(each["field"], each["code"]) for each in response.json()["errors"]] == [
        ("1.number", "out_of_range")
    ]
    assert "a whole number from 0 to 10" in response.json()["errors"][0]["detail"]


def test_a_file_is_held_to_it_row_by_row(measured):
    work, size = measured
    Question.objects.filter(pk=size.pk).update(minimum=0, maximum=10)
    content = b"item,rater,question,label\nitem-1,zoe,size,4\nitem-2,zoe,size,40\n"

    faults = checked(work.project, content).faults.listed

    assert [(fault.line, fault.column, fault.code, fault.rule) for fault in faults] == [
        (3, "label", "out_of_range", "must be a number from 0 to 10")
    ]


def test_numbers_within_the_tolerance_are_in_no_dispute(measured):
    work, size = measured
    for place, numbers in enumerate([(10.0, 10.5), (10.0, 10.6), (7.0, 7.0)]):
        for rater, number in enumerate(numbers):
            answer(work, {"size": Answer(number=number)}, place=place, rater=rater)
    everything = DisputeFilter()

    assert undecided_items(work.project, everything) == [work.items[0].pk, work.items[1].pk]
    Question.objects.filter(pk=size.pk).update(tolerance=0.5)

    assert undecided_items(work.project, everything) == [work.items[1].pk]
    counts, listed = read(work.project, everything, limit=9)
    assert ([each.item for each in listed], counts[size.pk].n) == ([work.items[1].pk], 1)
    assert figures_of(work.project).items.n_disputed == 1
    assert [(label.item, label.label, str(label.origin)) for label in final_labels(work.project)] == [
        ("item-1", 10.0, "unanimous"),
        ("item-2", None, "none"),
        ("item-3", 7.0, "unanimous"),
    ]


def test_pages_say_where_a_tolerance_acts(measured, measuring_lead, client):
    work, size = measured
    answer(work, {"size": Answer(number=1)})
    client.force_login(measuring_lead)
    pages = [
        reverse("adjudicate", args=[work.project.slug]),
        reverse("finals", args=[work.project.slug]),
        reverse("adjudicate_item", args=[work.project.slug, work.items[0].pk, size.pk]),
    ]
    assert all("data-tolerance" not in client.get(page).content.decode() for page in pages)
    Question.objects.filter(pk=size.pk).update(tolerance=0.5)

    assert all("no more than 0.5" in client.get(page).content.decode() for page in pages)


def test_another_kind_forgets_them_however_it_came(measured, measuring_lead):
    work, size = measured
    change_question(size, by=measuring_lead, minimum=0, tolerance=1)
    answer(work, {"size": Answer(number=1)})

    Round.objects.update(state=Round.State.CLOSED)

    correct_kind(size, "single", by=measuring_lead)

    size.refresh_from_db()
    assert (size.kind, size.minimum, size.tolerance) == ("single", None, None)
    other = create_question(work.project, by=measuring_lead, key="other", kind="number", step=2)
    load_questions(work.project, b"question,kind,labels\nother,single,a|b\n", replace=True)
    other.refresh_from_db()
    assert (other.kind, other.step) == ("single", None)


def test_the_page_says_how_many_labels_lie_outside_the_rules(measured, measuring_lead):
    work, size = measured
    rater = Rater.objects.create(project=work.project, key="file")
    for item, number in zip(work.items, (10.0, 60.0, 99.0), strict=True):
        Label.objects.create(item=item, question=size, rater=rater, number=number)
    at = reverse("codebook_question", args=[work.project.slug, size.pk])

    def n_outside(**rules):
        Question.objects.filter(pk=size.pk).update(**rules)
        found = re.search(r'data-forbidden="(\d+)"', cast.signed_in(measuring_lead).get(at).content.decode())
        return found and int(found[1])

    assert n_outside() is None
    assert n_outside(maximum=100.0) is None
    assert n_outside(maximum=50.0) == 2
    assert n_outside(missing_values=[99.0]) == 1
    assert n_outside(maximum=None, step=4.0) == 1
    # Members who also rate are not to know what others said.
    Rater.objects.filter(pk=rater.pk).update(user=measuring_lead)
    assert n_outside() is None
