"""Nothing that a rater says is lost, and nothing is done twice: promises P5 to P7 at the browser.

`make faults` runs the sizes that the promises name; otherwise a tenth of them.
"""

import os
import random
import re
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from projects.codebook.categories import change_category
from projects.codebook.guidelines import write_guidelines
from projects.codebook.questions import create_question
from projects.models import Membership
from raters.merging.actions import merge_category
from raters.models import Label, LabelRevision
from tests import cast, chromium
from tests.browser.labeling import (
    begin,
    begin_with_items_ahead,
    home,
    item,
    n_revisions,
    press,
    said,
    two_questions,
)
from tests.browser.people import sign_in_by_form as sign_in
from tests.browser.people import sign_in_on_the_way_to
from tests.live import Site, away, wait_until
from tests.sizes import FULL
from tests.working import Work, new_rater

SEED = int(os.environ.get("FAULT_SEED", "1969"))


def test_a_double_click_saves_once(page: Page, work: Work):
    begin(page, work)
    page.keyboard.press("1")
    page.keyboard.press("q")

    page.get_by_role("button", name="Save and next").dblclick()

    expect(item(page, 2)).to_be_visible()
    assert said(work) == [("item-1", "good")]
    assert n_revisions(work) == 2


def test_the_back_button_shows_what_was_saved(page: Page, work: Work):
    begin(page, work)
    page.keyboard.press("3")
    page.keyboard.press("q")
    page.keyboard.press("Enter")
    expect(item(page, 2)).to_be_visible()

    page.go_back()

    expect(item(page, 1)).to_be_visible()
    expect(page.get_by_role("radio", name="bad")).to_be_checked()
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(item(page, 2)).to_be_visible()
    assert said(work) == [("item-1", "good")]


def test_the_second_of_two_tabs_is_told_and_keeps_its_draft(page: Page, work: Work):
    begin(page, work)
    other = page.context.new_page()
    other.goto(page.url)
    for key in ("1", "q", "Enter"):
        page.keyboard.press(key)
    expect(item(page, 2)).to_be_visible()

    for key in ("3", "w", "Enter"):
        other.keyboard.press(key)

    expect(other.get_by_role("alert")).to_contain_text("Currently saved: tone: good")
    expect(other.get_by_role("radio", name="bad")).to_be_checked()
    assert said(work) == [("item-1", "good")]
    other.keyboard.press("Enter")
    expect(item(other, 2)).to_be_visible()
    assert said(work) == [("item-1", "bad")]


def test_twenty_answers_without_a_connection_all_arrive_once(loose_page: Page, work: Work):
    begin_with_items_ahead(loose_page, work)
    loose_page.context.set_offline(True)
    for number in range(1, 21):
        expect(item(loose_page, number)).to_be_visible()
        for key in ("2", "w", "Enter"):
            loose_page.keyboard.press(key)
    expect(item(loose_page, 21)).to_be_visible()
    expect(loose_page.get_by_role("alert")).to_contain_text("20 answers are kept in this browser")
    assert said(work) == []

    loose_page.close()
    # The session is over as well: nothing arrives before signing in again.
    page = loose_page.context.new_page()
    loose_page.context.clear_cookies()
    loose_page.context.set_offline(False)
    # Not by another page, which would send them too.
    sign_in_on_the_way_to(page, work.user(), home(work))

    expect(page.get_by_text("item-20 saved")).to_be_visible()
    assert said(work) == [(f"item-{number}", "fair") for number in range(1, 21)]
    assert n_revisions(work) == 40


def test_a_session_that_ends_in_the_middle_loses_nothing(loose_page: Page, work: Work):
    begin(loose_page, work)
    loose_page.keyboard.press("3")
    loose_page.keyboard.press("q")
    # As when a session ends: the cookie against forged forms stays.
    loose_page.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)
    loose_page.keyboard.press("Enter")

    expect(loose_page.get_by_role("alert")).to_contain_text("You are signed out")
    expect(loose_page.get_by_role("radio", name="bad")).to_be_checked()
    assert said(work) == []
    other = loose_page.context.new_page()
    sign_in(other, work.user())

    expect(loose_page.get_by_text("item-1 saved")).to_be_visible()
    assert said(work) == [("item-1", "bad")]
    assert n_revisions(work) == 2


