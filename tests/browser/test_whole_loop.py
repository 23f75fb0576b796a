"""The whole loop as a team goes through it: plan, invite, label, reveal, agreement, adjudicate, export."""

import csv
import io
import re
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from projects.models import Item, Membership, Project
from raters.models import LabelRevision
from tests import cast
from tests.browser.people import sign_in_by_form as sign_in
from tests.browser.test_joining import sign_up
from tests.labeling import new_question
from tests.live import Live, Site, wait_until
from tests.sizes import some

# What each says of the six items; on the third they are of two opinions, on the fifth of three.
LABELS = {
    "ada": ["good", "bad", "good", "fair", "good", "bad"],
    "ben": ["good", "bad", "fair", "fair", "fair", "bad"],
    "cleo": ["good", "bad", "good", "fair", "bad", "bad"],
}
CATEGORIES = ["good", "fair", "bad"]
N_ITEMS = 6

DESKTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
NO_SCRIPTS: dict[str, Any] = {**DESKTOP, "java_script_enabled": False}


@contextmanager
def session(browser: Browser, site: Site, how: dict[str, Any]) -> Iterator[Page]:
    """A browser session of its own, as one more person at another machine."""
    context = browser.new_context(base_url=site.url, locale="en-GB", reduced_motion="reduce", **how)
    context.set_default_timeout(30_000)
    yield context.new_page()
    context.close()


@pytest.fixture
def loop_project(committed_db) -> Project:
    project = cast.new_project("Loop", unique=True)
    new_question(project, key="tone", categories=CATEGORIES)
    Item.objects.bulk_create(
        Item(
            project=project,
            key=f"item-{n + 1}",
            content=[{"name": "", "kind": "text", "value": f"Review {n + 1}"}],
        )
        for n in range(N_ITEMS)
    )
    return project


@pytest.mark.parametrize(
    "how",
    some(
        [
            pytest.param(DESKTOP, id="by-keys"),
            pytest.param(PHONE, id="on-a-phone"),
            pytest.param(NO_SCRIPTS, id="without-scripts"),
        ],
        every=3,
    ),
)
def test_from_a_plan_to_final_labels(
    browser: Browser, site: Site, worker: Live, loop_project: Project, how, tmp_path
):
    lead = cast.member(loop_project, Membership.Role.LEAD, username="lena", unique=True)
    early = {
        name: cast.member(loop_project, Membership.Role.RATER, username=name, unique=True)
        for name in ("ada", "ben")
    }
    with ExitStack() as sessions:
        pages = {
            name: sessions.enter_context(session(browser, site, how))
            for name in ("lena", "ada", "ben", "cleo")
        }
        sign_in(pages["lena"], lead)
        for name, user in early.items():
            sign_in(pages[name], user)

        plan(pages["lena"], loop_project, list(early.values()))
        late = join(pages["cleo"], invite(pages["lena"], loop_project), loop_project)
        add_rater(pages["lena"], loop_project, late)
        label_in_turn(pages, loop_project, how)
        assert (
            LabelRevision.objects.filter(item_id__in=loop_project.items.values("id")).count() == 3 * N_ITEMS
        )
        reveal(pages["lena"], loop_project)
        look_at_others(pages["ada"], loop_project)
        agreement(pages["lena"], loop_project, how)
        adjudicate(pages["lena"], loop_project, how)
        finals = export(pages["lena"], loop_project, tmp_path)

    assert [(row["label"], row["origin"]) for row in finals] == [
        ("good", "unanimous"),
        ("bad", "unanimous"),
        ("good", "majority"),
        ("fair", "unanimous"),
        ("fair", "adjudicated"),
        ("bad", "unanimous"),
    ]


def plan(page: Page, project: Project, raters: list[Any]) -> None:
    """Every item by the two who are there; looked at before it is assigned."""
    page.goto(f"{project.get_absolute_url()}rounds/new/")
    page.get_by_label("Name").fill("pilot")
    for rater in raters:
        page.get_by_role("checkbox", name=str(rater)).check()
    page.get_by_role("radio", name="Every item by every rater").check()
    page.get_by_role("button", name="Preview plan").click()
    expect(page.get_by_text("not assigned yet")).to_be_visible()
    expect(page.get_by_text("6 items, 12 assignments")).to_be_visible()
    stays_within(page)
    page.get_by_role("button", name="Assign as shown").click()
    page.get_by_role("button", name="Open pilot").click()
    expect(page.get_by_role("button", name="Close pilot")).to_be_visible()


def invite(page: Page, project: Project) -> str:
    page.goto(f"{project.get_absolute_url()}members/")
    page.get_by_role("button", name="Invite").click()
    return page.get_by_label("Invitation link").inner_text().strip()


def join(page: Page, link: str, project: Project) -> str:
    name = f"cleo-{secrets.token_hex(4)}"
    page.goto(link)
    sign_up(page, name)
    page.get_by_role("button", name=f"Join as {name}").click()
    expect(page.get_by_text("You joined")).to_be_visible()
    return name


