"""A double click, the back button and a reload: nothing is saved twice, and a draft stays."""

from playwright.sync_api import Page, expect

from tests.browser.labeling import all_sent, begin, expect_saved, item, n_revisions
from tests.sizes import only_in_full
from tests.working import Work


def test_a_double_click_saves_once(page: Page, work: Work):
    # So that nothing lies between the two clicks, however busy the machine is.
    page.clock.set_fixed_time("2026-03-02T09:00:00Z")
    begin(page, work)
    page.keyboard.press("1")
    page.keyboard.press("q")

    page.get_by_role("button", name="Save and next").dblclick()

    expect(item(page, 2)).to_be_visible()
    all_sent(page)
    expect_saved(work, [("item-1", "good")])
    assert n_revisions(work) == 2
    # The second click was not meant for the next item.
    expect(page.locator("[data-problem]")).to_be_empty()


@only_in_full
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
    all_sent(page)
    expect_saved(work, [("item-1", "good")])


def test_a_draft_is_back_after_a_reload(page: Page, work: Work):
    begin(page, work)
    page.keyboard.press("2")
    page.get_by_label("Note for the project lead").fill("Half a thought")

    page.reload()

    expect(page.get_by_role("radio", name="fair")).to_be_checked()
    expect(page.get_by_label("Note for the project lead")).to_have_value("Half a thought")