def test_a_draft_is_back_after_a_reload(page: Page, work: Work):
    begin(page, work)
    page.keyboard.press("2")
    page.get_by_label("Note for the project lead").fill("Half a thought")

    page.reload()

    expect(page.get_by_role("radio", name="fair")).to_be_checked()
    expect(page.get_by_label("Note for the project lead")).to_have_value("Half a thought")


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
    assert len(said(work)) < 20

    context = started(site, browser, tmp_path)
    context.clear_cookies()
    page = context.new_page()
    sign_in_on_the_way_to(page, work.user(), home(work))

    expect(page.get_by_text("item-20 saved")).to_be_visible()
    assert said(work) == [(f"item-{number}", "fair") for number in range(1, 21)]
    assert n_revisions(work) == 40
    context.close()


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
    assert said(work) == [(f"item-{number}", "fair") for number in range(1, n_items + 1)]
    assert n_revisions(work) == 2 * n_items


def test_two_tabs_at_the_same_moment_never_overwrite(page: Page, committed_db):
    n_rounds = 50 if FULL else 5
    work = two_questions(n_items=n_rounds + 1)
    begin(page, work)
    other = page.context.new_page()
    for number in range(1, n_rounds + 1):
        address = f"{home(work)}{work.assignment(number - 1).pk}/"
        for tab, key in ((page, "1"), (other, "3")):
            tab.goto(address)
            press(tab, key, "q")
        # Both are sent before either is answered.
        for tab in (page, other):
            tab.evaluate("setTimeout(() => document.querySelector('#answers .primary').click(), 20) && null")
        settled(work, (page, other), number)

    assert LabelRevision.objects.filter(rater_id=work.raters[0].pk).exclude(change="I").count() == 0
    assert n_revisions(work) == 2 * n_rounds


def settled(work: Work, tabs: Sequence[Page], number: int) -> None:
    """Wait until one answer to an item is saved, and a tab has said that the other was second."""
    # Above the item; above another one if the tab had gone on.
    told = re.compile(rf"Currently saved|item-{number} was not saved")
    wait_until(lambda: any(tab.get_by_text(told).count() for tab in tabs))
    wait_until(lambda: n_revisions(work) == 2 * number)


def test_an_answer_of_another_tab_that_is_under_way_is_neither_passed_over_nor_dropped(
    loose_page: Page, work: Work
):
    begin(loose_page, work)
    other = loose_page.context.new_page()
    other.goto(loose_page.url)
    press(other, "3", "w")
    # The first tab's answer does not arrive while it waits for it.
    loose_page.route("**/answers/", lambda route: route.abort())
    press(loose_page, "1", "q", "Enter")
    expect(loose_page.get_by_text("item-1 will be saved")).to_be_visible()

    # The second tab finds it in the browser, and sends it.
    other.evaluate("dispatchEvent(new Event('online'))")

    expect(other.get_by_text("item-1 saved")).to_be_visible()
    expect(other.get_by_role("radio", name="bad")).to_be_checked()
    press(other, "Enter")
    expect(other.get_by_role("alert")).to_contain_text("Currently saved: tone: good")
    assert said(work) == [("item-1", "good")]


def test_an_answer_is_kept_while_the_database_is_away(loose_page: Page, work: Work, live_database: str):
    begin(loose_page, work)
    with away(live_database):
        with loose_page.expect_response("**/answers/") as refused:
            press(loose_page, "1", "q", "Enter")
        expect(loose_page.get_by_text("item-1 will be saved")).to_be_visible()
    assert refused.value.status == 503

    loose_page.evaluate("dispatchEvent(new Event('online'))")

    wait_until(lambda: said(work) == [("item-1", "good")])


def test_of_two_answers_that_wait_in_two_tabs_neither_is_dropped_unseen(loose_page: Page, work: Work):
    begin(loose_page, work)
    other = loose_page.context.new_page()
    other.goto(loose_page.url)
    for tab in (loose_page, other):
        tab.route("**/answers/", lambda route: route.abort())
    for tab, key in ((loose_page, "1"), (other, "3")):
        press(tab, key, "q", "Enter")
        expect(tab.get_by_text("item-1 will be saved")).to_be_visible()

    other.unroute("**/answers/")

    expect(other.get_by_role("alert")).to_contain_text(
        "item-1 was not saved: This item was changed since you opened it"
    )
    assert said(work) == [("item-1", "good")]


def test_a_draft_over_a_label_that_is_newer_says_so(page: Page, work: Work):
    begin(page, work)
    other = page.context.new_page()
    other.goto(page.url)
    press(page, "1", "q", "Enter")
    expect(item(page, 2)).to_be_visible()
    press(other, "3")

    other.reload()

    expect(other.get_by_role("alert")).to_contain_text(
        "Saved in the meantime: tone: good; How sure are you? guess."
    )
    expect(other.get_by_role("radio", name="bad")).to_be_checked()
    assert said(work) == [("item-1", "good")]


