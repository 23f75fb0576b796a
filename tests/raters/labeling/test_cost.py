"""What a save and the next item ask of the database: few statements, which nobody composes again."""

from uuid import uuid4

import pytest
from django.db.models.sql.compiler import SQLCompiler
from django.urls import reverse

from raters.models import Label
from tests.labeling import new_question

pytestmark = pytest.mark.signed_in("first_rater")

# The session and the user, which every page asks for.
OF_ANY_PAGE = 2


@pytest.fixture
def composed(monkeypatch):
    """The models of the queries that Django composes."""
    found = []
    compose = SQLCompiler.as_sql

    def noting(self, *args, **more):
        found.append(self.query.model)
        return compose(self, *args, **more)

    monkeypatch.setattr(SQLCompiler, "as_sql", noting)
    return found


@pytest.fixture
def addresses(work):
    """What comes next, and where to save the first and the second item."""
    saves = [
        reverse("api_answers", args=[work.project.slug, work.assignment(place).pk]) for place in range(2)
    ]
    return [f"{reverse('label', args=[work.project.slug])}?in_place", *saves]


def save(client, address, *questions):
    answers = [{"question": key, "category": "good"} for key in ("tone", *questions)]
    body = {"answers": answers, "revisions": [], "codebook_version": 1}
    headers = {"Idempotency-Key": str(uuid4())}
    response = client.put(address, body, content_type="application/json", headers=headers)
    assert response.status_code == 200


def test_they_take_few_statements(client, work, addresses, django_assert_max_num_queries):
    new_question(work.project, key="more", categories=("good", "bad"), position=1)
    following, first, second = addresses
    save(client, first, "more")

    with django_assert_max_num_queries(11):
        assert client.get(following).status_code == 200
    with django_assert_max_num_queries(14):
        save(client, second, "more")

    assert Label.objects.count() == 4


def test_no_query_is_composed_again(client, addresses, composed):
    following, first, second = addresses
    client.get(following)
    save(client, first)
    composed.clear()

    client.get(following)
    save(client, second)

    assert len(composed) == 2 * OF_ANY_PAGE, composed
