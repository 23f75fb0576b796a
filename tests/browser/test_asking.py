"""A rater asks about an item, the lead answers and carries it into the guidelines, the rater reads it."""

from playwright.sync_api import Browser, Page, expect

from projects.models import Membership
from raters.models import Thread
from tests import cast
from tests.browser.access import faults_of
from tests.browser.labeling import home, item
from tests.browser.people import sign_in
from tests.live import Site
from tests.working import Work


def test_ask_answer_and_read(page: Page, browser: Browser, site: Site, work: Work) -> None:
    lead = cast.member(work.project, Membership.Role.LEAD, username="lena", unique=True)
    sign_in(page, work.user())
    page.goto(home(work))
    page.get_by_role("radio", name="fair", exact=True).check()
    page.get_by_role("link", name="Ask a project lead about this item").click()
    page.get_by_label("Message").fill("Is irony good?")
    assert faults_of(page) == []
    page.get_by_role("button", name="Send").click()
    expect(page.locator("[data-message=question]")).to_contain_text("Is irony good?")

    context = browser.new_context(base_url=site.url)
    context.set_default_timeout(60_000)
    desk = context.new_page()
    sign_in(desk, lead)
    desk.goto(f"/p/{work.project.slug}/threads/")
    assert faults_of(desk) == []
    desk.get_by_role("textbox", name="Answer").fill("Irony is bad.")
    desk.get_by_role("button", name="Answer, and add to the guidelines").click()
    expect(desk.get_by_role("textbox", name="Guidelines")).to_have_value(
        "**Good** means that it is good.\n\nIrony is bad.\n"
    )
    context.close()

    # What was chosen before is still there.
    page.goto(home(work))
    expect(item(page, 1)).to_be_visible()
    expect(page.get_by_role("radio", name="fair", exact=True)).to_be_checked()
    page.locator("[data-news]").click()
    page.locator("[data-own-thread] a").click()
    expect(page.locator("[data-message=answer]")).to_contain_text("Irony is bad.")
    page.get_by_role("button", name="Mark as read").click()
    assert faults_of(page) == []
    assert not Thread.objects.get(item__project=work.project).has_news
