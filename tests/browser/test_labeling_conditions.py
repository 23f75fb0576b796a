"""A question that is asked only if an earlier one is answered so: there, and gone, as the earlier one is answered."""

from playwright.sync_api import Page, expect

from projects.codebook.versions import store_version
from raters.models import Label
from tests.browser.access import faults_of
from tests.browser.labeling import all_sent, begin, item
from tests.labeling import new_question
from tests.sizes import only_in_full
from tests.working import Work, new_work


def hanging_work() -> Work:
    """Tone by the keys 1, 2 and 3; why, by q and w, only if the tone is bad."""
    work = new_work(n_items=5, n_raters=1)
    new_question(
        work.project,
        key="why",
        categories=("rude", "wrong"),
        position=1,
        asked_if_question="tone",
        asked_if_categories=["bad"],
    )
    store_version(work.project)
    return work


def answers(work: Work, place: int) -> dict[str, str]:
    labels = Label.objects.filter(item=work.items[place]).select_related("question", "category")
    return {label.question.key: label.category.key for label in labels}


def test_a_question_comes_and_goes_with_the_answer_before_it(page: Page):
    work = hanging_work()
    begin(page, work)
    why = page.get_by_role("group", name="why")
    expect(why).to_be_hidden()

    # Its keys do nothing while it is not asked, and it is not required.
    for key in "q1":
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    expect(item(page, 2)).to_be_visible()
    page.keyboard.press("3")
    expect(why).to_be_visible()
    expect(why.get_by_text("Asked only if “tone” is “bad”.")).to_be_visible()
    assert faults_of(page) == []
    page.keyboard.press("Enter")
    expect(page.get_by_text("Answer “why”.")).to_be_visible()
    page.keyboard.press("w")
    # What was chosen is there again, if the answer before it is only changed for a moment.
    page.keyboard.press("1")
    expect(why).to_be_hidden()
    page.keyboard.press("3")
    expect(why.get_by_role("radio", name="wrong")).to_be_checked()
    page.keyboard.press("Enter")
    expect(item(page, 3)).to_be_visible()
    all_sent(page)
    assert (answers(work, 0), answers(work, 1)) == ({"tone": "good"}, {"tone": "bad", "why": "wrong"})

    # Another answer takes it away once it is saved, and undo brings both back.
    page.keyboard.press("Backspace")
    expect(item(page, 2)).to_be_visible()
    expect(why).to_be_visible()
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(item(page, 3)).to_be_visible()
    all_sent(page)
    assert answers(work, 1) == {"tone": "good"}
    page.keyboard.press("u")
    # What was taken back is there to be changed; what stands is what was said before.
    expect(page.get_by_role("alert")).to_contain_text("Undone")
    expect(item(page, 2)).to_be_visible()
    all_sent(page)
    assert answers(work, 1) == {"tone": "bad", "why": "wrong"}
    expect(why).to_be_hidden()
    page.keyboard.press("3")
    expect(why).to_be_visible()


@only_in_full
def test_without_scripts_the_condition_is_shown_and_may_be_left_unanswered(plain_page: Page):
    work, page = hanging_work(), plain_page
    begin(page, work)
    why = page.get_by_role("group", name="why")
    expect(why.get_by_text("Asked only if “tone” is “bad”.")).to_be_visible()
    page.get_by_role("radio", name="good").check()
    page.get_by_role("radio", name="rude").check()
    page.get_by_role("button", name="Save and next").click()
    expect(why.get_by_text("Remove its answer, or change the one that it depends on.")).to_be_visible()
    why.get_by_role("radio", name="No answer").check()
    page.get_by_role("button", name="Save and next").click()
    expect(item(page, 2)).to_be_visible()

    assert answers(work, 0) == {"tone": "good"}
