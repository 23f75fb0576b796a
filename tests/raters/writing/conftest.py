"""A project whose labels have all that labels can have, with names that are hard to write."""

import pytest

from tests import cast
from tests.raters.writing.projects import rich_project


@pytest.fixture
def lead(committed_db):
    return cast.person("lena", unique=True)


@pytest.fixture
def rich(lead):
    project = rich_project("Rich")
    project.memberships.create(user=lead, role="lead")
    return project
