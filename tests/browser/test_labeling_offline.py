"""Without a connection, a session or an answer of the server nothing is lost or done twice: promises P5 to P7.

`make faults` runs the sizes that the promises name; otherwise a tenth of them.
"""

import os
import random
import signal
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from raters.models import Label
from tests import chromium
from tests.browser.labeling import (
    begin,
    begin_with_items_ahead,
    expect_saved,
    home,
    item,
    n_revisions,
    press,
    saved_labels,
    two_questions,
)
from tests.browser.people import sign_in_by_form as sign_in
from tests.browser.people import sign_in_on_the_way_to
from tests.live import Site, away, wait_until
from tests.sizes import FULL, only_in_full
from tests.working import Work, new_rater

SEED = int(os.environ.get("FAULT_SEED", "1969"))


def test_twenty_answers_without_a_connection_all_arrive_once(loose_page: Page, work: Work):
    begin_with_items_ahead(loose_page, work)
    loose_page.context.set_offline(True)
    for number in range(1, 21):
        expect(item(loose_page, number)).to_be_visible()
        for key in ("2", "w", "Enter"):
            loose_page.keyboard.press(key)
    expect(item(loose_page, 21)).to_be_visible()
    expect(loose_page.get_by_role("alert")).to_contain_text("20 answers are kept in this browser")
    assert saved_labels(work) == []

    loose_page.close()
    # The session is over as well: nothing arrives before signing in again.
    page = loose_page.context.new_page()
    loose_page.context.clear_cookies()
    loose_page.context.set_offline(False)
    # Not by another page, which would send them too.
    sign_in_on_the_way_to(page, work.user(), home(work))

    expect(page.get_by_text("item-20 saved")).to_be_visible()
    expect_saved(work, [(f"item-{number}", "fair") for number in range(1, 21)])
    assert n_revisions(work) == 40


def test_a_session_that_ends_in_the_middle_loses_nothing(loose_page: Page, work: Work):
    begin_with_items_ahead(loose_page, work)
    loose_page.keyboard.press("3")
    loose_page.keyboard.press("q")
    # As when a session ends: the cookie against forged forms stays.
    loose_page.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)
    loose_page.keyboard.press("Enter")

    expect(loose_page.get_by_role("alert")).to_contain_text("You are signed out")
    # The answer is counted, but the page doesn't say that it is saved, or about to be.
    expect(loose_page.locator("[data-unsaved]")).to_have_text("1 not saved yet")
    expect(loose_page.locator("[data-saved]")).to_contain_text(
        "item-1 will be saved once you are signed in again"
    )
    press(loose_page, "Backspace")
    expect(item(loose_page, 1)).to_be_visible()
    expect(loose_page.get_by_role("radio", name="bad")).to_be_checked()
    assert saved_labels(work) == []
    other = loose_page.context.new_page()
    sign_in(other, work.user())

    expect(loose_page.get_by_text("item-1 saved")).to_be_visible()
    expect(loose_page.locator("[data-unsaved]")).to_have_count(0)
    expect_saved(work, [("item-1", "bad")])
    assert n_revisions(work) == 2


def started(site: Site, browser: Browser, folder: Path) -> BrowserContext:
    """A browser of its own that keeps what it knows in a folder, as people's browsers do."""
    return browser.browser_type.launch_persistent_context(
        folder, executable_path=chromium.find(), args=chromium.FLAGS, base_url=site.url
    )


def process_of(folder: Path) -> int:
    """The browser that was started on this folder, not one of its helpers."""
    for status in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            words = status.read_bytes().split(b"\0")
            if f"--user-data-dir={folder}".encode() in words and not any(
                b"--type=" in word for word in words
            ):
                return int(status.parent.name)
    raise AssertionError(f"no browser runs on {folder}")


def test_twenty_answers_outlive_a_reload_and_a_killed_browser(
    browser: Browser, site: Site, work: Work, tmp_path
):
    context = started(site, browser, tmp_path)
    page = context.new_page()
    begin_with_items_ahead(page, work)
    context.set_offline(True)
    for number in range(1, 21):
        expect(item(page, number)).to_be_visible()
        press(page, "2", "w", "Enter")
    expect(page.get_by_role("alert")).to_contain_text("20 answers are kept in this browser")
    with suppress(Exception):
        # There is nothing to load it from.
        page.reload()
    # A browser writes what it keeps to the disk after some seconds.
    kept = tmp_path / "Default" / "Local Storage" / "leveldb"
    wait_until(lambda: any(b"item-20" in file.read_bytes() for file in kept.glob("*.log")))
    os.kill(process_of(tmp_path), signal.SIGKILL)
    with suppress(Exception):
        context.close()
    assert len(saved_labels(work)) < 20

    context = started(site, browser, tmp_path)
    context.clear_cookies()
    page = context.new_page()
    sign_in_on_the_way_to(page, work.user(), home(work))

    expect(page.get_by_text("item-20 saved")).to_be_visible()
    expect_saved(work, [(f"item-{number}", "fair") for number in range(1, 21)])
    assert n_revisions(work) == 40
    context.close()


