"""A round from its plan to its reveal: the lead in a browser, a rater without JavaScript, training with a reference."""

import re
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, expect

from projects.models import Item, Membership, Project, Round
from raters.models import Label, Rater, User
from tests import cast
from tests.browser.access import faults_of
from tests.browser.people import sign_in
from tests.labeling import new_question
from tests.sizes import some
from tests.working import answer, new_work


@dataclass(frozen=True, slots=True)
class Team:
    project: Project
    lead: User
    raters: list[User]


@pytest.fixture
def team(committed_db: None) -> Team:
    """Six items for two raters; the reference says "fair" of two of them."""
    project = cast.new_project("Rounds", unique=True)
    lead = cast.member(project, Membership.Role.LEAD, username="lena", unique=True)
    names = ("ana", "ben")
    raters = [cast.member(project, Membership.Role.RATER, username=name, unique=True) for name in names]
    question = new_question(project, key="tone", categories=("good", "fair"))
    Item.objects.bulk_create(Item(project=project, key=f"item-{n}") for n in range(6))
    reference = Rater.objects.create(project=project, key="gold", kind=Rater.Kind.REFERENCE)
    for item in project.items.all()[:2]:
        Label.objects.create(
            item=item, question=question, rater=reference, category=question.categories.get(key="fair")
        )
    return Team(project, lead, raters)


def plan(page: Page, team: Team) -> None:
    page.goto(f"/p/{team.project.slug}/rounds/new/")
    page.get_by_label("Name").fill("pilot")
    for rater in team.raters:
        page.get_by_label(rater.username).check()
    page.get_by_label("Every item by every rater").check()
    page.get_by_label("Reference items").fill("2")
    page.get_by_label("Training").check()
    page.get_by_role("button", name="Preview plan").click()
    expect(page.get_by_text("2 items have a reference answer")).to_be_visible()
    expect(page.get_by_text("Each pair of raters shares 6 items")).to_be_visible()
    page.get_by_role("button", name="Assign as shown").click()
    page.get_by_role("button", name="Open pilot").click()
    expect(page.get_by_text("pilot is open")).to_be_visible()


def test_settings_of_a_plan_that_were_opened_stay_open(page: Page, team: Team):
    sign_in(page, team.lead)
    page.goto(f"/p/{team.project.slug}/rounds/new/")
    settings = page.locator("details[data-keep-open]")
    expect(settings).not_to_have_attribute("open")
    settings.locator("summary").press("Enter")
    page.get_by_label("Name").fill("pilot")
    page.get_by_label(team.raters[0].username).check()
    page.get_by_label("Every item by every rater").check()

    page.get_by_role("button", name="Preview plan").click()

    expect(page.get_by_role("button", name="Assign as shown")).to_be_visible()
    expect(settings).to_have_attribute("open")
    settings.locator("summary").click()
    page.get_by_role("button", name="Preview plan").click()
    expect(page.get_by_role("button", name="Assign as shown")).to_be_visible()
    expect(settings).not_to_have_attribute("open")


def label_all(page: Page, team: Team) -> int:
    """Say "good" of everything; how often the reference came between."""
    page.goto(f"/p/{team.project.slug}/label/")
    n_shown = 0
    for _ in range(6):
        page.get_by_label("good").check()
        with page.expect_navigation():
            page.get_by_role("button", name="Save and next").click()
        if page.get_by_role("heading", name="Reference answer").count():
            expect(page.get_by_role("row", name="tone")).to_contain_text("different")
            n_shown += 1
            page.get_by_role("button", name="Next item").click()
    expect(page.get_by_role("heading", name="All done")).to_be_visible()
    return n_shown


def test_a_round_from_its_plan_to_its_reveal(page: Page, plain_page: Page, team: Team):
    sign_in(page, team.lead)
    plan(page, team)
    sign_in(plain_page, team.raters[0])

    assert label_all(plain_page, team) == 2

    page.goto(f"/p/{team.project.slug}/progress/")
    row = page.get_by_role("row", name=team.raters[0].username)
    expect(row).to_contain_text("0 of 2")
    row.get_by_role("link", name="0 of 2").click()
    expect(page.get_by_role("heading", name="Labels that differ from the reference")).to_be_visible()
    expect(page.get_by_role("row")).to_have_count(3)
    page.goto(f"/p/{team.project.slug}/rounds/")
    page.get_by_role("button", name="Close pilot").click()
    page.get_by_role("link", name="Reveal… pilot").click()
    expect(page.get_by_text("This cannot be undone")).to_be_visible()
    page.get_by_role("button", name="Reveal pilot").click()
    expect(page.get_by_text("pilot is revealed")).to_be_visible()
    plain_page.goto(f"/p/{team.project.slug}/")
    plain_page.get_by_role("link", name="pilot").click()
    expect(plain_page.get_by_text("You labeled 6 items in this round")).to_be_visible()


def test_no_page_of_rounds_has_a_fault_of_access(page: Page):
    """Neither in the light nor in the dark, and none is wider than a phone."""
    work = new_work()
    lead = cast.member(work.project, Membership.Role.LEAD, username="lena", unique=True)
    for rater in (0, 1):
        answer(work, ["good", "bad"][rater], rater=rater)
    Round.objects.filter(pk=work.round.pk).update(state="closed")
    pk, home = work.round.pk, f"/p/{work.project.slug}"
    sign_in(page, lead)
    addresses = ["rounds/", "rounds/new/", f"rounds/{pk}/reveal/", "progress/", "progress/items/?what=labels"]

    faults = found_on(page, [f"{home}/{address}" for address in some(addresses, every=2)])
    Round.objects.filter(pk=pk).update(revealed_at="2026-01-01T00:00Z")
    sign_in(page, work.user())
    faults |= found_on(page, [f"{home}/rounds/{pk}/revealed/"])

    assert faults == {}


def found_on(page: Page, addresses: list[str]) -> dict[str, list[str]]:
    faults: dict[str, list[str]] = {}
    for address in addresses:
        page.goto(address)
        expect(page.get_by_role("heading", level=1)).not_to_have_text(re.compile("not here"))
        faults[address] = faults_of(page)
        page.set_viewport_size({"width": 390, "height": 800})
        width = page.evaluate("document.documentElement.scrollWidth")
        faults[f"{address} phone"] = [] if width <= 390 else [f"{width} px wide"]
        page.set_viewport_size({"width": 1280, "height": 800})
    return {where: found for where, found in faults.items() if found}
