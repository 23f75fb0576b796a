"""A labeling page with more questions than fit: those out of sight are counted, and Save is always in sight."""

import re
from datetime import date

import pytest
from django.urls import reverse
from playwright.sync_api import Locator, Page, Route, expect

from projects.codebook.versions import store_version
from projects.models import Membership, Round
from raters.models import Rater
from tests import cast
from tests.browser.access import faults_of
from tests.browser.labeling import begin, home, item, press
from tests.browser.people import sign_in
from tests.labeling import add_labels, new_question
from tests.working import Work, new_work

IS_IN_SIGHT = """one => {
    const { x, top, bottom } = one.getBoundingClientRect();
    return top >= 0 && bottom <= window.innerHeight && one.contains(document.elementFromPoint(x + 20, bottom - 4));
}"""
FITS = "document.documentElement.scrollWidth <= window.innerWidth"
LAPTOP = {"width": 1280, "height": 800}


@pytest.fixture
def long_work(committed_db: None) -> Work:
    """Tone, and three more questions with six answers each."""
    long_work = new_work(n_items=6, n_raters=1)
    for place, key in enumerate(("theme", "place", "mood"), start=1):
        question = new_question(
            long_work.project, key=key, categories=[f"{key} {n}" for n in range(6)], position=place
        )
        question.categories.update(definition="What it means.")
    store_version(long_work.project)
    return long_work


def is_in_sight(one: Locator) -> bool:
    return one.evaluate(IS_IN_SIGHT)


def saving(page: Page) -> Locator:
    return page.get_by_role("button", name=re.compile("Save and next"))


def test_what_is_out_of_sight_is_counted_and_comes_into_sight(page: Page, long_work: Work):
    page.set_viewport_size(LAPTOP)
    begin(page, long_work)
    cue = page.get_by_role("button", name=re.compile("more question"))

    expect(cue).to_have_text("2 more questions below")
    assert is_in_sight(saving(page))
    # A click of the test would scroll first, as a person’s does not.
    cue.dispatch_event("click")
    expect(page.get_by_role("radio", name="place 0")).to_be_focused()
    assert is_in_sight(page.get_by_role("radio", name="place 5").locator(".."))
    assert faults_of(page) == []
    # By key, the next question without an answer comes into sight.
    page.reload()
    expect(cue).to_have_text("2 more questions below")
    press(page, "1", "q")
    assert is_in_sight(page.get_by_role("radio", name="place 5").locator(".."))
    press(page, "i")
    assert is_in_sight(page.get_by_role("radio", name="mood 5").locator(".."))
    expect(cue).to_be_hidden()


def test_a_missing_answer_is_shown_until_it_is_given(page: Page, long_work: Work):
    page.set_viewport_size(LAPTOP)
    begin(page, long_work)
    press(page, "1", "q", "i", "Enter")
    missing = page.get_by_text("Answer “mood”.")

    expect(missing).to_be_visible()
    expect(page.get_by_role("radio", name="mood 0")).to_be_focused()
    assert is_in_sight(saving(page))
    press(page, "j")
    expect(missing).to_be_hidden()


@pytest.mark.parametrize("width", [360, 390])
def test_a_deadline_fits_on_a_phone(page: Page, long_work: Work, width):
    Round.objects.update(due_on=date(2026, 9, 24))
    page.set_viewport_size({"width": width, "height": 740})
    begin(page, long_work)

    expect(page.get_by_text("due 24 September 2026")).to_be_visible()
    assert page.evaluate(FITS)
    page.get_by_role("radio", name="good").scroll_into_view_if_needed()
    assert is_in_sight(saving(page))


def test_without_scripts_all_questions_can_be_reached(plain_page: Page, long_work: Work):
    plain_page.set_viewport_size(LAPTOP)
    sign_in(plain_page, long_work.user())
    plain_page.goto(home(long_work))
    expect(item(plain_page, 1)).to_be_visible()

    # The page scrolls, not a card in it.
    assert plain_page.evaluate("document.documentElement.scrollHeight > window.innerHeight")
    assert is_in_sight(saving(plain_page))


