"""The account page: where one is signed in, and the tokens of one's programs."""

import re

import pytest
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page, expect

from raters.accounts.tokens import make_token
from raters.models import User
from tests import cast
from tests.browser.access import faults_of
from tests.browser.people import sign_in, sign_in_by_form
from tests.sizes import only_in_full

SAFARI = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/18.5 Mobile/15E148 Safari/604.1"
)


@pytest.fixture
def stella(page: Page) -> User:
    return cast.person("stella", unique=True)


def phone_of(user: User) -> Client:
    phone = Client(headers={"User-Agent": SAFARI}, REMOTE_ADDR="2001:db8:85a3:8d3:1319:8a2e:370:7348")
    phone.post(reverse("account_login"), {"login": user.username, "password": cast.PASSWORD})
    assert phone.get("/").status_code == 200
    return phone


def test_a_session_elsewhere_is_ended(page: Page, stella: User):
    phone = phone_of(stella)
    sign_in_by_form(page, stella)
    page.goto(reverse("account"))
    sessions = page.locator("#sessions").get_by_role("listitem")

    expect(sessions).to_have_count(2)
    expect(sessions.nth(0)).to_contain_text("This session")
    sessions.nth(1).get_by_role("button", name="End session: Mobile Safari on iOS").click()

    expect(sessions).to_have_count(1)
    assert phone.get("/").status_code == 302


def test_a_token_is_created_and_revoked(page: Page, stella: User):
    sign_in(page, stella)
    page.goto(reverse("account"))
    tokens = page.locator("#tokens").get_by_role("listitem")

    page.get_by_label("Name").fill("nightly export")
    page.get_by_label("Scope").select_option("label")
    page.get_by_label("Expires").select_option("30")
    page.get_by_role("button", name="Create token").click()

    expect(page.get_by_label("New token")).to_contain_text(re.compile("irr_"))
    expect(tokens).to_have_count(1)
    expect(tokens).to_contain_text("label")
    tokens.get_by_role("button", name="Revoke nightly export").click()
    expect(tokens).to_have_count(0)


def fill(page: Page, user: User) -> None:
    phone_of(user)
    for name, scope in [
        ("nightly export", "read"),
        ("a model that labels images " * 2, "label"),
        ("all", "manage"),
    ]:
        make_token(user, name=name, scope=scope)
    sign_in(page, user)
    page.goto(reverse("account"))


def test_the_page_has_no_fault_of_access(page: Page, stella: User):
    fill(page, stella)

    assert faults_of(page) == []


@only_in_full
def test_the_page_fits_a_phone(page: Page, stella: User):
    page.set_viewport_size({"width": 390, "height": 844})
    fill(page, stella)

    assert page.evaluate("document.documentElement.scrollWidth") <= 390
