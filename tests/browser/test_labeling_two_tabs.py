"""Two tabs of one rater: neither overwrites the other unseen.

`make faults` runs the sizes that the promises name; otherwise a tenth of them.
"""

import re
from collections.abc import Sequence

from playwright.sync_api import Page, Route, expect

from raters.models import LabelRevision
from tests.browser.labeling import (
    all_sent,
    begin,
    expect_saved,
    home,
    item,
    n_revisions,
    press,
    two_questions,
)
from tests.live import wait_until
from tests.sizes import FULL, only_in_full
from tests.working import Work


def test_the_second_of_two_tabs_shows_the_conflict_and_keeps_its_draft(page: Page, work: Work):
    begin(page, work)
    other = page.context.new_page()
    other.goto(page.url)
    press(page, "1", "q", "Enter")
    expect(page.get_by_text("item-1 saved")).to_be_visible()

    press(other, "3", "w", "Enter")

    expect(other.get_by_role("alert")).to_contain_text("Currently saved: tone: good")
    come_back(other)
    expect_saved(work, [("item-1", "good")])
    press(other, "Enter")
    expect(item(other, 2)).to_be_visible()
    all_sent(other)
    expect_saved(work, [("item-1", "bad")])


def come_back(page: Page) -> None:
    """To the first item, which was refused, with the answer that was refused."""
    page.get_by_role("link", name="item-1").click()
    expect(item(page, 1)).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("Restored your unsaved answer")
    expect(page.get_by_role("radio", name="bad")).to_be_checked()


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


@only_in_full
def test_a_refusal_during_loading_is_shown_with_the_next_item(page: Page, work: Work):
    begin(page, work)
    other = page.context.new_page()
    held: list[Route] = []
    # The other tab has nothing ahead, and waits for what it asks.
    other.route(re.compile(rf"{home(work)}(\?.*)?$"), lambda route: held.append(route))
    other.goto(f"{home(work)}{work.assignment().pk}/")
    press(page, "1", "q", "Enter")
    all_sent(page)

    press(other, "3", "w", "Enter")
    all_sent(other)
    assert held
    # Goes on with what is held.
    other.unroute_all(behavior="ignoreErrors")

    expect(item(other, 2)).to_be_visible()
    expect(other.get_by_role("alert")).to_contain_text("item-1 was not saved")
    come_back(other)
    expect_saved(work, [("item-1", "good")])


@only_in_full
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
    expect_saved(work, [("item-1", "good")])


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
    expect_saved(work, [("item-1", "good")])


@only_in_full
def test_a_draft_over_a_label_that_is_newer_says_so(page: Page, work: Work):
    begin(page, work)
    other = page.context.new_page()
    other.goto(page.url)
    press(page, "1", "q", "Enter")
    expect(page.get_by_text("item-1 saved")).to_be_visible()
    press(other, "3")

    other.reload()

    expect(other.get_by_role("alert")).to_contain_text(
        "Saved in the meantime: tone: good; How sure are you? guess."
    )
    expect(other.get_by_role("radio", name="bad")).to_be_checked()
    expect_saved(work, [("item-1", "good")])


@only_in_full
def test_the_other_tab_hears_what_was_saved(page: Page, work: Work):
    begin(page, work)
    other = page.context.new_page()
    other.goto(page.url)
    expect(item(other, 1)).to_be_visible()

    press(page, "1", "q", "Enter")

    expect(other.get_by_role("alert")).to_contain_text("saved in another tab")
