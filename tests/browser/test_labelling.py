"""Labelling in a real browser: by keys alone, without scripts, in two tabs, without a connection, signed out."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from raters.models import Assignment, Label, LabelRevision
from tests.browser.access import faults_of
from tests.browser.people import sign_in
from tests.labelling import new_question
from tests.live import Site
from tests.working import Work, new_work


@pytest.fixture
def work(committed_db) -> Work:
    work = new_work(n_items=30)
    new_question(work.project, key="How sure are you?", categories=("guess", "sure"), position=1)
    work.project.guidelines = "**Good** means that it is good."
    work.project.save()
    return work


@pytest.fixture
def loose_page(browser: Browser, site: Site, committed_db) -> Iterator[Page]:
    """A page whose connection may be cut: what the browser says of that is no fault."""
    context = browser.new_context(base_url=site.url, reduced_motion="reduce")
    context.set_default_timeout(15_000)
    yield context.new_page()
    context.close()


def begin(page: Page, work: Work) -> None:
    sign_in(page, work.user())
    page.goto(f"/p/{work.project.slug}/label/")
    expect(item(page, 1)).to_be_visible()


def item(page: Page, number: int):
    return page.get_by_role("heading", name=re.compile(rf"^item-{number} · "))


def said(work: Work) -> list[tuple[str, str]]:
    """Item and answer of the first rater, in the order of items; of the first question alone."""
    labels = Label.objects.filter(rater=work.raters[0], question=work.question).order_by("item")
    return list(labels.values_list("item__key", "category__key"))


def n_revisions(work: Work) -> int:
    return LabelRevision.objects.filter(rater_id=work.raters[0].pk).count()


def test_label_with_the_keyboard_alone(page: Page, work: Work):
    begin(page, work)

    for number, key in enumerate("123", start=1):
        expect(item(page, number)).to_be_visible()
        page.keyboard.press(key)
        page.keyboard.press("w")
        page.keyboard.press("Enter")
    expect(item(page, 4)).to_be_visible()

    expect(page.get_by_text("item-3 saved")).to_be_visible()
    expect(page.get_by_text("3 of 30")).to_be_visible()
    assert said(work) == [("item-1", "good"), ("item-2", "fair"), ("item-3", "bad")]
    sure = Label.objects.filter(rater=work.raters[0]).exclude(question=work.question)
    assert set(sure.values_list("category__key", flat=True)) == {"sure"}
    assert all(seconds > 0 for seconds in sure.values_list("seconds", flat=True))


def test_back_note_cannot_tell_guidelines_and_undo_by_key(page: Page, work: Work):
    begin(page, work)
    page.keyboard.press("s")
    page.keyboard.type("Too dark")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    page.keyboard.type("1 s u")
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    expect(page.get_by_text("means that it is good")).to_be_hidden()
    page.keyboard.press("Enter")
    page.get_by_role("heading", level=1).focus()
    page.keyboard.press("Enter")
    expect(item(page, 2)).to_be_visible()

    page.keyboard.press("Backspace")

    expect(item(page, 1)).to_be_visible()
    expect(page.get_by_label("Note for the project lead")).to_have_value("1 s u")
    label = Label.objects.get(rater=work.raters[0], question=work.question)
    assert (label.is_abstention, label.reason, label.note) == (True, "Too dark", "1 s u")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(item(page, 2)).to_be_visible()
    page.keyboard.press("u")
    expect(item(page, 1)).to_be_visible()
    label.refresh_from_db()
    assert (label.is_abstention, label.revision) == (True, 3)


def test_without_scripts(plain_page: Page, work: Work):
    begin(plain_page, work)
    for number in (1, 2):
        expect(item(plain_page, number)).to_be_visible()
        plain_page.get_by_role("radio", name="fair").check()
        plain_page.get_by_role("radio", name="sure").check()
        plain_page.get_by_role("button", name="Save and next").click()
    expect(plain_page.get_by_text("item-2 saved")).to_be_visible()
    plain_page.get_by_role("button", name="undo").click()

    expect(item(plain_page, 2)).to_be_visible()
    expect(plain_page.get_by_text("is taken back")).to_be_visible()
    assert said(work) == [("item-1", "fair")]


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

    expect(other.get_by_role("alert")).to_contain_text("Saved now is: tone: good")
    expect(other.get_by_role("radio", name="bad")).to_be_checked()
    assert said(work) == [("item-1", "good")]
    other.keyboard.press("Enter")
    expect(item(other, 2)).to_be_visible()
    assert said(work) == [("item-1", "bad")]


def test_twenty_answers_without_a_connection_all_arrive_once(loose_page: Page, work: Work):
    begin(loose_page, work)
    # What lies ahead is fetched one after the other.
    loose_page.wait_for_load_state("networkidle")
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
    sign_in(page, work.user())
    page.goto(f"/p/{work.project.slug}/label/")

    expect(page.get_by_text("item-20 saved")).to_be_visible()
    assert said(work) == [(f"item-{number}", "fair") for number in range(1, 21)]
    assert n_revisions(work) == 40


def test_a_session_that_ends_in_the_middle_loses_nothing(loose_page: Page, work: Work):
    begin(loose_page, work)
    loose_page.keyboard.press("3")
    loose_page.keyboard.press("q")
    loose_page.context.clear_cookies()
    loose_page.keyboard.press("Enter")

    expect(loose_page.get_by_role("alert")).to_contain_text("You are signed out")
    expect(loose_page.get_by_role("radio", name="bad")).to_be_checked()
    assert said(work) == []
    other = loose_page.context.new_page()
    sign_in(other, work.user())

    expect(loose_page.get_by_text("item-1 saved")).to_be_visible(timeout=30_000)
    assert said(work) == [("item-1", "bad")]
    assert n_revisions(work) == 2


def test_a_draft_is_back_after_a_reload(page: Page, work: Work):
    begin(page, work)
    page.keyboard.press("2")
    page.get_by_label("Note for the project lead").fill("Half a thought")

    page.reload()

    expect(page.get_by_role("radio", name="fair")).to_be_checked()
    expect(page.get_by_label("Note for the project lead")).to_have_value("Half a thought")


def test_the_last_item_leads_to_the_end(page: Page, work: Work):
    Assignment.objects.filter(rater=work.raters[0]).exclude(item=work.items[0]).update(state="done")
    begin(page, work)
    for key in ("1", "q", "Enter"):
        page.keyboard.press(key)

    expect(page.get_by_role("heading", name="All done")).to_be_visible()


def test_a_missing_answer_is_asked_for(page: Page, work: Work):
    begin(page, work)
    page.keyboard.press("1")
    page.keyboard.press("Enter")

    expect(page.get_by_role("alert")).to_contain_text("Answer “How sure are you?” first.")
    assert said(work) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_stands_in_the_way_of_reading_it(page: Page, work: Work, scheme):
    page.emulate_media(color_scheme=scheme)
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
