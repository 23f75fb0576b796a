"""A question that is asked only if an earlier one is decided so: it waits, comes, goes, and comes back."""

from playwright.sync_api import Page, expect

from projects.models import Project
from raters.models import User
from tests.browser.access import faults_of
from tests.browser.people import sign_in
from tests.browser.test_adjudicating import expect_item, new_dispute
from tests.browser.test_adjudicating_items import decided
from tests.labeling import add_labels, new_question
from tests.sizes import only_in_full


def new_hanging() -> tuple[Project, User]:
    """Of claim-1 nobody agrees on the verdict; why is asked if it is refuted, and how if it is false."""
    project, ada = new_dispute()
    why = new_question(
        project, key="why", categories=("false", "outdated"), position=1,
        asked_if_question="verdict", asked_if_categories=["refuted"],
    )  # fmt: skip
    how = new_question(
        project, key="how", categories=("wholly", "partly"), position=2,
        asked_if_question="why", asked_if_categories=["false"],
    )  # fmt: skip
    add_labels(why, [("claim-1", "ann", "false"), ("claim-1", "bob", "outdated")])
    add_labels(how, [("claim-1", "ann", "wholly"), ("claim-1", "bob", "partly")])
    return project, ada


def test_questions_come_and_go_with_the_decision_before_them(page: Page):
    project, ada = new_hanging()
    sign_in(page, ada)
    page.goto(f"/p/{project.slug}/adjudicate/items/next/")
    expect_item(page, "claim-1")
    why, how = (page.get_by_role("group", name=name, exact=True) for name in ("why", "how"))

    # Both wait, with nothing to choose.
    for waiting in (why, how):
        expect(waiting).to_be_visible()
        expect(waiting.get_by_role("radio")).to_have_count(0)
    page.keyboard.press("2")
    expect(why.get_by_role("radio").first).to_be_visible()
    expect(how.get_by_role("radio")).to_have_count(0)
    page.keyboard.press("1")
    expect(why.get_by_role("radio", name="false")).to_be_checked()
    expect(how.get_by_role("radio").first).to_be_visible()
    page.keyboard.press("2")
    expect(how.get_by_role("radio", name="partly")).to_be_checked()
    assert faults_of(page) == []

    verdict = page.get_by_role("group", name="What does the source say?", exact=True)
    verdict.get_by_role("radio", name="supported").check()
    for gone in (why, how):
        expect(gone).to_be_hidden()
    verdict.get_by_role("radio", name="refuted").check()
    expect(how.get_by_role("radio", name="partly")).to_be_checked()
    page.keyboard.press("Enter")
    expect_item(page, "claim-2")
    expect(page.get_by_role("button", name="Undo claim-1")).to_be_visible()
    assert decided(project, "claim-1") == ["refuted", "false", "partly"]

    page.keyboard.press("u")
    expect_item(page, "claim-1")
    expect(why).to_be_visible()
    expect(why.get_by_role("radio")).to_have_count(0)
    page.keyboard.press("1")
    expect(why).to_be_hidden()
    page.keyboard.press("Enter")
    expect_item(page, "claim-2")
    expect(page.get_by_role("button", name="Undo claim-1")).to_be_visible()
    assert decided(project, "claim-1") == ["supported", "", ""]


@only_in_full
def test_without_javascript_the_item_comes_again_with_the_next_question(plain_page: Page):
    page = plain_page
    project, ada = new_hanging()
    sign_in(page, ada)
    page.goto(f"/p/{project.slug}/adjudicate/items/next/")
    why = page.get_by_role("group", name="why", exact=True)
    expect(why.get_by_role("radio")).to_have_count(0)
    page.get_by_role("radio", name="refuted").check()
    page.get_by_role("button", name="Save and next").click()

    expect(page.get_by_role("heading", name="claim-1")).to_be_visible()
    why.get_by_role("radio", name="outdated").check()
    page.get_by_role("button", name="Save and next").click()
    expect(page.get_by_role("heading", name="claim-2")).to_be_visible()
    assert decided(project, "claim-1") == ["refuted", "outdated", ""]


@only_in_full
def test_the_page_fits_a_phone(page: Page):
    project, ada = new_hanging()
    sign_in(page, ada)
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"/p/{project.slug}/adjudicate/items/next/")

    assert page.evaluate("document.documentElement.scrollWidth") <= 390