def test_an_answer_that_was_refused_can_be_discarded_for_good(page: Page, long_work: Work):
    begin(page, long_work)
    keep = """([owner, draft]) => localStorage.setItem(
        `interrater:${owner}:draft:${draft.assignment}`, JSON.stringify(draft)
    )"""
    draft = {
        "assignment": str(long_work.assignment(1).pk),
        "body": {"answers": [], "revisions": [], "note": ""},
        "item": "item-2",
        "page": f"{home(long_work)}{long_work.assignment(1).pk}/",
        "refusal": "Something was wrong.",
        "error": "required",
    }
    page.evaluate(keep, [long_work.user().pk, draft])
    page.reload()

    told = page.get_by_text("item-2 was not saved: Something was wrong.")
    expect(told).to_be_visible()
    page.get_by_role("button", name="Discard the answer to item-2").click()
    expect(told).to_be_hidden()
    page.reload()
    expect(item(page, 1)).to_be_visible()
    expect(told).to_be_hidden()


def without_fetching(route: Route) -> None:
    if route.request.resource_type == "fetch":
        route.abort("internetdisconnected")
    else:
        route.continue_()


def test_the_offline_message_goes_away_once_connected(loose_page: Page, long_work: Work):
    page = loose_page
    # No item is fetched beforehand.
    page.route("**/p/**", without_fetching)
    begin(page, long_work)
    address = f"{home(long_work)}{long_work.assignment(5).pk}/"
    page.evaluate(
        "to => { history.pushState(null, '', to); dispatchEvent(new PopStateEvent('popstate')); }", address
    )
    told = page.get_by_text("No connection. This item can’t be loaded right now.")

    expect(told).to_be_visible()
    page.unroute("**/p/**", without_fetching)
    expect(told).to_be_hidden()


def test_a_dispute_says_what_is_out_of_sight(page: Page):
    project = cast.new_project("Claims", unique=True)
    names = ("supported", "refuted", "unclear", "mixed", "false")
    rows = [("claim-1", rater, name) for rater, name in zip("abcde", names, strict=True)]
    for place, key in enumerate(("verdict", "source", "tone")):
        add_labels(new_question(project, key=key, categories=names, position=place), rows)
    ada = cast.member(project, Membership.Role.ADJUDICATOR, username="ada", unique=True)
    page.set_viewport_size(LAPTOP)
    sign_in(page, ada)

    page.goto(f"/p/{project.slug}/adjudicate/items/{project.items.get().pk}/")
    expect(page.get_by_role("button", name="2 more questions below")).to_be_visible()
    assert is_in_sight(saving(page))
    # By key, the next question comes into sight.
    press(page, "1", "1")
    expect(page.get_by_role("button", name=re.compile("more question"))).to_be_hidden()
    page.goto(
        reverse("adjudicate_item", args=[project.slug, project.items.get().pk, project.questions.first().pk])
    )
    expect(page.get_by_role("heading", name="claim-1")).to_be_visible()
    assert is_in_sight(saving(page))
    assert Rater.objects.filter(project=project).count() == 5


def test_after_the_list_of_keys_enter_saves_and_escape_closes_it(page: Page, long_work: Work):
    begin(page, long_work)
    page.get_by_role("radio", name="mood 0").check()
    press(page, "1", "q", "i", "?")
    keys = page.locator("#keys")

    expect(keys).to_have_attribute("open", "")
    # An item of text alone has nothing to enlarge or to play.
    expect(keys).not_to_contain_text("enlarge")
    expect(keys).not_to_contain_text("audio")
    press(page, "Escape")
    expect(keys).not_to_have_attribute("open", "")
    press(page, "?", "Enter")
    expect(item(page, 2)).to_be_visible()
