"""Guidelines that are being written are not lost: neither by a button at the top nor by a session that ends."""

import re

import pytest
from django.conf import settings
from playwright.sync_api import Page, expect

from projects.models import Membership
from raters.models import User
from tests import cast
from tests.browser.access import faults_of
from tests.browser.people import sign_in, sign_in_by_form
from tests.working import Work, new_work


@pytest.fixture
def guided_work(committed_db: None) -> Work:
    return new_work(n_items=3, n_raters=1)


@pytest.fixture
def writer(guided_work: Work) -> User:
    return cast.member(guided_work.project, Membership.Role.LEAD, username="lena", unique=True)


def edit(page: Page, guided_work: Work) -> None:
    page.goto(f"/p/{guided_work.project.slug}/codebook/guidelines/edit/")


def test_review_and_publish_saves_first(page: Page, guided_work: Work, writer: User):
    sign_in(page, writer)
    edit(page, guided_work)
    page.get_by_label("Guidelines").fill("Be fair.")
    page.get_by_role("button", name="Save in draft").click()
    edit(page, guided_work)
    page.get_by_label("Guidelines").fill("Be fair and kind.")
    assert faults_of(page) == []

    page.get_by_role("button", name="Review and publish").click()
    expect(page.get_by_role("heading", name="Draft")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("Be fair and kind.")
    edit(page, guided_work)
    page.get_by_label("Guidelines").fill("Be fair, kind, and quick.")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("Be fair, kind, and quick.")).to_be_visible()


def test_a_session_that_ends_loses_no_text(page: Page, guided_work: Work, writer: User):
    sign_in(page, writer)
    edit(page, guided_work)
    page.get_by_label("Guidelines").fill("A long text.")
    page.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)
    page.get_by_role("button", name="Save in draft").click()
    expect(page).to_have_url(re.compile("next="))

    sign_in_by_form(page, writer)
    edit(page, guided_work)
    expect(page.get_by_text("This browser kept a draft that you wrote on")).to_be_visible()
    expect(page.locator("[data-kept] time")).to_have_text(re.compile(r"^\d+ [A-Z][a-z]+ \d{4}, \d\d:\d\d$"))
    assert faults_of(page) == []
    page.get_by_role("button", name="Restore it").click()
    expect(page.get_by_label("Guidelines")).to_have_value("A long text.")
    page.get_by_role("button", name="Save in draft").click()
    expect(page.get_by_role("heading", name="Draft")).to_be_visible()
    edit(page, guided_work)
    expect(page.get_by_text("This browser kept")).to_be_hidden()