def add_rater(page: Page, project: Project, name: str) -> None:
    page.goto(f"{project.get_absolute_url()}rounds/")
    page.get_by_role("link", name="Change raters in pilot").click()
    page.get_by_role("checkbox", name=name).check()
    page.get_by_role("button", name="Preview plan").click()
    expect(page.get_by_text("not changed yet")).to_be_visible()
    page.get_by_role("button", name="Reassign as shown").click()
    expect(page.get_by_role("button", name="Reassign as shown")).to_have_count(0)


def label_in_turn(pages: dict[str, Page], project: Project, how: dict[str, Any]) -> None:
    """All three at the same time: each answers one item, then the next does."""
    for name in LABELS:
        pages[name].goto(f"{project.get_absolute_url()}label/")
    for _ in range(N_ITEMS):
        for name, labels in LABELS.items():
            page = pages[name]
            shown = heading(page)
            expect(shown).to_be_visible()
            key = shown.inner_text().split(" · ")[0]
            answer(page, labels[int(key.removeprefix("item-")) - 1], how)
            stays_within(page)
    for name in LABELS:
        expect(pages[name].get_by_role("heading", name="All done")).to_be_visible()


def heading(page: Page) -> Locator:
    return page.get_by_role("heading", name=re.compile(r"^item-\d+ · pilot$"))


def answer(page: Page, category: str, how: dict[str, Any]) -> None:
    """By keys alone on a desk; by touch on a phone; by the form where there are no scripts."""
    before = page.url
    if how is DESKTOP:
        page.keyboard.press(str(CATEGORIES.index(category) + 1))
        page.keyboard.press("Enter")
    elif how is PHONE:
        page.locator("label.choice").filter(has_text=category).tap()
        page.get_by_role("button", name="Save and next").tap()
    else:
        page.get_by_role("radio", name=category).check()
        page.get_by_role("button", name="Save and next").click()
    page.wait_for_url(lambda address: address != before)


def reveal(page: Page, project: Project) -> None:
    page.goto(f"{project.get_absolute_url()}rounds/")
    page.get_by_role("button", name="Close pilot").click()
    page.get_by_role("link", name="Reveal… pilot").click()
    expect(page.get_by_text("This cannot be undone")).to_be_visible()
    page.get_by_role("button", name="Reveal pilot").click()
    expect(page.get_by_text("pilot is revealed")).to_be_visible()


def look_at_others(page: Page, project: Project) -> None:
    """Two of six differ between the first and the second: the third and the fifth."""
    page.goto(f"{project.get_absolute_url()}rounds/{project.rounds.get().pk}/revealed/")
    expect(page.get_by_role("row").filter(has_text=re.compile("Rater [ABC]")).first).to_be_visible()
    expect(page.get_by_text("item-5").first).to_be_visible()
    stays_within(page)


def agreement(page: Page, project: Project, how: dict[str, Any]) -> None:
    """Cohen's kappa of the first and the third: 5 of 6 alike, by chance 2/6 * 3/6 + 1/6 * 1/6 + 3/6 * 2/6 = 13/36."""
    page.goto(f"{project.get_absolute_url()}agreement/")
    page.get_by_role("button", name="Compute").click()
    if how is NO_SCRIPTS:
        wait_until(lambda: refreshed(page))
    expect(kappa(page)).to_be_visible(timeout=120_000)
    stays_within(page)


def kappa(page: Page) -> Locator:
    return page.get_by_role("link", name=re.compile(r"0\.74")).first


def refreshed(page: Page) -> bool:
    """Whether the report is there; where it is not, the page offers to look again."""
    again = page.get_by_role("link", name="Refresh")
    expect(kappa(page).or_(again)).to_be_visible()
    if kappa(page).count():
        return True
    again.click()
    return False


def adjudicate(page: Page, project: Project, how: dict[str, Any]) -> None:
    """The most disputed comes first: three raters, three labels."""
    page.goto(f"{project.get_absolute_url()}adjudicate/")
    page.get_by_role("link", name="One question at a time").click()
    expect(page.get_by_role("heading", name="item-5 · tone")).to_be_visible()
    # The keys work once its scripts have run: `stays_within` waits for that.
    stays_within(page)
    if how is DESKTOP:
        chosen = page.get_by_role("radio", name="fair")
        page.keyboard.press(chosen.get_attribute("data-key") or "")
        page.keyboard.press("Enter")
    else:
        page.get_by_role("radio", name="fair").check()
        page.get_by_role("button", name="Save and next").click()
    expect(page.get_by_role("heading", name="item-3 · tone")).to_be_visible()


def export(page: Page, project: Project, folder: Path) -> list[dict[str, str]]:
    page.goto(f"{project.get_absolute_url()}items/final/")
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    download.value.save_as(folder / "final.csv")
    text = (folder / "final.csv").read_text(encoding="utf-8-sig")
    return sorted(csv.DictReader(io.StringIO(text)), key=lambda row: row["item"])


def stays_within(page: Page) -> None:
    """Nothing makes the page wider than the screen."""
    page.wait_for_load_state("load")
    size = page.viewport_size
    assert size is not None
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
