"""A day of a team: labels, a codebook that changes, disputes labeled again, a third rater, decisions, a gate."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, Page, expect

from projects.models import Membership
from raters.adjudication.exporting import final_labels
from raters.models import Assignment, Label
from tests import cast
from tests.browser.labeling import all_sent, home, item, read_changes
from tests.browser.people import sign_in
from tests.live import Live, Site, wait_until
from tests.sizes import only_in_full
from tests.working import Work, new_work

Desk = Callable[[object], Page]


@pytest.fixture
def desk_of(browser: Browser, site: Site) -> Iterator[Desk]:
    """A browser of one's own for each person, signed in."""
    with ExitStack() as stack:

        def opened(user: object) -> Page:
            context = browser.new_context(base_url=site.url)
            stack.callback(context.close)
            context.set_default_timeout(60_000)
            page = context.new_page()
            sign_in(page, user)
            return page

        yield opened


def label(page: Page, work: Work, *answers: tuple[int, str]) -> None:
    """(item, tone): whatever else is asked is small."""
    for number, tone in answers:
        expect(item(page, number)).to_be_visible()
        page.get_by_role("radio", name=tone, exact=True).check()
        small = page.get_by_role("radio", name="small", exact=True)
        if small.count():
            small.check()
        page.get_by_role("button", name="Save and next").click()
    all_sent(page)


def plan(page: Page, work: Work, name: str, assignments: str) -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Preview plan").click()
    expect(page.get_by_text(assignments).first).to_be_visible()
    page.get_by_role("button", name="Assign as shown").click()
    page.get_by_role("button", name=f"Open {name}").click()
    expect(page.get_by_text(f"{name} is open")).to_be_visible()


