"""The next item does not wait for the answer to be saved, and nothing is lost by that.

Answers of the server are held back here until a test lets them go, so that no test depends on how fast anything is.
"""

import os
import signal
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import APIResponse, Page, Route, expect

from projects.models import Round
from raters.models import Assignment, Label
from tests.browser.labeling import (
    all_sent,
    begin_with_items_ahead,
    expect_saved,
    home,
    item,
    n_revisions,
    press,
    saved_labels,
)
from tests.live import Site, wait_until
from tests.sizes import only_in_full
from tests.working import Work, new_rater

IMPATIENT = """() => {
  window.patient = AbortSignal.timeout;
  AbortSignal.timeout = () => AbortSignal.abort(new DOMException("", "TimeoutError"));
}"""
# However long a test takes to let an answer go.
ENDLESSLY_PATIENT = "AbortSignal.timeout = () => new AbortController().signal;"
PATIENT = "() => { AbortSignal.timeout = window.patient; }"
NOW = "dispatchEvent(new Event('online'))"


@dataclass(slots=True)
class Held:
    """Savings that were asked for, and are not passed on before `release`."""

    page: Page
    routes: list[Route] = field(default_factory=list)
    is_open: bool = False

    def hold(self, route: Route) -> None:
        if self.is_open:
            route.continue_()
        else:
            self.routes.append(route)

    def wait_for(self, n: int) -> None:
        while len(self.routes) < n:
            self.page.wait_for_timeout(20)

    def release(self) -> None:
        self.is_open = True
        for route in self.routes:
            route.continue_()


@pytest.fixture
def held(loose_page: Page) -> Held:
    found = Held(loose_page)
    loose_page.add_init_script(ENDLESSLY_PATIENT)
    loose_page.route("**/assignments/*/answers/", lambda route: found.hold(route))
    return found


def trouble(page: Page) -> str:
    return page.locator("[data-problem]").inner_text()


def test_the_next_items_are_there_while_the_first_is_still_being_saved(
    loose_page: Page, work: Work, held: Held
):
    begin_with_items_ahead(loose_page, work)
    for number in (2, 3, 4):
        press(loose_page, "2", "w", "Enter")
        expect(item(loose_page, number)).to_be_visible()
    held.wait_for(1)
    expect(loose_page.get_by_role("status")).to_contain_text("Saving 3 answers, item-3 last")
    expect(loose_page.get_by_text("3 of 30")).to_be_visible()
    assert trouble(loose_page) == ""
    assert saved_labels(work) == []

    held.release()

    expect(loose_page.get_by_role("status")).to_contain_text("item-3 saved")
    expect_saved(work, [(f"item-{number}", "fair") for number in (1, 2, 3)])
    assert n_revisions(work) == 6


def test_an_item_that_was_asked_for_before_its_answer_was_saved_shows_the_answer(
    loose_page: Page, work: Work, held: Held
):
    early: list[tuple[Route, APIResponse]] = []
    begin_with_items_ahead(loose_page, work)
    address = f"**{home(work)}{work.assignment(0).pk}/"
    loose_page.route(address, lambda route: early.append((route, route.fetch())), times=1)
    press(loose_page, "3", "q", "Enter")
    expect(item(loose_page, 2)).to_be_visible()
    held.wait_for(1)

    # What the server has sent is held back here until the answer is saved.
    loose_page.evaluate("history.back()")
    while not early:
        loose_page.wait_for_timeout(20)
    held.release()
    all_sent(loose_page)
    route, response = early[0]
    route.fulfill(response=response)

    expect(item(loose_page, 1)).to_be_visible()
    expect(loose_page.get_by_role("radio", name="bad")).to_be_checked()


@only_in_full
def test_a_server_that_is_slow_is_not_called_a_lost_connection(loose_page: Page, work: Work):
    begin_with_items_ahead(loose_page, work)
    loose_page.evaluate(IMPATIENT)
    press(loose_page, "1", "q", "Enter")

    expect(item(loose_page, 2)).to_be_visible()
    expect(loose_page.get_by_role("alert")).to_contain_text(
        "The server is slow to respond. 1 answer is kept in this browser"
    )
    expect(loose_page.get_by_text("item-1 will be saved as soon as the server answers")).to_be_visible()
    assert "connection" not in trouble(loose_page)
    loose_page.evaluate(PATIENT)
    loose_page.evaluate(NOW)
    expect(loose_page.get_by_text("item-1 saved")).to_be_visible()
    expect(loose_page.locator("[data-problem]")).to_be_empty()
    assert n_revisions(work) == 2


def test_a_server_that_fails_is_not_called_a_lost_connection_and_holds_up_no_other(
    loose_page: Page, work: Work
):
    first = f"**/assignments/{work.assignment(0).pk}/answers/"
    loose_page.route(first, lambda route: route.fulfill(status=502, body="Bad gateway"))
    begin_with_items_ahead(loose_page, work)
    press(loose_page, "1", "q", "Enter")
    expect(loose_page.get_by_role("alert")).to_contain_text("The server can’t save right now. 1 answer is")

    press(loose_page, "2", "w", "Enter")

    expect(loose_page.get_by_text("item-2 saved")).to_be_visible()
    expect_saved(work, [("item-2", "fair")])
    loose_page.unroute(first)
    loose_page.evaluate(NOW)
    all_sent(loose_page)
    expect_saved(work, [("item-1", "good"), ("item-2", "fair")])


