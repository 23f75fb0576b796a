"""A rater's home in a real browser: what is left, and an own label that is found, changed, and kept in the history."""

from playwright.sync_api import Page, expect

from projects.models import Round
from raters.models import LabelRevision
from tests.browser.access import faults_of
from tests.browser.labeling import begin, expect_saved, item, press
from tests.sizes import only_in_full
from tests.working import Work


def own_work(work: Work) -> str:
    return f"/p/{work.project.slug}/label/mine/"


def label_three(page: Page, work: Work) -> None:
    begin(page, work)
    for number in (1, 2, 3):
        press(page, "1", "q", "Enter")
        expect(item(page, number + 1)).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="item-3 saved")).to_be_visible()


def test_an_own_label_is_found_and_changed(page: Page, work: Work):
    label_three(page, work)
    page.goto(own_work(work))
    expect(page.get_by_role("row", name="round 1 27 3")).to_be_visible()
    assert faults_of(page) == []

    page.get_by_label("Item or content").fill("item-2")
    page.get_by_label("Answer", exact=True).fill("good")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("[data-own-label]")).to_have_count(1)
    page.get_by_role("link", name="Change item-2").click()

    expect(page.get_by_role("radio", name="good")).to_be_checked()
    press(page, "3", "Enter")
    expect(page.get_by_role("status").filter(has_text="item-2 saved")).to_be_visible()
    expect_saved(work, [("item-1", "good"), ("item-2", "bad"), ("item-3", "good")])
    changed = LabelRevision.objects.get(
        item_id=work.items[1].pk, question_id=work.question.pk, change=LabelRevision.Change.CHANGED
    )
    assert (changed.revision, changed.user_id) == (2, work.user().pk)


@only_in_full
def test_after_the_round_labels_are_only_viewed(page: Page, work: Work):
    label_three(page, work)
    Round.objects.filter(pk=work.round.pk).update(state=Round.State.CLOSED)
    page.goto(own_work(work))

    page.get_by_role("link", name="View item-2").click()

    expect(page.get_by_role("radio", name="good")).to_be_checked()
    expect(page.get_by_role("radio", name="good")).to_be_disabled()


@only_in_full
def test_on_a_phone_without_javascript(page: Page, plain_page: Page, work: Work):
    label_three(page, work)
    plain_page.context.add_cookies(page.context.cookies())
    plain_page.set_viewport_size({"width": 390, "height": 800})

    plain_page.goto(own_work(work) + "?answer=good")

    expect(plain_page.locator("[data-own-label]")).to_have_count(3)
    assert plain_page.evaluate("document.documentElement.scrollWidth") <= 390