@only_in_full
def test_from_the_first_label_to_training_on_what_was_decided(page: Page, desk_of: Desk, worker: Live):
    work = new_work(n_items=4)
    project, base = work.project, f"/p/{work.project.slug}"
    lead = cast.member(project, Membership.Role.LEAD, username="lena", unique=True)
    cleo, dan = (
        cast.member(project, Membership.Role.RATER, username=name, unique=True) for name in ("cleo", "dan")
    )
    sign_in(page, lead)
    first, second = desk_of(work.user(0)), desk_of(work.user(1))

    for desk, tones in ((first, ("good", "good")), (second, ("good", "bad"))):
        desk.goto(home(work))
        label(desk, work, *enumerate(tones, start=1))

    # The codebook changes in the middle.
    page.goto(f"{base}/codebook/")
    page.get_by_role("link", name="New question").click()
    page.get_by_label("Key", exact=True).fill("size")
    page.get_by_role("main").get_by_role("button").first.click()
    for key in ("small", "large"):
        page.get_by_label("Key", exact=True).fill(key)
        page.get_by_role("button", name="Add category").click()
        expect(page.get_by_text(f"Added “{key}”.")).to_be_visible()
    page.get_by_role("link", name="Review and publish").click()
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("Published as version")).to_be_visible()
    for desk, tones in ((first, ("good", "good")), (second, ("good", "bad"))):
        desk.goto(home(work))
        read_changes(desk)
        label(desk, work, *enumerate(tones, start=3))

    # Items labeled before have no answer to the new question, and are asked again for this one only.
    page.goto(f"{base}/rounds/{work.round.pk}/")
    page.get_by_role("link", name="4 without an answer to size").click()
    page.get_by_role("button", name="Ask again for this question only").click()
    for desk in (first, second):
        desk.goto(home(work))
        for number in (1, 2):
            expect(item(desk, number)).to_be_visible()
            expect(desk.get_by_role("group", name="tone")).to_have_count(0)
            desk.get_by_role("radio", name="small", exact=True).check()
            desk.get_by_role("button", name="Save and next").click()
        expect(desk.get_by_role("heading", name="All done")).to_be_visible()
        all_sent(desk)
    assert Label.objects.filter(question__key="size", question__project=project).count() == 8

    # Disputed items are labeled again by the same raters.
    page.goto(f"{base}/rounds/{work.round.pk}/")
    page.get_by_role("link", name="Label these items again").click()
    page.get_by_label("Items in dispute").check()
    plan(page, work, "second", "4 assignments of items that their raters have had before")
    again = project.rounds.get(key="second")
    # What they still disagree on goes to a third rater by itself.
    page.goto(f"{base}/rounds/{again.pk}/")
    page.get_by_role("link", name="Add raters where they disagree").click()
    expect(page.locator("[data-cost]")).to_contain_text("2 of 4")
    page.get_by_label(cleo.username).check()
    page.get_by_role("button", name="Add raters by this rule").click()
    expect(page.locator("[data-adaptive]")).to_be_visible()
    for desk, answers in ((first, {2: "bad", 4: "good"}), (second, {2: "bad", 4: "bad"})):
        desk.goto(home(work))
        order = Assignment.objects.filter(round=again, rater__user__username=_name(desk)).order_by("position")
        places = [int(key.removeprefix("item-")) for key in order.values_list("item__key", flat=True)]
        label(desk, work, *((number, answers[number]) for number in places))
    page.goto(f"{base}/rounds/{again.pk}/")
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_text("items of second").first).to_be_visible(timeout=240_000)
    page.goto(f"{base}/rounds/{again.pk}/")
    expect(page.locator("[data-before-after]")).to_contain_text("In “round 1”")

    # The third rater has it within seconds.
    wait_until(lambda: Assignment.objects.filter(rater__user=cleo, item__project=project).exists())
    desk = desk_of(cleo)
    desk.goto(home(work))
    label(desk, work, (4, "good"))
    assert {each.item: each.label for each in final_labels(project) if each.question == "tone"} == {
        "item-1": "good",
        "item-2": "bad",
        "item-3": "good",
        "item-4": "good",
    }

    # Decided, it becomes what others are trained on.
    page.goto(f"{base}/adjudicate/items/next/")
    expect(page.get_by_role("heading", name="item-4")).to_be_visible()
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.get_by_text("resolved").first).to_be_visible()
    page.goto(f"{base}/items/final/")
    page.locator("#references").get_by_role("button").click()
    expect(page.get_by_text("now a reference answer")).to_be_visible()
    page.goto(f"{base}/rounds/new/?source=ids")
    page.get_by_label("IDs of items").fill("item-4")
    page.get_by_label(dan.username).check()
    page.get_by_label("Every item by every rater").check()
    page.get_by_label("Reference items").fill("1")
    page.get_by_label("Training").check()
    plan(page, work, "training", "1 item, 1 assignment")
    page.goto(f"{base}/rounds/new/?source=ids")
    page.get_by_label("IDs of items").fill("item-1")
    page.get_by_label(dan.username).check()
    page.get_by_label("Every item by every rater").check()
    plan(page, work, "main", "1 item, 1 assignment")

    # Who does not pass the training gets no items of the main round until a lead decides.
    for name, field in (("training", "Pass mark"), ("main", "training")):
        page.goto(f"{base}/rounds/{project.rounds.get(key=name).pk}/settings/")
        if name == "training":
            page.get_by_label(field).fill("100")
        else:
            page.get_by_label(field, exact=True).check()
        page.get_by_role("button", name="Save").click()
        expect(page.locator("[data-pass-mark]")).to_be_visible()
    desk = desk_of(dan)
    desk.goto(home(work))
    label(desk, work, (4, "bad"))
    expect(desk.locator("[data-reference]")).to_contain_text("good")
    desk.get_by_role("button", name="Next item").click()
    expect(desk.locator("[data-result=failed]")).to_be_visible()
    page.goto(f"{base}/rounds/{project.rounds.get(key='training').pk}/")
    page.locator(f"[data-pass='{dan.username}'] summary").filter(has_text="Let through").click()
    page.get_by_role("button", name="Let through").click()
    expect(page.locator(f"[data-pass='{dan.username}']")).to_contain_text("decided by")
    desk.goto(home(work))
    label(desk, work, (1, "good"))
    assert Label.objects.filter(rater__user=dan, round__key="main").count() == 2


def _name(desk: Page) -> str:
    return desk.locator("header [href='/account/']").inner_text()
