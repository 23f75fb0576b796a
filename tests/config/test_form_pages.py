"""Addresses that only take forms: a page with a link for who opens them, and the page of the form after signing in."""

import pytest
from django.urls import reverse

from core.web.form_pages import page_above
from tests import cast
from tests.config.routes import ROWS
from tests.config.routes.asking import client_of
from tests.labeling import new_question
from tests.reading import only_reads

pytestmark = pytest.mark.signed_in("lead")


@pytest.mark.parametrize(
    ("name", "above"),
    [
        ("codebook_order", "codebook"),
        ("codebook_category_order", "codebook_question"),
        ("project_restore", "project"),
    ],
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


# By the name of an address that may answer with the page of its form: that page, and how many arguments it takes.
PAGES = {
    "codebook_copy": ("codebook", 1),
    "codebook_start": ("codebook", 1),
    "codebook_category_add": ("codebook_question", 2),
    "member_change": ("members", 1),
    "invite": ("members", 1),
    "webhook_secret": ("webhook", 2),
    "token_create": ("account", 0),
    "notification_choices": ("account", 0),
    "model_run_resume": ("model_run", 2),
    "rater_link": ("raters", 1),
    "rater_kind": ("raters", 1),
    "project_history_verify": ("project_history", 1),
    "verify": ("provenance", 2),
    "report_share": ("provenance", 2),
}


@pytest.mark.parametrize("name", PAGES)
def test_reloading_the_answer_to_a_form_opens_its_page(worlds, name):
    world, _ = worlds
    args = next(row for row in ROWS if row.name == name and row.method == "post").args(world)
    page, n_args = PAGES[name]
    lead = client_of(world, "lead")

    with only_reads():
        response = lead.get(reverse(name, args=args))

    assert response.status_code == 302
    assert response["Location"] == reverse(page, args=args[:n_args])
    assert lead.get(response["Location"]).status_code == 200


@pytest.mark.parametrize("name", PAGES)
def test_other_methods_learn_which_are_allowed(worlds, name):
    world, _ = worlds
    args = next(row for row in ROWS if row.name == name and row.method == "post").args(world)

    response = client_of(world, "lead").put(reverse(name, args=args))

    assert response.status_code == 405
    assert response["Allow"] == "GET, HEAD, POST"


def test_a_stranger_learns_nothing(client, project):
    client.force_login(cast.person("stranger"))

    def answers(slug: str, name: str, *args: int) -> tuple[int, int]:
        address = reverse(name, args=[slug, *args])
        opened = client.get(address)
        page = client.get(address, follow=True)
        return opened.status_code, page.status_code

    for name, *args in [("invite",), ("member_change", 1), ("verify", 1)]:
        assert answers(project.slug, name, *args) == answers("no-such-project", name, *args) == (302, 404)