@only_in_full
def test_what_is_undone_while_it_is_being_saved_is_not_counted(loose_page: Page, work: Work, held: Held):
    begin_with_items_ahead(loose_page, work)
    press(loose_page, "3", "w", "Enter")
    expect(loose_page.get_by_text("1 of 30")).to_be_visible()
    held.wait_for(1)
    press(loose_page, "u")
    expect(item(loose_page, 1)).to_be_visible()

    held.release()
    all_sent(loose_page)

    expect(loose_page.get_by_text("0 of 30")).to_be_visible()
    expect(loose_page.get_by_text("item-1 saved")).to_have_count(0)
    assert saved_labels(work) == []
    assert n_revisions(work) == 4


def test_undo_while_it_is_being_saved_gives_the_answers_back(loose_page: Page, work: Work, held: Held):
    begin_with_items_ahead(loose_page, work)
    press(loose_page, "3", "w", "n")
    loose_page.keyboard.type("Half a thought")
    press(loose_page, "Escape", "Enter")
    expect(item(loose_page, 2)).to_be_visible()
    held.wait_for(1)

    press(loose_page, "u")

    expect(item(loose_page, 1)).to_be_visible()
    expect(loose_page.get_by_role("radio", name="bad")).to_be_checked()
    expect(loose_page.get_by_label("Note for the project lead")).to_have_value("Half a thought")
    expect(loose_page.get_by_text("0 of 30")).to_be_visible()
    press(loose_page, "1", "Enter")
    expect(item(loose_page, 2)).to_be_visible()
    held.release()
    expect(loose_page.get_by_text("item-1 saved")).to_be_visible()
    all_sent(loose_page)
    label = Label.objects.get(rater=work.raters[0], question=work.question)
    # Said over what had been said before, though that was not known to be saved.
    assert (label.category.key, label.revision, label.note) == ("good", 2, "Half a thought")
    assert trouble(loose_page) == ""


@only_in_full
def test_what_is_undone_while_it_is_being_saved_is_not_saved_in_the_end(
    loose_page: Page, work: Work, held: Held
):
    begin_with_items_ahead(loose_page, work)
    press(loose_page, "3", "w", "Enter", "u")
    expect(item(loose_page, 1)).to_be_visible()
    held.wait_for(1)

    held.release()
    all_sent(loose_page)

    assert saved_labels(work) == []
    assert work.assignment().state == Assignment.State.PENDING
    loose_page.reload()
    expect(item(loose_page, 1)).to_be_visible()
    expect(loose_page.get_by_role("radio", name="bad")).to_be_checked()
    press(loose_page, "2", "Enter")
    expect(loose_page.get_by_text("item-1 saved")).to_be_visible()
    expect_saved(work, [("item-1", "fair")])


@only_in_full
def test_back_while_saving_shows_the_answer(loose_page: Page, work: Work, held: Held):
    begin_with_items_ahead(loose_page, work)
    press(loose_page, "3", "w", "Enter")
    expect(item(loose_page, 2)).to_be_visible()
    held.wait_for(1)

    press(loose_page, "Backspace")

    expect(item(loose_page, 1)).to_be_visible()
    expect(loose_page.get_by_role("radio", name="bad")).to_be_checked()
    held.release()
    all_sent(loose_page)
    # Whoever went back stays there, and changes what is saved by then.
    expect(item(loose_page, 1)).to_be_visible()
    press(loose_page, "2", "Enter")
    expect(item(loose_page, 2)).to_be_visible()
    all_sent(loose_page)
    expect_saved(work, [("item-1", "fair")])
    assert trouble(loose_page) == ""


def test_a_round_that_closes_meanwhile_says_so_and_gives_the_answers_back(
    loose_page: Page, work: Work, held: Held
):
    begin_with_items_ahead(loose_page, work)
    for number in (2, 3):
        press(loose_page, "3", "w", "Enter")
        expect(item(loose_page, number)).to_be_visible()
    held.wait_for(1)
    Round.objects.filter(pk=work.round.pk).update(state=Round.State.CLOSED)

    held.release()

    alert = loose_page.get_by_role("alert")
    for key in ("item-1", "item-2"):
        expect(alert).to_contain_text(f"{key} was not saved: This round is closed")
    expect(alert).to_contain_text("Your answer was: tone: bad; How sure are you? sure.")
    # The item that is shown, and all that lay ahead, are closed too.
    expect(loose_page.get_by_text("There is nothing left to do for this item")).to_be_visible()
    press(loose_page, "Enter")
    expect(loose_page.locator("#closed")).to_contain_text("was closed before you labeled 30 of your items")
    assert saved_labels(work) == []
    Round.objects.filter(pk=work.round.pk).update(state=Round.State.OPEN)
    loose_page.get_by_role("link", name="item-1").click()
    expect(item(loose_page, 1)).to_be_visible()
    expect(loose_page.get_by_role("radio", name="bad")).to_be_checked()
    press(loose_page, "Enter")
    expect(loose_page.get_by_text("item-1 saved")).to_be_visible()
    expect_saved(work, [("item-1", "bad")])


