"""A rater asks, the lead sees it among the notifications and answers, and the rater sees that there is an answer."""

from playwright.sync_api import Browser, Page, expect

from projects.models import Membership
from tests import cast
from tests.browser.access import faults_of
from tests.browser.labeling import home
from tests.browser.people import sign_in
from tests.live import Site
from tests.sizes import only_in_full
from tests.working import Work


def test_asked_and_answered(page: Page, browser: Browser, site: Site, work: Work) -> None:
    lead = cast.member(work.project, Membership.Role.LEAD, username="lena", unique=True)
    sign_in(page, work.user())
    page.goto(home(work))
    page.get_by_role("link", name="Ask a project lead about this item").click()
    page.get_by_label("Message").fill("Is irony good?")
    page.get_by_role("button", name="Send").click()

    context = browser.new_context(base_url=site.url)
    context.set_default_timeout(60_000)
    desk = context.new_page()
    sign_in(desk, lead)
    expect(desk.locator("#notifications-link")).to_contain_text("1")
    desk.locator("#notifications-link").click()
    assert faults_of(desk) == []
    # Nothing of the question itself.
    expect(desk.locator("main")).not_to_contain_text("irony")
    desk.locator("[data-notification=asked] button").click()
    desk.get_by_role("textbox", name="Answer").fill("Irony is bad.")
    desk.get_by_role("button", name="Answer", exact=True).click()
    expect(desk.locator("#notifications-link")).not_to_contain_text("1")
    context.close()

    page.goto("/")
    expect(page.locator("#notifications-link")).to_contain_text("1")
    page.locator("#notifications-link").click()
    page.locator("[data-notification=answered] button").click()
    page.locator("[data-own-thread] a").click()
    expect(page.locator("[data-message=answer]")).to_contain_text("Irony is bad.")
    expect(page.locator("#notifications-link")).not_to_contain_text("1")


@only_in_full
def test_choosing(page: Page, site: Site, work: Work) -> None:
    sign_in(page, work.user())
    page.goto("/account/#notifications")
    assert faults_of(page) == []
    page.get_by_label("Deadlines").select_option("off")
    page.get_by_role("button", name="Save notifications").click()

    expect(page.get_by_label("Deadlines")).to_have_value("off")
