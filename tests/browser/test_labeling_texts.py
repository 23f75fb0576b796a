"""Answers in free text: typed beside the keys of the page, kept without a connection, and there again afterwards."""

from playwright.sync_api import Page, expect

from projects.codebook.versions import store_version
from projects.models import Question
from raters.models import Label
from tests.browser.access import faults_of
from tests.browser.labeling import all_sent, begin, begin_with_items_ahead, item
from tests.live import wait_until
from tests.sizes import only_in_full
from tests.working import Work, new_work

KEYS = "1xsngu?.;2"


def text_work(**fields) -> Work:
    """Tone by the keys 1, 2 and 3; why, by q, in free text."""
    work = new_work(n_items=5, n_raters=1)
    Question.objects.create(
        project=work.project,
        key="why",
        prompt="Why?",
        kind="text",
        position=1,
        **{"is_required": True, **fields},
    )
    store_version(work.project)
    return work


def texts(work: Work) -> list[tuple[str, str | None]]:
    labels = Label.objects.filter(question__project=work.project, question__key="why").order_by("item")
    return list(labels.values_list("item__key", "text"))


def tones(work: Work) -> list[str]:
    labels = Label.objects.filter(question=work.question).order_by("item")
    return list(labels.values_list("category__key", flat=True))


def test_typing_presses_no_key_of_the_page(page: Page):
    work = text_work()
    begin(page, work)
    field = page.get_by_role("textbox", name="Your answer")
    assert faults_of(page) == []

    # The key of the field leads to it, and writes nothing there.
    page.keyboard.press("3")
    page.keyboard.press("q")
    expect(field).to_be_focused()
    expect(field).to_have_value("")
    page.keyboard.type(KEYS)
    page.keyboard.press("Enter")
    page.keyboard.type("so ")
    expect(field).to_have_value(f"{KEYS}\nso ")
    expect(page.get_by_role("radio", name="bad")).to_be_checked()
    # Out of the field, the keys are those of the page again.
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    expect(page.get_by_role("radio", name="good")).to_be_checked()
    page.keyboard.press("q")
    page.keyboard.press("Control+Enter")
    expect(item(page, 2)).to_be_visible()
    all_sent(page)

    assert (texts(work), tones(work)) == ([("item-1", f"{KEYS}\nso ")], ["good"])


@only_in_full
def test_an_invalid_answer_is_reported_before_the_next_item(page: Page):
    work = text_work(max_length=5)
    begin(page, work)
    field = page.get_by_role("textbox", name="Your answer")
    page.keyboard.press("1")

    field.fill("  \n ")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Answer “Why?”.")).to_be_visible()
    expect(field).to_be_focused()
    field.fill("too long")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("has 8 characters; at most 5 are allowed")
    field.fill("short")
    page.get_by_role("group", name="Why?").get_by_label("Cannot tell").check()
    page.get_by_role("button", name="Save and next").click()
    expect(page.get_by_role("alert")).to_contain_text("not both")
    page.get_by_role("group", name="Why?").get_by_label("Cannot tell").uncheck()
    field.press("Control+Enter")
    expect(item(page, 2)).to_be_visible()
    all_sent(page)

    assert texts(work) == [("item-1", "short")]


def test_a_text_is_kept_without_a_connection_and_restored(loose_page: Page):
    page = loose_page
    work = text_work()
    begin_with_items_ahead(page, work, n=5)
    field = page.get_by_role("textbox", name="Your answer")
    page.context.set_offline(True)
    page.keyboard.press("1")
    field.fill("Written\non a train 😀")
    field.press("Control+Enter")
    expect(item(page, 2)).to_be_visible()
    page.keyboard.press("2")
    field.fill("half a sen")
    assert texts(work) == []

    page.context.set_offline(False)
    wait_until(lambda: texts(work) == [("item-1", "Written\non a train 😀")])
    page.reload()
    expect(item(page, 2)).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("Restored your unsaved answer")
    expect(field).to_have_value("half a sen")
    field.fill("half a sentence")
    field.press("Control+Enter")
    expect(item(page, 3)).to_be_visible()
    all_sent(page)
    # Back, and undone: what was written is there to be changed.
    page.keyboard.press("u")
    expect(item(page, 2)).to_be_visible()
    expect(field).to_have_value("half a sentence")
    all_sent(page)

    assert texts(work) == [("item-1", "Written\non a train 😀")]


@only_in_full
def test_what_another_tab_wrote_is_not_overwritten_unseen(page: Page):
    work = text_work()
    begin(page, work)
    other = page.context.new_page()
    other.goto(page.url)
    for tab, words in ((other, "theirs"), (page, "mine")):
        tab.keyboard.press("1")
        tab.get_by_role("textbox", name="Your answer").fill(words)
    other.get_by_role("textbox", name="Your answer").press("Control+Enter")
    expect(item(other, 2)).to_be_visible()
    all_sent(other)

    page.get_by_role("textbox", name="Your answer").press("Control+Enter")
    expect(page.get_by_text("theirs")).to_be_visible()

    assert texts(work) == [("item-1", "theirs")]
