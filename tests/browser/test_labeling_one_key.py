"""One key for an item where there is one thing to say; always a way back, and a word about what happened."""

import pytest
from playwright.sync_api import Browser, Page, expect

from projects.models import Category, Project, Round
from raters.models import Assignment, Label
from tests.browser.access import faults_of
from tests.browser.labeling import (
    all_sent,
    begin,
    begin_with_items_ahead,
    expect_saved,
    home,
    item,
    press,
    saved_labels,
)
from tests.browser.people import sign_in
from tests.live import Site
from tests.sizes import only_in_full
from tests.working import Work, label_all, new_rater, new_work


@pytest.fixture
def binary(committed_db: None) -> Work:
    """Good by 1, fair by 2."""
    work = new_work(n_items=30, n_raters=1)
    Category.objects.filter(question=work.question, key="bad").delete()
    return work


def choose_at_once(page: Page, *, is_on: bool) -> None:
    page.get_by_label("Save as soon as an answer is chosen").set_checked(is_on)
    page.get_by_role("heading", level=1).focus()


def test_one_key_for_an_item_where_there_are_two_answers(page: Page, binary: Work):
    begin(page, binary)
    for number, key in enumerate("1221", start=2):
        press(page, key)
        expect(item(page, number)).to_be_visible()

    # To think again takes one key too.
    press(page, "u")
    expect(item(page, 4)).to_be_visible()
    expect(page.get_by_role("radio", name="good")).to_be_checked()
    press(page, "2")
    expect(item(page, 5)).to_be_visible()
    all_sent(page)
    keys = ["good", "fair", "fair", "fair"]
    assert saved_labels(binary) == [(f"item-{number}", key) for number, key in enumerate(keys, start=1)]


def test_a_key_held_down_answers_one_item(page: Page, binary: Work):
    begin(page, binary)
    for _ in range(5):
        # Pressed again without being let go, it repeats.
        page.keyboard.down("1")
    page.keyboard.up("1")

    expect(item(page, 2)).to_be_visible()
    all_sent(page)
    assert saved_labels(binary) == [("item-1", "good")]


@only_in_full
def test_automatic_advance_can_be_turned_off(page: Page, binary: Work):
    begin(page, binary)
    choose_at_once(page, is_on=False)
    press(page, "1", "2")
    expect(item(page, 1)).to_be_visible()
    press(page, "Enter")
    expect(item(page, 2)).to_be_visible()
    page.reload()
    expect(item(page, 2)).to_be_visible()
    press(page, "1")
    expect(page.get_by_role("radio", name="good")).to_be_checked()
    all_sent(page)
    assert saved_labels(binary) == [("item-1", "fair")]


@only_in_full
def test_with_three_answers_it_is_switched_on_and_works_by_mouse(page: Page, committed_db: None):
    work = new_work(n_items=5, n_raters=1)
    begin(page, work)
    press(page, "1")
    expect(page.get_by_role("radio", name="good")).to_be_checked()
    choose_at_once(page, is_on=True)
    press(page, "3")
    expect(item(page, 2)).to_be_visible()

    page.get_by_text("fair", exact=True).click()
    expect(item(page, 3)).to_be_visible()
    # Arrow keys go through the answers, and choose none of them for good.
    page.get_by_role("radio", name="good").focus()
    press(page, "ArrowDown")
    expect(page.get_by_role("radio", name="fair")).to_be_checked()
    expect(item(page, 3)).to_be_visible()
    all_sent(page)
    expect_saved(work, [("item-1", "bad"), ("item-2", "fair")])


@only_in_full
def test_a_lead_has_it_always_on_or_off(page: Page, committed_db: None):
    """Whatever the rater chose before."""
    work = new_work(n_items=5, n_raters=1)
    begin(page, work)
    choose_at_once(page, is_on=False)
    Project.objects.filter(pk=work.project.pk).update(one_key_saving="on")
    page.reload()
    expect(item(page, 1)).to_be_visible()
    expect(page.locator("[data-at-once-choice]")).to_have_count(0)
    press(page, "3")
    expect(item(page, 2)).to_be_visible()
    all_sent(page)

    Project.objects.filter(pk=work.project.pk).update(one_key_saving="off")
    page.reload()
    expect(item(page, 2)).to_be_visible()
    expect(page.locator("[data-at-once-choice]")).to_have_count(0)
    press(page, "1")
    expect(page.get_by_role("radio", name="good")).to_be_checked()
    expect(item(page, 2)).to_be_visible()
    expect_saved(work, [("item-1", "bad")])


