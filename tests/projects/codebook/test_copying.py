"""A codebook goes over to another project whole, or not at all; and those to start from hold."""

import pytest

from projects.codebook import copying, starters
from projects.codebook.codebook_rules import PAGE_KEYS, SHORTCUTS, VALUED
from projects.codebook.guidelines import write_guidelines
from projects.models import Category, Project, Question
from projects.queries import current_guidelines_version
from projects.refusals import KeyTaken, ProjectClosed
from tests import cast
from tests.labeling import new_question


@pytest.fixture
def source(lead) -> Project:
    source = cast.new_project("Source")
    question = new_question(source, key="tone", prompt="How?", level="ordinal", allows_abstention=False)
    Category.objects.filter(question=question, key="yes").update(
        name="Yes", definition="It is.", examples="so", shortcut="y", color="blue", value=2.0
    )
    write_guidelines(source, "Look.", by=lead)
    return source


def test_a_copy_is_what_was_copied(source, project, lead):
    new_question(project, key="other")

    copying.copy_codebook(source, project, by=lead)

    assert copying.described(project)[1:] == copying.described(source)
    assert copying.described(source)[0]["categories"][0]["examples"] == "so"
    assert current_guidelines_version(project) == 0


def test_guidelines_go_along_when_asked(source, project, lead):
    write_guidelines(project, "Ours.", by=lead)

    copying.copy_codebook(source, project, by=lead, with_guidelines=True)

    project.refresh_from_db()
    assert (project.guidelines, current_guidelines_version(project)) == ("Look.", 2)


def test_what_was_merged_is_not_copied(source, project, lead):
    yes, no = Category.objects.order_by("position")
    Category.objects.filter(pk=no.pk).update(merged_into=yes, position=None)

    copying.copy_codebook(source, project, by=lead)

    assert [c["key"] for c in copying.described(project)[0]["categories"]] == ["yes"]


def test_nothing_is_copied_over_a_question_that_is_there(source, project, lead):
    new_question(source, key="new", position=5)
    new_question(project, key="tone")

    with pytest.raises(KeyTaken, match="Nothing was copied: a question with the key 'tone'"):
        copying.copy_codebook(source, project, by=lead)

    assert project.questions.count() == 1


def test_nothing_is_copied_next_to_a_question_that_looks_the_same(source, project, lead):
    new_question(project, key="Tone")

    with pytest.raises(KeyTaken, match="'Tone' already exists, and 'tone' differs only by case"):
        copying.copy_codebook(source, project, by=lead)


def test_nothing_is_copied_into_a_closed_codebook(source, project, lead):
    Project.objects.filter(pk=project.pk).update(is_codebook_closed=True)

    with pytest.raises(ProjectClosed):
        copying.copy_codebook(source, project, by=lead)


@pytest.mark.parametrize("key", starters.NAMES)
def test_a_codebook_to_start_from_becomes_a_codebook(project, lead, key):
    starter = starters.starters()[key]

    made = copying.start_from(starter, project, by=lead)

    project.refresh_from_db()
    assert [question.key for question in made] == [question["key"] for question in starter.questions]
    assert project.guidelines == starter.guidelines
    assert current_guidelines_version(project) == 1
    for question in Question.objects.all():
        assert question.prompt
        assert question.categories.exists() == (question.kind != "number")
        assert all(category.definition for category in question.categories.all())
        if question.level in VALUED and question.kind != "number":
            assert all(category.value is not None for category in question.categories.all())
    # All stand on one page: each key is given once, and none is the page's own.
    keys = list(Category.objects.values_list("shortcut", flat=True))
    assert len(set(keys)) == len(keys)
    assert set(keys) <= SHORTCUTS - set(PAGE_KEYS)


def test_starting_leaves_guidelines_that_are_there(project, lead):
    write_guidelines(project, "Ours.", by=lead)

    copying.start_from(starters.starters()["sentiment"], project, by=lead)

    project.refresh_from_db()
    assert project.guidelines == "Ours."


def test_all_codebooks_to_start_from_are_offered():
    files = {file.stem for file in starters.FOLDER.glob("*.json")}

    assert files == set(starters.NAMES) == set(starters.starters())
