"""A round of two items that a reference has labeled, and its lead."""

import pytest

from projects.models import Membership
from raters.models import Label, Rater
from tests import cast
from tests.working import new_work


@pytest.fixture
def school(db):
    work = new_work(n_items=2, usernames=["zoe", "yves"])
    reference = Rater.objects.create(project=work.project, key="gold", kind=Rater.Kind.REFERENCE)
    good = work.question.categories.get(key="good")
    for item in work.items:
        Label.objects.create(item=item, rater=reference, question=work.question, category=good)
    return work


@pytest.fixture
def of_lead(school):
    return cast.signed_in(cast.member(school.project, Membership.Role.LEAD, username="lara"))
