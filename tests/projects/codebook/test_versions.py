"""Keys that never move, and the versions of a codebook that raters were shown."""

import pytest
from django.db import DatabaseError

from projects.codebook.categories import (
    add_category,
    change_category,
    delete_category,
    order_categories,
)
from projects.codebook.guidelines import write_guidelines
from projects.codebook.questions import change_question, create_question, delete_question, order_questions
from projects.codebook.refusals import CodebookRefused
from projects.codebook.shortcut_keys import keys_by_owner
from projects.codebook.version_changes import changes_since
from projects.codebook.versions import assigned_shortcuts, current_number, current_version
from projects.models import CodebookVersion, Membership, Round
from raters.merging.actions import merge_category
from raters.rounds.states import open_round
from tests import cast


@pytest.fixture
def vera(project):
    return cast.member(project, Membership.Role.LEAD, username="vera", unique=True)


@pytest.fixture
def asked(project, vera):
    """Tone by 1, 2 and 3; how long, by q."""
    categories = [{"key": key} for key in ("good", "fair", "bad")]
    create_question(project, by=vera, key="tone", categories=categories)
    create_question(project, by=vera, key="length", kind="number", level="ratio")
    open_round(Round.objects.create(project=project, key="one", state="draft"), by=vera)
    return project


def keys(project):
    return {
        f"{question} {category}".strip(): key
        for (question, category), key in keys_by_owner(assigned_shortcuts(project)).items()
    }


BEGUN = {"tone good": "1", "tone fair": "2", "tone bad": "3", "length": "q"}


def test_nothing_is_kept_before_a_round_opens(project, vera):
    create_question(project, by=vera, key="tone", categories=[{"key": "good"}])

    assert current_number(project) == 0
    assert assigned_shortcuts(project) == []


def test_opening_a_round_gives_each_answer_its_key(asked):
    assert keys(asked) == BEGUN
    assert current_number(asked) == 1


def test_a_new_question_takes_unused_keys(asked, vera):
    create_question(asked, by=vera, key="sure", categories=[{"key": "no"}, {"key": "yes"}])

    assert keys(asked) == BEGUN | {"sure no": "w", "sure yes": "e"}


def test_a_new_question_that_comes_first_takes_unused_keys(asked, vera):
    sure = create_question(asked, by=vera, key="sure", categories=[{"key": "no"}, {"key": "yes"}])
    order_questions(
        asked, [sure.pk, *asked.questions.exclude(pk=sure.pk).values_list("pk", flat=True)], by=vera
    )

    assert keys(asked) == BEGUN | {"sure no": "w", "sure yes": "e"}


def test_digits_that_begin_a_number_become_no_answers(project, vera):
    length = create_question(project, by=vera, key="length", kind="number", level="ratio")
    open_round(Round.objects.create(project=project, key="one", state="draft"), by=vera)
    create_question(project, by=vera, key="sure", categories=[{"key": "no"}])
    delete_question(length, by=vera)
    create_question(project, by=vera, key="age", kind="number", level="ratio")

    assert keys(project) == {"length": "q", "sure no": "w", "age": "e"}


def test_deleting_and_merging_move_no_key_and_free_none_while_others_are_unused(asked, vera):
    tone = asked.questions.get(key="tone")
    delete_category(tone.categories.get(key="good"), by=vera)
    merge_category(tone.categories.get(key="fair"), tone.categories.get(key="bad"), by=vera)
    add_category(tone, by=vera, key="mixed")
    now = keys(asked)

    assert (now["tone bad"], now["tone mixed"], now["length"]) == ("3", "4", "q")
    # What comes back has its key again.
    add_category(tone, by=vera, key="good")
    assert keys(asked)["tone good"] == "1"


def test_keys_of_what_is_gone_are_given_again_only_when_no_other_is_left(asked, vera):
    tone = asked.questions.get(key="tone")
    delete_category(tone.categories.get(key="good"), by=vera)
    for n in range(26):
        add_category(tone, by=vera, key=f"c{n}")
    assert "1" not in {key for name, key in keys(asked).items() if name != "tone good"}

    add_category(tone, by=vera, key="last")

    assert keys(asked)["tone last"] == "1"


def test_another_order_moves_no_key(asked, vera):
    tone = asked.questions.get(key="tone")
    order_categories(tone, list(tone.categories.values_list("pk", flat=True))[::-1], by=vera)

    assert keys(asked) == BEGUN


def test_a_key_can_be_chosen_that_nothing_has(asked, vera):
    tone = asked.questions.get(key="tone")
    change_category(tone.categories.get(key="good"), by=vera, shortcut="a")
    add_category(tone, by=vera, key="mixed")

    assert keys(asked) == {
        "tone good": "a",
        "tone fair": "2",
        "tone bad": "3",
        "length": "q",
        "tone mixed": "4",
    }


@pytest.mark.parametrize(("key", "has_it"), [("2", "fair"), ("q", "length")])
def test_a_key_of_something_else_cannot_be_chosen(asked, vera, key, has_it):
    good = asked.questions.get(key="tone").categories.get(key="good")

    with pytest.raises(CodebookRefused, match=f"“{has_it}” already uses this shortcut"):
        change_category(good, by=vera, shortcut=key)

    assert keys(asked) == BEGUN


def test_only_what_raters_see_makes_a_version(asked, vera):
    tone = asked.questions.get(key="tone")
    change_category(tone.categories.get(key="good"), by=vera, treated_as_missing=True)
    assert current_number(asked) == 1

    change_question(tone, by=vera, prompt="Which tone?")
    write_guidelines(asked, "Read it twice.", by=vera)
    assert current_number(asked) == 3


def test_versions_are_written_once(asked):
    with pytest.raises(DatabaseError, match=r"append-only|permission denied"):
        CodebookVersion.objects.filter(project=asked).update(number=7)


def test_changes_are_described_in_words(asked, vera):
    tone = asked.questions.get(key="tone")
    create_question(asked, by=vera, key="New?", is_required=False, categories=[{"key": "yes"}, {"key": "no"}])
    change_category(tone.categories.get(key="good"), by=vera, name="Very good", definition="Only praise")
    delete_category(tone.categories.get(key="bad"), by=vera)
    change_question(tone, by=vera, is_required=False, allows_abstention=False)
    write_guidelines(asked, "Read it **twice**.", by=vera)

    changes = changes_since(current_version(asked), 1)

    assert [change.sentence for change in changes.codebook] == [
        "“tone” is now optional.",
        "“tone” can no longer be answered “Cannot tell”.",
        "“good” of “tone” is now called “Very good”.",
        "Definition of “Very good” of “tone”:",
        "No longer an answer to “tone”: bad.",
        "New question: “New?” (optional). Answers: yes [w], no [e].",
    ]
    assert [line.sign for line in changes.guidelines] == ["+"]
    assert changes.subject == "The questions and the guidelines have changed"
    assert changes_since(current_version(asked), changes.number) is None
