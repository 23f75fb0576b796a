"""The page for labeling on screens of all sizes, by touch, and with something over it."""

import pytest
from playwright.sync_api import Browser, Page, expect

from raters.models import Assignment
from tests.browser.access import faults_of
from tests.browser.labeling import (
    all_sent,
    begin,
    expect_saved,
    home,
    item,
    press,
)
from tests.browser.people import sign_in
from tests.live import Site
from tests.sizes import only_in_full
from tests.working import Work, label_all


def test_the_guidelines_can_be_read_without_obstruction(page: Page, work: Work):
    begin(page, work)

    assert faults_of(page) == []


@pytest.mark.parametrize("size", [(390, 844), (640, 400)])
def test_on_a_phone_and_at_200_percent_nothing_scrolls_sideways(page: Page, work: Work, size):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    begin(page, work)

    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.get_by_role("radio", name="good").check()
    page.get_by_role("radio", name="sure").check()
    page.get_by_role("button", name="Save and next").click()
    expect(item(page, 2)).to_be_visible()


def test_by_touch_on_a_phone(browser: Browser, site: Site, work: Work):
    context = browser.new_context(
        base_url=site.url, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    begin(page, work)

    for number in (1, 2):
        expect(item(page, number)).to_be_visible()
        page.get_by_text("fair", exact=True).tap()
        page.get_by_text("sure", exact=True).tap()
        page.get_by_role("button", name="Save and next").tap()
    expect(item(page, 3)).to_be_visible()

    all_sent(page)
    expect_saved(work, [("item-1", "fair"), ("item-2", "fair")])
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    heights = page.eval_on_selector_all(
        "#answers .choice", "all => all.map(one => one.getBoundingClientRect().height)"
    )
    assert min(height for height in heights if height) >= 40
    context.close()


@only_in_full
def test_a_problem_message_covers_nothing(page: Page, work: Work):
    begin(page, work)
    press(page, "s", "Escape", "3", "Enter")
    expect(item(page, 2)).to_be_visible()
    press(page, "1", "Enter")
    expect(page.get_by_role("alert")).to_contain_text("Answer “")
    press(page, "?")

    assert faults_of(page) == []


@only_in_full
def test_nothing_covers_the_end_of_the_page(page: Page, work: Work):
    label_all(Assignment.objects.filter(rater=work.raters[0]))
    begin_at_the_end(page, work)

    assert faults_of(page) == []


def begin_at_the_end(page: Page, work: Work) -> None:
    sign_in(page, work.user())
    page.goto(home(work))
    expect(page.get_by_role("heading", name="All done")).to_be_visible()
