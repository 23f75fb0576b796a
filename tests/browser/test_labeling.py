"""The labeling page at work: by keys, by touch, without scripts, for eyes and ears of all kinds."""

import re

from playwright.sync_api import Page, expect

from projects.models import Category, Question, Round
from raters.models import Assignment, Label, Rater
from tests.browser.access import faults_of
from tests.browser.labeling import (
    all_sent,
    begin,
    begin_with_items_ahead,
    expect_saved,
    item,
    press,
    saved_labels,
    two_questions,
)
from tests.sizes import only_in_full
from tests.working import Work, label_all, new_work

IS_UNCOVERED = """one => {
    const { x, y, height } = one.getBoundingClientRect();
    return document.elementFromPoint(x + 5, y + height - 2) === one;
}"""


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
    expect_saved(work, [("item-1", "good"), ("item-2", "fair"), ("item-3", "bad")])
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
    all_sent(page)
    label = Label.objects.get(rater=work.raters[0], question=work.question)
    assert (label.is_abstention, label.reason, label.note) == (True, "Too dark", "1 s u")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(item(page, 2)).to_be_visible()
    page.keyboard.press("u")
    expect(item(page, 1)).to_be_visible()
    # What was taken back is there to be changed.
    expect(page.get_by_role("radio", name="good")).to_be_checked()
    all_sent(page)
    label.refresh_from_db()
    assert (label.is_abstention, label.revision) == (True, 3)


def test_without_scripts(plain_page: Page, work: Work):
    begin(plain_page, work)
    # It would do nothing.
    expect(plain_page.get_by_role("button", name="Cannot tell")).to_be_hidden()
    for number in (1, 2):
        expect(item(plain_page, number)).to_be_visible()
        plain_page.get_by_role("radio", name="fair").check()
        plain_page.get_by_role("radio", name="sure").check()
        plain_page.get_by_role("button", name="Save and next").click()
    expect(plain_page.get_by_text("item-2 saved")).to_be_visible()
    plain_page.get_by_role("button", name="undo").click()

    expect(item(plain_page, 2)).to_be_visible()
    expect(plain_page.get_by_text("Undid your last save")).to_be_visible()
    expect_saved(work, [("item-1", "fair")])


def test_the_last_item_leads_to_the_end(page: Page, work: Work):
    label_all(Assignment.objects.filter(rater=work.raters[0]).exclude(item=work.items[0]))
    begin(page, work)
    for key in ("1", "q", "Enter"):
        page.keyboard.press(key)

    expect(page.get_by_role("heading", name="All done")).to_be_visible()


def test_a_missing_answer_is_asked_for(page: Page, work: Work):
    begin(page, work)
    page.keyboard.press("1")
    page.keyboard.press("Enter")

    expect(page.get_by_role("alert")).to_contain_text("Answer “How sure are you?”.")
    assert saved_labels(work) == []


def test_skip_puts_an_item_off_to_the_end(page: Page, work: Work):
    label_all(Assignment.objects.filter(rater=work.raters[0], item__in=work.items[3:]))
    begin(page, work)
    press(page, "x")
    expect(item(page, 2)).to_be_visible()
    expect(page.get_by_text("item-1 skipped")).to_be_visible()
    press(page, "1", "q", "Enter")
    expect(item(page, 3)).to_be_visible()
    press(page, "1", "q", "Enter")

    expect(item(page, 1)).to_be_visible()
    expect(page.get_by_text("skipped earlier")).to_be_visible()
    press(page, "1", "q", "Enter")
    expect(page.get_by_role("heading", name="All done")).to_be_visible()
    all_sent(page)
    assert len(saved_labels(work)) == len(work.items)


@only_in_full
def test_skip_without_scripts(plain_page: Page, work: Work):
    begin(plain_page, work)

    plain_page.get_by_role("button", name="Skip").click()

    expect(item(plain_page, 2)).to_be_visible()
    expect(plain_page.get_by_text("item-1 skipped")).to_be_visible()


@only_in_full
def test_an_optional_answer_can_be_cleared(page: Page, work: Work):
    Question.objects.filter(project=work.project).update(is_required=False)
    begin(page, work)
    press(page, "1", "q", "Enter")
    expect(item(page, 2)).to_be_visible()
    press(page, "Backspace")
    expect(item(page, 1)).to_be_visible()

    page.get_by_role("group", name="tone").get_by_role("radio", name="No answer").check()
    press(page, "Enter")

    expect(item(page, 2)).to_be_visible()
    all_sent(page)
    assert list(Label.objects.filter(rater=work.raters[0]).values_list("question__key", flat=True)) == [
        "How sure are you?"
    ]


