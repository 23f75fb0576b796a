"""What people do first."""

from django.conf import settings
from django.test import Client
from playwright.sync_api import Page, expect

from raters.models import User
from tests import cast


def sign_in(page: Page, user: User) -> None:
    """By a session made here: half a second of a core less than by the form, which a few tests go by."""
    client = Client()
    client.force_login(user)
    name = settings.SESSION_COOKIE_NAME
    value = client.cookies[name].value
    page.context.add_cookies([{"name": name, "value": value, "domain": "127.0.0.1", "path": "/"}])
    page.goto("/")
    expect(page.get_by_role("heading", name="Projects", exact=True)).to_be_visible()


def sign_in_by_form(page: Page, user: User) -> None:
    sign_in_on_the_way_to(page, user, "/")
    expect(page.get_by_role("heading", name="Projects", exact=True)).to_be_visible()


def sign_in_on_the_way_to(page: Page, user: User, address: str) -> None:
    page.goto(address)
    page.get_by_label("Username").fill(user.username)
    page.get_by_label("Password").fill(cast.PASSWORD)
    page.get_by_role("button", name="Sign in").click()