@only_in_full
def test_lost_answers_of_the_server_neither_lose_nor_double(loose_page: Page, committed_db):
    n_items = 100 if FULL else 10
    work, chance, lost = two_questions(n_items=n_items), random.Random(SEED), []

    def answer(route: Route) -> None:
        # The server does its work in any case; what it says of it does not arrive.
        response = route.fetch()
        if chance.random() < 0.3:
            lost.append(response.status)
            route.abort()
        else:
            route.fulfill(response=response)

    loose_page.route("**/answers/", answer)
    begin(loose_page, work)
    for number in range(1, n_items + 1):
        expect(item(loose_page, number)).to_be_visible()
        press(loose_page, "2", "w", "Enter")

    # What is lost time and again is sent again more and more seldom.
    expect(loose_page.get_by_role("heading", name="All done")).to_be_visible(timeout=120_000)
    expect(loose_page.get_by_text("kept in this browser")).to_be_hidden()
    assert lost
    expect_saved(work, [(f"item-{number}", "fair") for number in range(1, n_items + 1)])
    assert n_revisions(work) == 2 * n_items


def test_an_answer_is_kept_while_the_database_is_away(loose_page: Page, work: Work, live_database: str):
    begin_with_items_ahead(loose_page, work)
    with away(live_database):
        with loose_page.expect_response("**/answers/") as refused:
            press(loose_page, "1", "q", "Enter")
        expect(loose_page.get_by_text("item-1 will be saved")).to_be_visible()
    assert refused.value.status == 503

    loose_page.evaluate("dispatchEvent(new Event('online'))")

    wait_until(lambda: saved_labels(work) == [("item-1", "good")])


def test_nobody_else_at_this_browser_sends_or_sees_it(loose_page: Page, work: Work):
    other = new_rater(work.project)
    begin(loose_page, work)
    # An answer still on its way, as of the item after this one, would bring its cookie after they are taken away.
    loose_page.wait_for_load_state("networkidle")
    loose_page.context.set_offline(True)
    press(loose_page, "1", "q", "Enter")
    expect(loose_page.get_by_role("alert")).to_contain_text("1 answer is kept")
    loose_page.context.clear_cookies()
    loose_page.context.set_offline(False)
    expect(loose_page.get_by_role("alert")).to_contain_text("You are signed out")
    # What the page asks meanwhile brings no cookie that would make void the form on which one signs in elsewhere.
    assert loose_page.context.cookies() == []
    second = loose_page.context.new_page()
    sign_in(second, other.user)
    second.goto(home(work))

    expect(
        second.get_by_role("heading", name="All done").or_(
            second.get_by_role("heading", name="Nothing to label yet")
        )
    ).to_be_visible()
    with loose_page.expect_response("**/answers/") as refused:
        loose_page.evaluate("dispatchEvent(new Event('online'))")
    assert refused.value.status == 403
    assert not Label.objects.filter(question__project=work.project).exists()


@only_in_full
def test_an_answer_that_waits_can_be_taken_back(loose_page: Page, work: Work):
    begin_with_items_ahead(loose_page, work)
    loose_page.context.set_offline(True)
    press(loose_page, "3", "w", "Enter")
    expect(item(loose_page, 2)).to_be_visible()
    # While it is on its way, it may have arrived: then it can only be saved over.
    expect(loose_page.get_by_role("alert")).to_contain_text("No connection. 1 answer is kept")

    press(loose_page, "u")

    expect(item(loose_page, 1)).to_be_visible()
    loose_page.context.set_offline(False)
    press(loose_page, "1", "Enter")
    expect(item(loose_page, 2)).to_be_visible()
    expect(loose_page.get_by_text("kept in this browser")).to_be_hidden(timeout=120_000)
    expect_saved(work, [("item-1", "good")])
    assert n_revisions(work) == 2


@only_in_full
def test_what_waits_is_sent_from_any_page_after_signing_in(loose_page: Page, work: Work):
    begin_with_items_ahead(loose_page, work)
    loose_page.context.set_offline(True)
    for number in (2, 3):
        press(loose_page, "2", "w", "Enter")
        expect(item(loose_page, number)).to_be_visible()
    loose_page.close()
    loose_page.context.clear_cookies()
    loose_page.context.set_offline(False)
    page = loose_page.context.new_page()

    sign_in(page, work.user())

    expect(page.get_by_role("status")).to_contain_text("Saved 2 answers kept in this browser.")
    expect_saved(work, [("item-1", "fair"), ("item-2", "fair")])
