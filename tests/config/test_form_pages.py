"""Addresses that only take forms: a page with a link for who opens them, and the page of the form after signing in."""

import pytest
from django.urls import reverse

from core.web.form_pages import page_above
from tests import cast
from tests.labeling import new_question

pytestmark = pytest.mark.signed_in("lead")


@pytest.mark.parametrize(
    ("name", "above"),
    [("invite", "members"), ("codebook_category_add", "codebook_question"), ("project_restore", "project")],
)
def test_opening_one_shows_a_page_with_a_link(client, project, name, above):
    pk = [new_question(project).pk] if "category" in name else []
    address = reverse(name, args=[project.slug, *pk])

    response = client.get(address)

    assert response.status_code == 405
    assert response["Allow"] == "POST"
    page = response.content.decode()
    assert "There is no page at this address" in page
    assert f'href="{reverse(above, args=[project.slug, *pk])}"' in page


def test_programs_still_get_json(client, project):
    response = client.delete("/api/v1/projects/")

    assert response.status_code == 405
    assert response.json()["error"] == "method_not_allowed"


def test_signing_in_after_the_session_expired_leads_to_the_page_of_the_form(client, project):
    question = new_question(project)
    add = reverse("codebook_category_add", args=[project.slug, question.pk])
    page = reverse("codebook_question", args=[project.slug, question.pk])
    client.logout()

    from_form = client.post(add, headers={"referer": f"http://testserver{page}?x=1"})
    without = client.post(add)
    opened = client.get(add)
    elsewhere = client.post(add, headers={"referer": f"https://example.org{page}?x=1"})
    own = client.post(f"{page}?a=b")

    sign_in = reverse("account_login")
    assert from_form["Location"] == f"{sign_in}?next={page}%3Fx%3D1"
    assert {each["Location"] for each in (without, opened, elsewhere)} == {f"{sign_in}?next={page}"}
    assert own["Location"] == f"{sign_in}?next={page}%3Fa%3Db"


@pytest.mark.parametrize(
    ("method", "mode", "n_notices"),
    [("post", "navigate", 1), ("post", None, 1), ("post", "same-origin", 0), ("get", "navigate", 0)],
)
def test_the_sign_in_page_says_that_a_form_was_not_saved(client, project, method, mode, n_notices):
    client.logout()

    headers = {"Sec-Fetch-Mode": mode} if mode else {}
    page = getattr(client, method)(reverse("project_edit", args=[project.slug]), headers=headers, follow=True)

    assert page.content.decode().count('class="notice warning"') == n_notices


def test_what_is_above_an_unknown_address_is_the_start_page():
    assert page_above("/nowhere/at/all/") == "/"


def test_a_stranger_learns_nothing(client, project):
    client.force_login(cast.person("stranger"))

    assert client.get(reverse("invite", args=[project.slug])).status_code == 405
