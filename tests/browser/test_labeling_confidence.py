"""How sure one is of an answer, by one key and by a finger: Shift and a number, which no answer ever has."""

import pytest
from playwright.sync_api import Page, expect

from projects.codebook.versions import store_version
from projects.models import Question
from raters.models import Label
from tests.browser.access import faults_of
from tests.browser.labeling import all_sent, begin, begin_with_items_ahead, item, press
from tests.labeling import new_question
from tests.sizes import only_in_full
from tests.working import Work, new_work


@pytest.fixture
def asking(committed_db: None) -> Work:
    work = new_work(n_items=30, n_raters=1)
    Question.objects.filter(pk=work.question.pk).update(confidence="required")
    store_version(work.project)
    return work


def saved_labels(work: Work) -> list[tuple[str, str, float | None]]:
    labels = Label.objects.filter(rater=work.raters[0], question=work.question).order_by("item")
    return list(labels.values_list("item__key", "category__key", "confidence"))


def test_an_answer_and_how_sure_by_three_keys(page: Page, asking: Work):
    begin(page, asking)

    press(page, "1", "Shift+Digit4", "Enter")
    expect(item(page, 2)).to_be_visible()
    press(page, "2", "Shift+Digit1", "Enter")
    expect(item(page, 3)).to_be_visible()

    all_sent(page)
    assert saved_labels(asking) == [("item-1", "good", 1.0), ("item-2", "fair", 0.25)]


def test_without_it_the_item_stays_and_the_choice_has_the_focus(page: Page, asking: Work):
    begin(page, asking)

    press(page, "1", "Enter")

    expect(page.get_by_role("alert")).to_contain_text("how sure", ignore_case=True)
    expect(item(page, 1)).to_be_visible()
    press(page, "Shift+Digit3")
    expect(page.get_by_role("radio", name="Fairly sure")).to_be_focused()
    press(page, "Enter")
    expect(item(page, 2)).to_be_visible()


@only_in_full
def test_undo_shows_the_answer_and_changes_only_that(page: Page, asking: Work):
    begin(page, asking)
    press(page, "1", "Shift+Digit4", "Enter")
    expect(item(page, 2)).to_be_visible()
    all_sent(page)

    press(page, "u")
    expect(item(page, 1)).to_be_visible()
    expect(page.get_by_role("radio", name="Certain")).to_be_checked()
    press(page, "Shift+Digit2", "Enter")
    expect(item(page, 2)).to_be_visible()

    all_sent(page)
    assert saved_labels(asking) == [("item-1", "good", 0.5)]


@only_in_full
def test_who_cannot_tell_is_not_asked(page: Page, asking: Work):
    begin(page, asking)

    press(page, "s")
    expect(page.get_by_role("radiogroup", name="How sure are you?")).to_be_hidden()
    press(page, "Escape", "Enter")

    expect(item(page, 2)).to_be_visible()


@only_in_full
def test_the_key_of_the_digits_row_counts_where_it_writes_a_sign(page: Page, asking: Work):
    """On a French keyboard the digits are written with Shift: without it, the same keys are for confidence."""
    begin(page, asking)

    press(page, "1")
    page.evaluate(
        "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: '\"', code: 'Digit3', bubbles: true}))"
    )
    expect(page.get_by_role("radio", name="Fairly sure")).to_be_checked()
    page.evaluate(
        "document.activeElement.dispatchEvent("
        "new KeyboardEvent('keydown', {key: '2', code: 'Digit2', shiftKey: true, bubbles: true}))"
    )
    expect(page.get_by_role("radio", name="fair", exact=True)).to_be_checked()


@only_in_full
def test_of_two_questions_the_one_in_hand_is_meant(page: Page, asking: Work):
    new_question(asking.project, key="topic", categories=("a", "b"), position=1, confidence="optional")
    store_version(asking.project)
    begin(page, asking)

    press(page, "1", "Shift+Digit4", "q", "Shift+Digit2", "Enter")
    expect(item(page, 2)).to_be_visible()

    all_sent(page)
    labels = Label.objects.filter(rater=asking.raters[0]).order_by("question__position")
    assert list(labels.values_list("category__key", "confidence")) == [("good", 1.0), ("a", 0.5)]


@only_in_full
def test_a_number_is_typed_and_how_sure_after_it(page: Page, asking: Work):
    Question.objects.create(
        project=asking.project, key="size", kind=Question.Kind.NUMBER, position=1, confidence="required"
    )
    store_version(asking.project)
    begin(page, asking)

    press(page, "1", "Shift+Digit4")
    page.get_by_role("textbox", name="size: number").fill("12")
    press(page, "Shift+Digit3", "Enter")
    expect(item(page, 2)).to_be_visible()

    all_sent(page)
    label = Label.objects.get(rater=asking.raters[0], question__key="size")
    assert (label.number, label.confidence) == (12.0, 0.75)


def test_the_choice_of_how_sure_is_accessible_on_a_phone(page: Page, asking: Work):
    page.set_viewport_size({"width": 390, "height": 844})
    begin(page, asking)

    page.get_by_role("radio", name="good").check()
    page.get_by_role("radio", name="Fairly sure").check()

    assert not faults_of(page)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@only_in_full
def test_what_was_chosen_without_a_connection_is_sent_later(loose_page: Page, asking: Work):
    begin_with_items_ahead(loose_page, asking)
    loose_page.context.set_offline(True)
    press(loose_page, "1", "Shift+Digit3", "Enter")
    expect(item(loose_page, 2)).to_be_visible()
    assert saved_labels(asking) == []
    loose_page.context.set_offline(False)

    all_sent(loose_page)
    assert saved_labels(asking) == [("item-1", "good", 0.75)]


@only_in_full
def test_a_draft_keeps_it(page: Page, asking: Work):
    begin(page, asking)
    press(page, "1", "Shift+Digit2")

    page.reload()

    expect(page.get_by_role("radio", name="Unsure")).to_be_checked()
