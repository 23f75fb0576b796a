"""Changes of a project beside others that run at the same moment."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection, transaction

from projects import actions
from projects.codebook import questions
from projects.members import actions as members
from projects.models import Membership, Project
from projects.refusals import ProjectClosed
from tests import cast
from tests.labeling import new_question


@contextmanager
def running_import(project: Project) -> Iterator[None]:
    """Another transaction that refers to the project, as every import does from its first row on."""
    other = connection.copy()
    other.set_autocommit(False)
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT FROM projects_project WHERE id = %s FOR KEY SHARE", [project.pk])
            yield
    finally:
        other.close()


@pytest.fixture
def shared(committed_db) -> Project:
    project = cast.new_project("Shared", unique=True)
    for role in (Membership.Role.LEAD, Membership.Role.RATER):
        cast.member(project, role, username=role, unique=True)
    return project


@pytest.mark.parametrize("change", ["role", "remove", "question"])
def test_a_change_does_not_wait_for_an_import_that_runs(shared, change):
    member = shared.memberships.get(role="rater")
    changes = {
        "role": lambda: members.change_role(member, by=None, role="auditor"),
        "remove": lambda: members.remove_member(member, by=None),
        "question": lambda: questions.create_question(shared, by=None, categories=[], key="tone"),
    }

    with running_import(shared), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL lock_timeout = '200ms'")
        changes[change]()

    assert (shared.memberships.filter(role="rater").exists(), shared.questions.exists()) == (
        change == "question",
        change == "question",
    )


def test_the_role_of_someone_who_was_removed_meanwhile_is_not_changed(project, rita):
    member = project.memberships.get(user=rita)
    Membership.objects.filter(pk=member.pk).delete()

    with pytest.raises(Membership.DoesNotExist):
        members.change_role(member, by=None, role="auditor")


def test_a_question_comes_after_the_last(project):
    for place, key in enumerate(["a", "b"], start=1):
        new_question(project, key=key, position=place)

    question = questions.create_question(project, by=None, categories=[], key="c")

    assert question.position == 3


def test_a_project_that_was_closed_meanwhile_takes_no_question(project):
    Project.objects.filter(pk=project.pk).update(state="closed")

    with pytest.raises(ProjectClosed):
        questions.create_question(project, by=None, categories=[], key="tone")


@pytest.mark.parametrize("name", ["a__b", "a_-_b", "_a--b_"])
def test_a_slug_has_single_hyphens(project, name):
    assert actions.create_project(name, by=cast.person("paula")).slug == "a-b"


def test_a_derived_slug_is_free_however_many_projects_share_the_name(project):
    taken = ["opinions", *(f"opinions-{n}" for n in range(2, 1001))]
    Project.objects.bulk_create(Project(name="Opinions", slug=slug) for slug in taken)

    created = actions.create_project("Opinions", by=cast.person("paula"))

    assert created.slug == "opinions-1001"


def test_a_derived_slug_fits_even_with_a_number(project):
    name = "long " * 40
    paula = cast.person("paula")

    slugs = {actions.create_project(name, by=paula).slug for _ in range(3)}

    assert len(slugs) == 3
    assert all(len(slug) <= actions.MAX_SLUG for slug in slugs)