@only_in_full
def test_an_item_reassigned_meanwhile_shows_a_message(loose_page: Page, work: Work, held: Held):
    begin_with_items_ahead(loose_page, work)
    press(loose_page, "3", "w", "Enter")
    expect(item(loose_page, 2)).to_be_visible()
    held.wait_for(1)
    other = new_rater(work.project)
    Assignment.objects.filter(pk=work.assignment().pk).update(rater=other)

    held.release()

    alert = loose_page.get_by_role("alert")
    expect(alert).to_contain_text("item-1 was not saved: It is no longer assigned to you.")
    expect(alert).to_contain_text("Your answer was: tone: bad; How sure are you? sure.")
    expect(item(loose_page, 2)).to_be_visible()
    loose_page.get_by_role("button", name="Discard").click()
    expect(loose_page.locator("[data-problem]")).to_be_empty()
    press(loose_page, "1", "q", "Enter")
    expect(loose_page.get_by_text("item-2 saved")).to_be_visible()
    expect_saved(work, [("item-2", "good")])


@only_in_full
def test_another_tab_that_is_first_is_not_overwritten(loose_page: Page, work: Work, held: Held):
    begin_with_items_ahead(loose_page, work)
    other = loose_page.context.new_page()
    other.goto(loose_page.url)
    press(loose_page, "1", "q", "Enter")
    expect(item(loose_page, 2)).to_be_visible()
    held.wait_for(1)
    # Sent by hand: the page of the other tab would send what waits in the browser first.
    other.evaluate("localStorage.clear()")
    press(other, "3", "w", "Enter")
    expect(other.get_by_text("item-1 saved")).to_be_visible()

    held.release()

    wait_until(lambda: n_revisions(work) == 2)
    expect_saved(work, [("item-1", "bad")])


def test_a_reload_while_it_is_being_saved_neither_loses_nor_doubles(loose_page: Page, work: Work, held: Held):
    begin_with_items_ahead(loose_page, work)
    press(loose_page, "2", "w", "Enter")
    expect(item(loose_page, 2)).to_be_visible()
    held.wait_for(1)

    held.is_open = True
    loose_page.goto(home(work))

    expect(loose_page.get_by_text("item-1 saved")).to_be_visible()
    expect(item(loose_page, 2)).to_be_visible()
    expect_saved(work, [("item-1", "fair")])
    assert n_revisions(work) == 2


@only_in_full
def test_what_was_undone_is_taken_back_from_any_other_page(loose_page: Page, work: Work, held: Held):
    begin_with_items_ahead(loose_page, work)
    press(loose_page, "3", "w", "Enter", "u")
    expect(item(loose_page, 1)).to_be_visible()
    held.wait_for(1)

    held.is_open = True
    loose_page.goto("/")

    expect(loose_page.get_by_role("status")).to_contain_text("Saved 1 answer kept in this browser.")
    all_sent(loose_page)
    assert saved_labels(work) == []
    # What was said, and that it was taken back.
    assert n_revisions(work) == 4
    loose_page.goto(home(work))
    expect(item(loose_page, 1)).to_be_visible()
    expect(loose_page.get_by_role("radio", name="bad")).to_be_checked()


def workers(site: Site) -> list[int]:
    main = str(site.child.pid)
    found = [path.parent for path in Path("/proc").glob("[0-9]*/stat") if _parent(path) == main]
    return [int(folder.name) for folder in found]


def _parent(stat: Path) -> str:
    try:
        return stat.read_text().rpartition(")")[2].split()[1]
    except OSError:
        return ""


@only_in_full
@pytest.mark.skipif(not Path("/proc").exists(), reason="children are found in /proc")
def test_a_server_that_is_killed_between_loses_nothing(loose_page: Page, work: Work, site: Site):
    killed = []

    def kill(route: Route) -> None:
        if len(killed) in (1, 3):
            # The server has done its work; nobody is there any more to say so.
            route.fetch()
        if len(killed) < 4:
            killed.append(workers(site))
            for pid in killed[-1]:
                os.kill(pid, signal.SIGKILL)
            route.abort()
        else:
            route.continue_()

    loose_page.route("**/assignments/*/answers/", kill)
    begin_with_items_ahead(loose_page, work)
    for number in range(1, 6):
        expect(item(loose_page, number)).to_be_visible()
        press(loose_page, "2", "w", "Enter")
    all_sent(loose_page)

    assert all(killed)
    expect_saved(work, [(f"item-{number}", "fair") for number in range(1, 6)])
    assert n_revisions(work) == 10