@only_in_full
def test_a_note_without_an_answer_is_not_lost(page: Page, work: Work):
    Question.objects.filter(project=work.project).update(is_required=False)
    begin(page, work)
    press(page, "n")
    page.keyboard.type("Look at this")
    press(page, "Escape", "Enter")

    expect(page.get_by_role("alert")).to_contain_text("A note needs an answer")


@only_in_full
def test_the_guidelines_flag_by_key(page: Page, work: Work):
    begin(page, work)
    press(page, "1", "q", "f", "Enter")

    expect(item(page, 2)).to_be_visible()
    all_sent(page)
    assert work.assignment().is_guideline_unclear


@only_in_full
def test_single_keys_can_be_switched_off(page: Page, work: Work):
    begin(page, work)
    press(page, "?")
    page.get_by_label("Use single-key shortcuts").uncheck()
    page.get_by_role("heading", level=1).focus()

    press(page, "1", "x")

    expect(page.get_by_role("radio", name="good")).not_to_be_checked()
    expect(item(page, 1)).to_be_visible()
    page.reload()
    press(page, "1")
    expect(page.get_by_role("radio", name="good")).not_to_be_checked()


@only_in_full
def test_back_twice_and_on_again_in_order(page: Page, work: Work):
    begin(page, work)
    for number in (2, 3):
        press(page, "1", "q", "Enter")
        expect(item(page, number)).to_be_visible()
    press(page, "3")

    for number in (2, 1):
        press(page, "Backspace")
        expect(item(page, number)).to_be_visible()
    for number in (2, 3):
        press(page, "Enter")
        expect(item(page, number)).to_be_visible()

    # What was begun there is there still.
    expect(page.get_by_role("radio", name="bad")).to_be_checked()
    all_sent(page)
    expect_saved(work, [("item-1", "good"), ("item-2", "good")])


def test_undo_goes_back_item_by_item(page: Page, work: Work):
    begin(page, work)
    for number in (2, 3):
        press(page, "1", "q", "Enter")
        expect(item(page, number)).to_be_visible()
    expect(page.get_by_text("2 of 30")).to_be_visible()

    press(page, "u")
    expect(item(page, 2)).to_be_visible()
    expect(page.get_by_text("1 of 30")).to_be_visible()
    press(page, "u")
    expect(item(page, 1)).to_be_visible()

    all_sent(page)
    assert saved_labels(work) == []


def test_time_counts_only_while_the_page_is_seen(page: Page, work: Work):
    page.clock.install()
    begin(page, work)
    page.clock.run_for(5_000)
    page.evaluate(SEEN, "hidden")
    page.clock.run_for(600_000)
    page.evaluate(SEEN, "visible")
    press(page, "1", "q", "Enter")
    expect(item(page, 2)).to_be_visible()
    all_sent(page)

    # The rest of it is what the test itself took.
    assert 5 <= Label.objects.get(rater=work.raters[0], question=work.question).seconds < 300


