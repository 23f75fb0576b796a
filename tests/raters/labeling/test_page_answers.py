"""Answers of each kind on the labeling page."""

import re

import pytest

from projects.models import Question
from raters.models import Label
from tests.labeling import new_question
from tests.raters.labeling.test_pages import address, form, text

pytestmark = pytest.mark.signed_in("first_rater")


def test_a_required_answer_that_is_missing_is_asked_for(client, work):
    response = client.post(address(work), {"note": "kept"})

    assert response.status_code == 400
    assert "Answer “tone”." in text(response)
    assert ">kept</textarea>" in text(response)
    assert not Label.objects.exists()


def test_cannot_tell_with_a_reason(client, work):
    sent = form(work) | {
        f"answer-{work.question.pk}": "cannot-tell",
        f"reason-{work.question.pk}": "Blurred",
        "unclear": "on",
    }

    client.post(address(work), sent)

    label = Label.objects.get()
    assert (label.is_abstention, label.reason) == (True, "Blurred")
    assert work.assignment().is_guideline_unclear


def test_cannot_tell_is_not_offered_where_it_is_not_allowed(client, work):
    Question.objects.update(allows_abstention=False)

    assert "Cannot tell</span>" not in text(client.get(address(work)))
    response = client.post(address(work), form(work) | {f"answer-{work.question.pk}": "cannot-tell"})
    assert response.status_code == 400


@pytest.mark.parametrize(
    ("typed", "number"),
    [
        ("3", 3.0),
        (" -0,5 ", -0.5),
        ("−2.5", -2.5),
        ("1e3", 1000.0),
        ("1,5", 1.5),
        ("1,25", 1.25),
        ("1000,5", 1000.5),
        ("0,125", 0.125),
        ("1,0005", 1.0005),
        ("1234,567", 1234.567),
        ("1.000", 1.0),
    ],
)
def test_numbers_as_people_write_them(client, work, typed, number):
    size = Question.objects.create(project=work.project, key="size", kind=Question.Kind.NUMBER)

    client.post(address(work), form(work, **{f"answer-{size.pk}": typed}))

    assert Label.objects.get(question=size).number == number


@pytest.mark.parametrize("typed", ["many", "1.000,5", "nan", "inf", "1_0", "١٢", "1e999"])
def test_what_is_no_number_is_refused(client, work, typed):
    size = Question.objects.create(project=work.project, key="size", kind=Question.Kind.NUMBER)

    response = client.post(address(work), form(work, **{f"answer-{size.pk}": typed}))

    assert response.status_code == 400
    assert not Label.objects.exists()


@pytest.mark.parametrize("typed", ["many", "1.000,5", "−12,345", "1_0"])
def test_a_refused_number_is_kept_as_it_was_typed(client, work, typed):
    size = Question.objects.create(project=work.project, key="size", kind=Question.Kind.NUMBER)

    page = client.post(address(work), form(work, **{f"answer-{size.pk}": typed})).content.decode()

    assert f'name="answer-{size.pk}" value="{typed}"' in page


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("1,000", "“1,000” can mean 1000 or 1.000. Enter one of these, without a comma."),
        ("−12,345", "“-12,345” can mean -12345 or -12.345. Enter one of these, without a comma."),
        ("1,000.5", "“1,000.5” has a thousands separator. Enter it without, as 1000.5."),
        ("1.000,5", "“1.000,5” has a thousands separator. Enter it without, as 1000.5."),
        ("1,234,567", "“1,234,567” has a thousands separator. Enter it without, as 1234567."),
        ("1.234.567", "“1.234.567” has a thousands separator. Enter it without, as 1234567."),
        ("1,234,567.8", "“1,234,567.8” has a thousands separator. Enter it without, as 1234567.8."),
    ],
)
def test_what_may_separate_thousands_is_not_guessed(client, work, typed, sentence):
    size = Question.objects.create(project=work.project, key="size", kind=Question.Kind.NUMBER)

    response = client.post(address(work), form(work, **{f"answer-{size.pk}": typed}))

    assert response.status_code == 400
    assert sentence in text(response)
    assert not Label.objects.exists()


def test_several_categories_and_none_of_them(client, work):
    themes = new_question(work.project, key="themes", categories=("a", "b"), kind=Question.Kind.MULTIPLE)
    ids = [str(pk) for pk in themes.categories.values_list("pk", flat=True)]

    client.post(address(work, 0), form(work, **{f"answer-{themes.pk}": ids}))
    client.post(address(work, 1), form(work, **{f"answer-{themes.pk}": "none"}))

    chosen = Label.objects.filter(question=themes).order_by("item").values_list("category_set", flat=True)
    assert list(chosen) == [[int(pk) for pk in ids], []]


def test_several_categories_left_untouched_are_unanswered(client, work):
    themes = new_question(work.project, key="themes", categories=("a", "b"), kind=Question.Kind.MULTIPLE)

    refused = client.post(address(work), form(work))
    Question.objects.filter(pk=themes.pk).update(is_required=False)
    client.post(address(work), form(work))

    assert refused.status_code == 400
    assert "Answer “themes”." in text(refused)
    assert not Label.objects.filter(question=themes).exists()
    assert Label.objects.filter(question=work.question).exists()


def test_none_of_these_goes_with_nothing_else(client, work):
    themes = new_question(work.project, key="themes", categories=("a", "b"), kind=Question.Kind.MULTIPLE)
    category = str(themes.categories.first().pk)

    both = client.post(address(work), form(work, **{f"answer-{themes.pk}": ["none", category]}))
    unsure = client.post(address(work), form(work, **{f"answer-{themes.pk}": ["none", "cannot-tell"]}))

    assert (both.status_code, unsure.status_code) == (400, 400)
    assert "Choose either categories of “themes” or “None of these”, not both." in text(both)
    assert "Choose either “Cannot tell” or an answer to “themes”, not both." in text(unsure)
    assert not Label.objects.exists()


def test_none_of_these_is_shown_as_it_was_saved(client, work):
    themes = new_question(work.project, key="themes", categories=("a", "b"), kind=Question.Kind.MULTIPLE)
    before = text(client.get(address(work)))
    client.post(address(work), form(work, **{f"answer-{themes.pk}": "none"}))
    after = text(client.get(address(work)))

    assert len(re.findall(r"data-none [^>]*>", before)) == 1
    assert not re.search(r"data-none [^>]*checked>", before)
    assert re.search(r"data-none [^>]*checked>", after)


@pytest.mark.parametrize("value", ["0", "999999999", "x", "9" * 40])
def test_a_category_that_is_not_there_is_refused(client, work, value):
    response = client.post(address(work), form(work) | {f"answer-{work.question.pk}": value})

    assert response.status_code == 400
    assert "has no category" in text(response)


def test_a_note_without_an_answer_is_reported_and_kept(client, work):
    Question.objects.update(is_required=False)

    response = client.post(address(work), {"note": "Look at this"})

    assert response.status_code == 400
    assert "A note needs an answer" in text(response)
    assert ">Look at this</textarea>" in text(response)


def test_an_optional_answer_can_be_removed(client, work):
    Question.objects.update(is_required=False)
    client.post(address(work), form(work))

    page = text(client.get(address(work)))
    client.post(address(work), form(work, revision=1) | {f"answer-{work.question.pk}": ""})

    assert "No answer</span>" in page
    assert not Label.objects.exists()
