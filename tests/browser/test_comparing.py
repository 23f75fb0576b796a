"""Agreement by round and over time, and two reports side by side, as a lead goes through them."""

import random
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from projects.models import GuidelinesVersion, Item, Membership, Project, Round
from raters.models import Label, Rater, User
from tests import cast
from tests.browser.access import faults_of
from tests.browser.people import sign_in
from tests.finished import finished_report, look_ahead
from tests.labeling import keyed, new_question
from tests.live import Live
from tests.sizes import only_in_full, some

MONDAY = datetime(2026, 8, 3, 9, tzinfo=UTC)
NAMES = ("good", "fair", "bad")
# Of each round: its name, its week, how often raters are right, and the guidelines that held.
ROUNDS = (("pilot", 0, 0.55, 1), ("calibration", 2, 0.6, 1), ("main", 4, 0.85, 2), ("late", 7, 0.84, 3))


@pytest.fixture
def lead_with_two_reports(page: Page) -> User:
    """With a project of four rounds and two reports, the second after some labels were changed."""
    project = cast.new_project("Film reviews", unique=True)
    lead = cast.member(project, Membership.Role.LEAD, username="lena", unique=True)
    for number, days in ((1, -3), (2, 20), (3, 40)):
        GuidelinesVersion.objects.create(
            project=project, number=number, made_by=lead, made_at=MONDAY + timedelta(days=days)
        )
    add_rounds(project)
    finished_report(project, lead, pooled=True)
    for label in Label.objects.filter(rater__project=project, rater__key="dora", round__key="pilot"):
        label.category_id = Label.objects.get(item=label.item_id, rater__key="anna").category_id
        label.save()
    finished_report(project, lead, pooled=True)
    return lead


def add_rounds(project: Project, n_items: int = 40) -> None:
    question = new_question(project, categories=NAMES)
    chance = random.Random(5)
    categories = {category.key: category for category in question.categories.all()}
    raters = keyed(Rater, project, ("anna", "ben", "carla", "dora"))
    for position, (key, week, right, version) in enumerate(ROUNDS):
        round_ = Round.objects.create(project=project, key=key, position=position)
        items = keyed(Item, project, (f"{key}-{number:03}" for number in range(n_items)))
        rows = []
        for place, item in enumerate(items.values()):
            truth = chance.choice(NAMES)
            for rater in raters.values():
                answer = truth if chance.random() < right else chance.choice(NAMES)
                at = MONDAY + timedelta(weeks=week, days=place // 8, minutes=7 * place)
                rows.append(
                    Label(
                        item=item,
                        rater=rater,
                        question=question,
                        category=categories[answer],
                        round=round_,
                        guidelines_version=version,
                        labelled_at=at,
                    )
                )
        Label.objects.bulk_create(rows)


def open_history(page: Page, lead: User) -> None:
    sign_in(page, lead)
    page.get_by_role("main").get_by_role("link", name="Film reviews").click()
    page.get_by_role("navigation", name="This project").get_by_role("link", name="Agreement").click()


@only_in_full
def test_from_the_report_to_rounds_weeks_and_days(page: Page, lead_with_two_reports: User, worker: Live):
    open_history(page, lead_with_two_reports)
    page.get_by_role("table", name="Reports of").get_by_role("rowheader").get_by_role("link").first.click()
    page.get_by_role("link", name="Rounds and time").click()

    expect(page.get_by_text("rose by").first).to_contain_text("from calibration to main")
    table = page.get_by_role("table", name="Fleiss’ κ by round")
    expect(table.get_by_role("rowheader")).to_have_count(4)
    expect(page.get_by_role("img", name="Fleiss’ κ by round")).to_contain_text("guidelines 2")
    page.get_by_role("link", name="Week", exact=True).click()
    expect(page.get_by_role("table", name="Fleiss’ κ by week").get_by_role("rowheader")).to_have_count(4)
    page.get_by_label("Coefficient").select_option("gwet_ac1")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("table", name="Gwet’s AC1 by week")).to_be_visible()
    page.get_by_role("link", name="Equal number of labels").click()
    page.get_by_role("link", name="16", exact=True).click()

    rows = page.get_by_role("table", name="Gwet’s AC1 by number").get_by_role("rowheader")
    expect(rows).to_have_count(16)


def test_two_reports_are_chosen_from_the_history(page: Page, lead_with_two_reports: User, worker: Live):
    open_history(page, lead_with_two_reports)

    page.get_by_role("button", name="Compare reports").click()

    expect(page.get_by_role("heading", name="Compare reports on answer")).to_be_visible()
    moved = page.get_by_role("table", name="Pairs of raters by change in").get_by_role("rowheader").first
    expect(moved).to_contain_text("anna × dora")
    expect(page.get_by_text("in the first report only")).to_be_visible()


def test_neither_page_has_a_fault_of_access_nor_scrolls_sideways(page: Page, lead_with_two_reports: User):
    page.set_viewport_size({"width": 390, "height": 844})
    project = Project.objects.get(memberships__user=lead_with_two_reports)
    second, first = project.reports.order_by("-id")
    time = f"{second.get_absolute_url()}{second.questions.get().question_id}/time/"
    sign_in(page, lead_with_two_reports)
    addresses = {
        "rounds": f"{time}?by=round",
        "days": f"{time}?by=day",
        "two": f"{project.get_absolute_url()}agreement/compare/?first={first.pk}&second={second.pk}",
        "history": f"{project.get_absolute_url()}agreement/",
    }

    found = {}
    for name, address in some(addresses.items(), every=2):
        look_ahead(lead_with_two_reports, address)
        page.goto(address)
        found[name] = [*faults_of(page), page.evaluate("document.documentElement.scrollWidth")]

    assert found == {name: [390] for name in found}
