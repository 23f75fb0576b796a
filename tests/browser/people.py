"""What people do first."""

from playwright.sync_api import Page, expect

from raters.models import User
from tests import cast


def sign_in(page: Page, user: User) -> None:
    page.goto("/")
    page.get_by_label("User name").fill(user.username)
    page.get_by_label("Password").fill(cast.PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Projects")).to_be_visible()
