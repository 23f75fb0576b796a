"""A round is paused while a rater labels: nothing is lost, and the rater learns of it."""

from playwright.sync_api import Page, expect

from projects.models import Membership, Round
from raters.rounds.pausing import pause_round, resume_round
from tests import cast
from tests.browser.labeling import (
    begin,
    begin_with_items_ahead,
    expect_saved,
    home,
    item,
    press,
    saved_labels,
    two_questions,
)
from tests.live import wait_until
from tests.sizes import only_in_full
from tests.working import Work


def paused_by_lead(work: Work, note: str = "Back on Monday.") -> None:
    lead = cast.member(work.project, Membership.Role.LEAD, username="lead", unique=True)
    pause_round(work.round, by=lead, note=note)


def resumed(work: Work) -> None:
    resume_round(Round.objects.get(pk=work.round.pk), by=work.user())


def test_a_rater_of_a_paused_round_sees_it_and_continues_later(loose_page: Page):
    work = two_questions(n_items=4)
    begin(loose_page, work)
    press(loose_page, "1", "q", "Enter")
    expect(item(loose_page, 2)).to_be_visible()
    paused_by_lead(work)

    # The page does not know: what it holds is saved, and then it learns of the pause.
    for number in (2, 3, 4):
        heading = loose_page.get_by_role("heading", name="Labeling is paused")
        expect(item(loose_page, number).or_(heading)).to_be_visible()
        if heading.is_visible():
            break
        press(loose_page, "2", "w", "Enter")
        wait_until(lambda n=number: len(saved_labels(work)) == n)

    expect(loose_page.get_by_role("heading", name="Labeling is paused")).to_be_visible()
    expect(loose_page.locator("[data-paused]")).to_contain_text("Back on Monday.")
    expect(loose_page.locator("[data-paused]")).to_contain_text("by lead")
    n_saved = len(saved_labels(work))
    assert saved_labels(work)[0:2] == [("item-1", "good"), ("item-2", "fair")]
    assert n_saved < 4
    # The page may still fetch what comes next, and go on by itself before a click reaches it.
    again = loose_page.get_by_role("link", name="Check again").get_attribute("href") or ""
    resumed(work)
    loose_page.goto(again)
    expect(item(loose_page, n_saved + 1)).to_be_visible()


@only_in_full
def test_what_was_labeled_without_a_connection_is_saved_in_a_paused_round(loose_page: Page, work: Work):
    begin_with_items_ahead(loose_page, work)
    loose_page.context.set_offline(True)
    for number in range(1, 6):
        expect(item(loose_page, number)).to_be_visible()
        press(loose_page, "3", "q", "Enter")
    expect(item(loose_page, 6)).to_be_visible()
    assert saved_labels(work) == []
    paused_by_lead(work)

    loose_page.context.set_offline(False)

    wait_until(lambda: len(saved_labels(work)) == 5)
    expect_saved(work, [(f"item-{number}", "bad") for number in range(1, 6)])
    loose_page.goto(home(work))
    expect(loose_page.get_by_role("heading", name="Labeling is paused")).to_be_visible()