@only_in_full
def test_with_two_questions_there_is_nothing_to_switch(page: Page, work: Work):
    begin(page, work)

    expect(page.locator("[data-at-once-choice]")).to_have_count(0)


@only_in_full
def test_there_is_always_a_way_back_on_a_phone(browser: Browser, site: Site, binary: Work):
    context = browser.new_context(
        base_url=site.url, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    begin_with_items_ahead(page, binary)
    # Not the same place twice: that would be a double tap.
    for number, key in ((2, "fair"), (3, "good")):
        page.get_by_text(key, exact=True).tap()
        expect(item(page, number)).to_be_visible()

    for number, key in ((2, "good"), (1, "fair")):
        page.get_by_role("link", name="Back").tap()
        expect(item(page, number)).to_be_visible()
        expect(page.get_by_role("radio", name=key)).to_be_checked()
    page.get_by_role("link", name="Back").tap()
    expect(page.get_by_role("heading", name=binary.project.name)).to_be_visible()
    context.close()


@only_in_full
def test_there_is_always_a_way_back_without_scripts(plain_page: Page, binary: Work):
    begin(plain_page, binary)
    plain_page.get_by_role("link", name="Back").click()
    expect(plain_page.get_by_role("heading", name=binary.project.name)).to_be_visible()
    plain_page.goto(home(binary))
    for number in (1, 2):
        expect(item(plain_page, number)).to_be_visible()
        plain_page.get_by_role("radio", name="fair").check()
        plain_page.get_by_role("button", name="Save and next").click()

    for number in (2, 1):
        plain_page.get_by_role("link", name="Back").click()
        expect(item(plain_page, number)).to_be_visible()


@only_in_full
def test_undo_without_scripts_gives_the_answers_back(plain_page: Page, work: Work):
    begin(plain_page, work)
    plain_page.get_by_role("radio", name="fair").check()
    plain_page.get_by_role("radio", name="sure").check()
    plain_page.get_by_label("Note for the project lead").fill("Half a thought")
    plain_page.get_by_role("button", name="Save and next").click()
    plain_page.get_by_role("button", name="undo").click()

    expect(item(plain_page, 1)).to_be_visible()
    assert saved_labels(work) == []
    expect(plain_page.get_by_role("radio", name="sure")).to_be_checked()
    expect(plain_page.get_by_label("Note for the project lead")).to_have_value("Half a thought")
    plain_page.get_by_role("radio", name="bad").check()
    plain_page.get_by_role("button", name="Save and next").click()
    expect(item(plain_page, 2)).to_be_visible()
    label = Label.objects.get(rater=work.raters[0], question=work.question)
    assert (label.category.key, label.note) == ("bad", "Half a thought")


@only_in_full
def test_a_rater_who_loses_an_item_reads_why(plain_page: Page, work: Work):
    begin(plain_page, work)
    plain_page.get_by_role("radio", name="fair").check()
    plain_page.get_by_role("radio", name="sure").check()
    Assignment.objects.filter(pk=work.assignment().pk).update(rater=new_rater(work.project))
    plain_page.get_by_role("button", name="Save and next").click()

    expect(plain_page.locator("[data-lost]")).to_be_visible()
    expect(plain_page.get_by_text("Your answer has not been saved")).to_be_visible()
    plain_page.get_by_role("link", name="Next item").click()
    expect(item(plain_page, 2)).to_be_visible()


@only_in_full
def test_a_rater_who_comes_after_closing_reads_that(page: Page, work: Work):
    label_all(Assignment.objects.filter(rater=work.raters[0], item__in=work.items[:3]))
    Round.objects.filter(pk=work.round.pk).update(state=Round.State.CLOSED)
    sign_in(page, work.user())
    page.goto(home(work))

    expect(page.locator("#closed")).to_contain_text(
        "The round “round 1” was closed before you labeled 27 of your items."
    )
    assert faults_of(page) == []
    page.get_by_role("link", name="Back").click()
    expect(item(page, 3)).to_be_visible()
    expect(page.get_by_text("You can view your answers but not change them")).to_be_visible()


@only_in_full
def test_at_the_end_there_is_a_way_back(page: Page, binary: Work):
    label_all(Assignment.objects.filter(rater=binary.raters[0]).exclude(item=binary.items[0]))
    begin(page, binary)
    press(page, "1")
    expect(page.get_by_role("heading", name="All done")).to_be_visible()
    expect(page.get_by_text("There is nothing more to do")).to_be_visible()
    press(page, "Backspace")

    expect(item(page, 1)).to_be_visible()
    press(page, "2")
    expect(page.get_by_role("heading", name="All done")).to_be_visible()
    all_sent(page)
    assert saved_labels(binary)[0] == ("item-1", "fair")
