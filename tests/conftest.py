"""Fixtures that every folder of tests shares: the cast, the database, and the order of the folders."""

import pytest

from projects.models import Membership, Project
from raters.models import User
from tests import cast

# Fast and pure first, so that a mistake shows within seconds; real servers and faults last.
ORDER = ["reports/agreement", "projects", "raters", "reports", "config", "browser", "faults"]


def _place(item: pytest.Item) -> int:
    folders = item.path.parent.as_posix().partition("/tests/")[2]
    return next((place for place, name in enumerate(ORDER) if folders.startswith(name)), 4)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=_place)


@pytest.fixture
def project(db: None) -> Project:
    return cast.new_project()


@pytest.fixture
def lead(project: Project) -> User:
    return cast.member(project, Membership.Role.LEAD, username="lena")


@pytest.fixture
def adjudicator(project: Project) -> User:
    return cast.member(project, Membership.Role.ADJUDICATOR, username="ada")


@pytest.fixture
def auditor(project: Project) -> User:
    return cast.member(project, Membership.Role.AUDITOR, username="otto")


@pytest.fixture
def rita(project: Project) -> User:
    """A rater of the project."""
    return cast.member(project, Membership.Role.RATER, username="rita")


@pytest.fixture
def stranger(db: None) -> User:
    """Signed in, and a member of nothing."""
    return cast.person("stella")
