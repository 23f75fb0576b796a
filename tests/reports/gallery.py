"""Finished things that a process makes once and every test looks at; what a test does to one is taken back."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import TypeVar

from django.db import transaction

from projects.models import Project
from raters.models import User
from reports.models import Report
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, from_table, labeled_project, new_question

Made = TypeVar("Made", Project, Report)


@contextmanager
def on_show(make: Callable[[User], Made], lead: User) -> Iterator[Made]:
    """What `make` made, led by this lead too."""
    pk = _once(make)
    with transaction.atomic():
        made = make.__annotations__["return"].objects.get(pk=pk)
        project = made if isinstance(made, Project) else made.project
        project.memberships.create(user=lead, role="lead")
        yield made
        transaction.set_rollback(True)


@cache
def _once(make: Callable[[User], Made]) -> int:
    return make(cast.person("gallery", unique=True)).pk


def cats(lead: User) -> Project:
    project = cast.new_project("Cats and dogs", unique=True)
    _label_cats(project, "answer")
    return project


# As an address must not hold it unquoted.
def cats_of_an_odd_key(lead: User) -> Project:
    project = cast.new_project("Cats and dogs", unique=True)
    _label_cats(project, "a/b")
    return project


def _label_cats(project: Project, key: str) -> None:
    categories = ("cat", "dog")
    question = new_question(project, key=key, categories=categories)
    add_labels(question, from_table([[22, 9], [7, 13]], categories))


def cats_computed(lead: User) -> Report:
    return finished_report(_led(cats(lead), lead), lead)


def fruits(lead: User) -> Report:
    project = cast.new_project("Fruits", unique=True)
    names = ("apple", "pear", "plum")
    question = new_question(project, categories=names)
    add_labels(question, from_table([[40, 20, 2], [5, 30, 1], [1, 1, 50]], names))
    return finished_report(_led(project, lead), lead)


def five_raters(lead: User) -> Report:
    return finished_report(_led(labeled_project("Matrix", n_raters=5), lead), lead)


def _led(project: Project, lead: User) -> Project:
    project.memberships.create(user=lead, role="lead")
    return project
