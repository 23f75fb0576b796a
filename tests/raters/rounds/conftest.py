"""Raters of a project with items, and a round in which two raters labeled."""

import pytest

from projects.models import Item, Membership
from raters.labeling.answers import Answer
from tests import cast
from tests.working import answer, new_work


@pytest.fixture
def raters(project):
    Item.objects.bulk_create(Item(project=project, key=f"item-{n}") for n in range(100))
    return [cast.member(project, Membership.Role.RATER, username=name) for name in ("ana", "ben", "cleo")]


@pytest.fixture
def agreed_on_three(db):
    """Two raters agree on three of four items."""
    work = new_work(n_items=4, usernames=["zoe", "yves"])
    for place, (zoe, yves) in enumerate(
        [("good", "good"), ("bad", "bad"), ("fair", "fair"), ("good", "bad")]
    ):
        for rater, label in enumerate([zoe, yves]):
            answer(work, {"tone": Answer(category=label, note="for the lead")}, place=place, rater=rater)
    return work


@pytest.fixture
def leader(work):
    return cast.member(work.project, Membership.Role.LEAD, username="lena")
