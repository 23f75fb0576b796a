"""Labeling where items are handed out on demand: none for looking, and no waiting for the next one."""

import pytest
from playwright.sync_api import Browser, Page, expect

from raters.models import Assignment
from tests.browser.access import faults_of
from tests.browser.labeling import all_sent, home, item, press, saved_labels
from tests.browser.people import sign_in
from tests.live import Site
from tests.sizes import only_in_full
from tests.working import Work, new_work


@pytest.fixture
def on_demand(committed_db: None) -> Work:
    return new_work(n_items=6, n_raters=2, places=1)


def n_taken(work: Work, rater: int = 0) -> int:
    return Assignment.objects.filter(rater=work.raters[rater]).count()


def look(page: Page, work: Work) -> None:
    """Until nothing is asked of the server any more."""
    page.goto(home(work))
    page.wait_for_load_state("networkidle")


def start(page: Page, work: Work) -> None:
    sign_in(page, work.user())
    page.goto(home(work))
    begin_here(page, 1)


def begin_here(page: Page, number: int) -> None:
    page.get_by_role("button", name="Start labeling").click()
    expect(item(page, number)).to_be_visible()
    # Keys are pressed once the script listens to them.
    page.wait_for_load_state()


@only_in_full
def test_looking_takes_no_assignment(page: Page, on_demand: Work):
    sign_in(page, on_demand.user())
    look(page, on_demand)
    assert n_taken(on_demand) == 0
    assert faults_of(page) == []

    begin_here(page, 1)
    # Also a script takes none ahead of time for one who has not begun.
    look(page, on_demand)
    expect(item(page, 1)).to_be_visible()
    assert n_taken(on_demand) == 1


@only_in_full
def test_the_next_item_is_there_before_it_is_needed(page: Page, on_demand: Work):
    start(page, on_demand)
    with page.expect_response(lambda response: response.url.endswith(home(on_demand))):
        press(page, "1")
    assert n_taken(on_demand) == 2

    with page.expect_response(lambda response: response.url.endswith(home(on_demand))):
        press(page, "Enter")
        # It is shown though what follows has not arrived, and never loaded anew.
        expect(item(page, 2)).to_be_visible()

    # One is before the rater, one lies ahead, and no more.
    all_sent(page)
    page.wait_for_load_state("networkidle")
    assert n_taken(on_demand) == 3
    assert saved_labels(on_demand) == [("item-1", "good")]


def test_all_items_by_keys_alone(page: Page, on_demand: Work):
    start(page, on_demand)
    for number in range(1, 7):
        expect(item(page, number)).to_be_visible()
        press(page, "2", "Enter")

    expect(page.get_by_role("heading", name="All done")).to_be_visible()
    assert len(saved_labels(on_demand)) == 6


@only_in_full
def test_two_tabs_share_what_is_theirs(page: Page, on_demand: Work):
    start(page, on_demand)
    other = page.context.new_page()
    other.goto(home(on_demand))
    expect(item(other, 1)).to_be_visible()
    for tab in (page, other):
        press(tab, "1")
        tab.wait_for_load_state("networkidle")

    assert n_taken(on_demand) == 2
    press(page, "Enter")
    expect(item(page, 2)).to_be_visible()
    expect(other.get_by_text("just saved in another tab")).to_be_visible()


@only_in_full
def test_two_raters_never_get_the_same(page: Page, browser: Browser, site: Site, on_demand: Work):
    start(page, on_demand)
    context = browser.new_context(base_url=site.url)
    other = context.new_page()
    sign_in(other, on_demand.user(1))
    other.goto(home(on_demand))
    begin_here(other, 2)

    for _ in range(3):
        for tab in (page, other):
            heading = tab.get_by_role("heading", level=1)
            before = heading.inner_text()
            press(tab, "1", "Enter")
            expect(heading).not_to_have_text(before)
            all_sent(tab)

    context.close()
    keys = [key for rater in (0, 1) for key, _ in saved_labels(on_demand, rater)]
    assert sorted(keys) == sorted(set(keys))


def test_the_next_item_is_there_without_a_connection(loose_page: Page, on_demand: Work):
    start(loose_page, on_demand)
    with loose_page.expect_response(lambda response: response.url.endswith(home(on_demand))):
        press(loose_page, "1")
    loose_page.wait_for_load_state("networkidle")
    loose_page.context.set_offline(True)
    press(loose_page, "Enter")
    expect(item(loose_page, 2)).to_be_visible()
    press(loose_page, "3", "Enter")
    expect(loose_page.get_by_text("This item can’t be loaded right now")).to_be_visible()

    loose_page.context.set_offline(False)

    expect(loose_page.get_by_text("item-2 saved")).to_be_visible()
    assert saved_labels(on_demand) == [("item-1", "good"), ("item-2", "bad")]


@only_in_full
def test_without_scripts(plain_page: Page, on_demand: Work):
    start(plain_page, on_demand)
    for number in range(1, 6):
        expect(item(plain_page, number)).to_be_visible()
        # One at a time.
        assert n_taken(on_demand) == number
        plain_page.get_by_role("radio", name="fair").check()
        plain_page.get_by_role("button", name="Save and next").click()
    expect(plain_page.get_by_text("item-5 saved")).to_be_visible()
    plain_page.get_by_role("button", name="Skip").click()

    # It is all that is left.
    expect(plain_page.get_by_text("item-6 skipped")).to_be_visible()
    expect(item(plain_page, 6)).to_be_visible()