SEEN = """state => {
  Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


@only_in_full
def test_the_time_left_uses_the_raters_own_pace(page: Page, work: Work):
    page.clock.install()
    begin(page, work)
    for number in (2, 3, 4):
        page.clock.run_for(60_000)
        press(page, "1", "q", "Enter")
        expect(item(page, number)).to_be_visible()

    # A minute for each of 27; the machine may add some seconds.
    expect(page.get_by_text(re.compile(r"3 of 30 · about (2[7-9]|3\d) min left"))).to_be_visible()


def test_training_shows_the_reference_before_going_on(page: Page, work: Work):
    Round.objects.filter(pk=work.round.pk).update(reference_use=Round.ReferenceUse.TRAINING)
    reference = Rater.objects.create(project=work.project, key="gold", kind=Rater.Kind.REFERENCE)
    bad = work.question.categories.get(key="bad")
    Label.objects.create(item=work.items[0], question=work.question, rater=reference, category=bad)
    begin(page, work)

    press(page, "1", "q", "Enter")

    expect(page.get_by_role("heading", name="Reference answer")).to_be_visible()
    expect(page.get_by_role("row", name="tone good bad")).to_be_visible()
    assert faults_of(page) == []
    press(page, "Enter")
    expect(item(page, 2)).to_be_visible()
    press(page, "1", "q", "Enter")
    expect(item(page, 3)).to_be_visible()
    press(
        page,
        "Backspace",
    )
    expect(item(page, 2)).to_be_visible()
    press(page, "Backspace")
    expect(page.get_by_role("heading", name="Reference answer")).to_be_visible()


@only_in_full
def test_a_closed_round_is_looked_at_and_not_changed(page: Page, work: Work):
    begin_with_items_ahead(page, work)
    press(page, "1", "q", "Enter")
    expect(item(page, 2)).to_be_visible()
    all_sent(page)
    Round.objects.filter(pk=work.round.pk).update(state=Round.State.CLOSED)

    press(page, "1", "q", "Enter")

    # The next item is shown at once, and closed as soon as the server has said so.
    expect(page.get_by_role("alert")).to_contain_text("item-2 was not saved: This round is closed")
    expect(item(page, 3)).to_be_visible()
    expect(page.get_by_text("There is nothing left to do for this item")).to_be_visible()
    for number in (2, 1):
        press(page, "Backspace")
        expect(item(page, number)).to_be_visible()
        expect(page.get_by_role("radio", name="good")).to_be_disabled()
    expect_saved(work, [("item-1", "good")])


@only_in_full
def test_numbers_are_typed_at_once_and_reached_by_their_key(page: Page, committed_db):
    work = two_questions(n_items=2)
    work.question.categories.all().delete()
    Question.objects.filter(pk=work.question.pk).update(kind="number", level="ratio", is_required=True)
    begin(page, work)
    number = page.get_by_role("textbox", name="tone: number")

    press(page, "7", ".", "5", "Escape", "w")
    expect(number).to_have_value("7.5")
    # Where the form scrolls, what a key leads to is not covered by the row that saves.
    page.set_viewport_size({"width": 1440, "height": 560})
    press(page, "n")
    note = page.get_by_label("Note for the project lead")
    expect(note).to_be_focused()
    assert note.evaluate(IS_UNCOVERED)
    press(page, "Escape", "e")
    expect(number).to_be_focused()
    press(page, "8", "Enter")

    expect(item(page, 2)).to_be_visible()
    expect(page.get_by_text("item-1 saved")).to_be_visible()
    assert Label.objects.get(rater=work.raters[0], question=work.question).number == 8


def test_what_may_separate_thousands_is_asked_about(page: Page, committed_db):
    work = two_questions(n_items=2)
    work.question.categories.all().delete()
    Question.objects.filter(pk=work.question.pk).update(kind="number", level="ratio", is_required=True)
    begin(page, work)
    number = page.get_by_role("textbox", name="tone: number")

    for typed, sentence in (
        ("1,000", "“1,000” can mean 1000 or 1.000. Enter one of these, without a comma."),
        ("−1.000,5", "“-1.000,5” has a thousands separator. Enter it without, as -1000.5."),
        ("1,234,567", "“1,234,567” has a thousands separator. Enter it without, as 1234567."),
    ):
        number.fill(typed)
        press(page, "Escape", "Enter")
        expect(page.get_by_text(sentence)).to_be_visible()
        expect(number).to_be_focused()
    number.fill("1,25")
    press(page, "Escape", "w", "Enter")
    expect(item(page, 2)).to_be_visible()
    all_sent(page)

    assert Label.objects.get(rater=work.raters[0], question=work.question).number == 1.25


@only_in_full
def test_thirty_categories_have_a_key_each(page: Page, committed_db):
    work = new_work(n_items=3, n_raters=1)
    names = [f"theme {number}" for number in range(4, 31)]
    Category.objects.bulk_create(
        Category(question=work.question, key=name, position=place)
        for place, name in enumerate(names, start=3)
    )
    begin(page, work)
    expect(page.get_by_role("button", name="Save and next")).to_be_in_viewport(ratio=1)

    press(page, "m", "Enter")

    expect(item(page, 2)).to_be_visible()
    expect(page.get_by_role("button", name="undo")).to_be_in_viewport(ratio=1)
    all_sent(page)
    expect_saved(work, [("item-1", "theme 30")])
    assert faults_of(page) == []
