"""The keys of answers."""

from projects.codebook.codebook_rules import PAGE_KEYS
from projects.models import Category, Question
from raters.labeling.shortcuts import page_keys
from tests.labeling import new_question


def keys(project):
    questions = Question.objects.filter(project=project).prefetch_related("categories")
    found = page_keys(list(questions)).answers
    return [[found.get(category.pk, "") for category in question.categories.all()] for question in questions]


def test_digits_for_the_first_question_and_letters_for_the_others(project):
    new_question(project, key="tone", categories=("good", "bad"))
    new_question(project, key="sure", categories=("no", "yes"), position=1)

    assert keys(project) == [["1", "2"], ["q", "w"]]


def test_more_answers_than_digits_take_the_letters_that_the_others_leave(project):
    new_question(project, key="theme", categories=[f"t{n}" for n in range(12)])
    new_question(project, key="sure", categories=("no", "yes"), position=1)

    assert keys(project) == [[*"1234567890", "e", "r"], ["q", "w"]]


def test_what_the_codebook_chose_comes_first(project):
    tone = new_question(project, key="tone", categories=("good", "bad", "neither"))
    Category.objects.filter(question=tone, key="bad").update(shortcut="1")
    Category.objects.filter(question=tone, key="neither").update(shortcut="q")

    assert keys(project) == [["2", "1", "q"]]


def test_the_keys_of_the_page_itself_are_given_to_no_answer(project):
    tone = new_question(project, key="tone", categories=[f"t{n}" for n in range(40)])
    Category.objects.filter(question=tone, key="t0").update(shortcut="s")

    given = keys(project)[0]

    assert given[0] == "1"
    assert not set(PAGE_KEYS) & set(given)
    # What finds no key is chosen otherwise.
    assert given.count("") == 40 - 30
    assert len(set(given)) == 31


def test_a_number_has_the_first_letter_that_no_answer_has(project):
    new_question(project, key="tone", categories=("good", "bad"))
    new_question(project, key="sure", categories=("no", "yes"), position=1)
    length = Question.objects.create(project=project, key="length", kind="number", level="ratio", position=2)

    found = page_keys(list(Question.objects.filter(project=project)))

    assert set(found.answers.values()) == {"1", "2", "q", "w"}
    assert found.fields == {length.pk: "e"}


def test_none_of_these_has_a_key_that_new_categories_leave_alone(project):
    themes = new_question(project, key="themes", categories=("a", "b"), kind="multiple")
    parts = new_question(project, key="parts", categories=("x", "y"), kind="multiple", position=1)

    before = page_keys(list(Question.objects.filter(project=project))).none
    Category.objects.create(question=themes, key="c", position=2)
    Category.objects.create(question=parts, key="z", position=2)
    after = page_keys(list(Question.objects.filter(project=project))).none

    assert before == after == {themes.pk: "0", parts.pk: "m"}


def test_none_of_these_has_no_digit_where_digits_begin_a_number(project):
    Question.objects.create(project=project, key="length", kind="number", level="ratio")
    themes = new_question(project, key="themes", categories=("a", "b"), kind="multiple", position=1)

    assert page_keys(list(Question.objects.filter(project=project))).none == {themes.pk: "m"}