def test_the_other_tab_hears_what_was_saved(page: Page, work: Work):
    begin(page, work)
    other = page.context.new_page()
    other.goto(page.url)
    expect(item(other, 1)).to_be_visible()

    press(page, "1", "q", "Enter")

    expect(other.get_by_role("alert")).to_contain_text("saved in another tab")


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


def test_a_codebook_in_other_words_takes_the_answer_under_the_version_that_was_read(page: Page, work: Work):
    lead = cast.member(work.project, Membership.Role.LEAD, username="lead", unique=True)
    write_guidelines(work.project, "First.", by=lead)
    begin(page, work)
    press(page, "1", "q")

    change_category(work.question.categories.get(key="good"), by=lead, name="Very good")
    write_guidelines(work.project, "Second.", by=lead)
    press(page, "Enter")

    expect(item(page, 2)).to_be_visible()
    assert said(work) == [("item-1", "good")]
    # Numbers count from the first that was written.
    assert set(Label.objects.filter(rater=work.raters[0]).values_list("guidelines_version", flat=True)) == {1}


def test_a_category_that_is_gone_is_asked_for_again_with_the_rest_kept(page: Page, work: Work):
    lead = cast.member(work.project, Membership.Role.LEAD, username="lead", unique=True)
    begin(page, work)
    press(page, "3", "w")
    page.get_by_label("Note for the project lead").fill("Half a thought")

    merge_category(work.question.categories.get(key="bad"), work.question.categories.get(key="fair"), by=lead)
    page.get_by_role("button", name="Save and next").click()

    expect(page.get_by_role("alert")).to_contain_text("has no category 'bad'")
    expect(page.get_by_role("radio", name="bad")).to_be_hidden()
    expect(page.get_by_role("radio", name="sure", exact=True)).to_be_checked()
    expect(page.get_by_label("Note for the project lead")).to_have_value("Half a thought")
    assert said(work) == []
    press(page, "Escape", "2")
    page.get_by_role("button", name="Save and next").click()
    expect(item(page, 2)).to_be_visible()
    # The items ahead ask by the new codebook too.
    expect(page.get_by_role("radio", name="bad")).to_be_hidden()


def test_a_question_that_came_meanwhile_is_asked_with_the_rest_kept(page: Page, work: Work):
    lead = cast.member(work.project, Membership.Role.LEAD, username="lead", unique=True)
    begin(page, work)
    press(page, "1", "w")

    create_question(work.project, by=lead, key="New?", categories=[{"key": "yes"}, {"key": "no"}])
    press(page, "Enter")

    expect(page.get_by_role("alert")).to_contain_text("Answer “New?”")
    expect(page.get_by_role("radio", name="good")).to_be_checked()
    page.get_by_role("radio", name="yes").check()
    press(page, "Enter")
    expect(item(page, 2)).to_be_visible()
    assert said(work) == [("item-1", "good")]


def test_what_is_refused_after_the_connection_came_back_is_told_and_kept(loose_page: Page, work: Work):
    lead = cast.member(work.project, Membership.Role.LEAD, username="lead", unique=True)
    begin_with_items_ahead(loose_page, work)
    loose_page.context.set_offline(True)
    press(loose_page, "3", "w", "Enter")
    expect(item(loose_page, 2)).to_be_visible()
    merge_category(work.question.categories.get(key="bad"), work.question.categories.get(key="fair"), by=lead)

    loose_page.context.set_offline(False)

    expect(loose_page.get_by_role("alert")).to_contain_text("item-1 was not saved")
    loose_page.get_by_role("link", name="item-1").click()
    expect(item(loose_page, 1)).to_be_visible()
    expect(loose_page.get_by_role("radio", name="sure", exact=True)).to_be_checked()


def test_an_answer_that_waits_can_be_taken_back(loose_page: Page, work: Work):
    begin_with_items_ahead(loose_page, work)
    loose_page.context.set_offline(True)
    press(loose_page, "3", "w", "Enter")
    expect(item(loose_page, 2)).to_be_visible()

    press(loose_page, "u")

    expect(item(loose_page, 1)).to_be_visible()
    loose_page.context.set_offline(False)
    press(loose_page, "1", "Enter")
    expect(item(loose_page, 2)).to_be_visible()
    expect(loose_page.get_by_text("kept in this browser")).to_be_hidden(timeout=120_000)
    assert said(work) == [("item-1", "good")]
    assert n_revisions(work) == 2


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
    assert said(work) == [("item-1", "fair"), ("item-2", "fair")]
