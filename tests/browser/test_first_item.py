"""From sign-in to the first item: with a mouse, with keys, without JavaScript, and on a phone."""

import re

from playwright.sync_api import Locator, Page, expect

from projects.models import Membership, Project
from raters.models import User
from reports.models import Report
from tests import cast
from tests.browser.access import faults_of
from tests.browser.people import sign_in, sign_in_by_form
from tests.finished import World, compute_now, look_ahead, new_world
from tests.labeling import labeled_project
from tests.sizes import only_in_full, some

# What its margins leave of a page, in pixels.
A4 = 688


def question_address(world: World) -> str:
    return f"{world.report.get_absolute_url()}{world.agreement.question_id}/"


def matrix(page: Page) -> Locator:
    return page.get_by_role("region", name="Matrix of raters").locator("table")


def cells(page: Page, rater: str) -> Locator:
    """The links in the cells of a rater: for each pair one to it, and one to its items."""
    return matrix(page).get_by_role("row", name=rater).locator("td").get_by_role("link")


def counts(page: Page) -> Locator:
    return page.get_by_role("table", name="Number of items, with row, column, and grand totals")


def walk_to_an_item(page: Page, world: World) -> None:
    page.get_by_role("main").get_by_role("link", name=world.project.name).click()
    page.get_by_role("navigation", name="This project").get_by_role("link", name="Agreement").click()
    page.get_by_role("table", name="Reports of").get_by_role("rowheader").get_by_role("link").click()
    expect(page.get_by_role("heading", name="Agreement on answer")).to_be_visible()
    cells(page, "rater-000").first.click()
    expect(page.get_by_role("heading", name="rater-000 × rater-001")).to_be_visible()
    cell = counts(page).get_by_role("row", name="good").get_by_role("link").first
    n = cell.inner_text().split()[0]
    cell.click()
    expect(page.get_by_text(re.compile(rf"^{n} items?, question answer"))).to_be_visible()
    page.get_by_role("main").get_by_role("rowheader").get_by_role("link").first.click()
    expect(page.get_by_role("heading", name="Labels")).to_be_visible()


def test_from_sign_in_to_an_item_and_back(page: Page, world: World):
    sign_in_by_form(page, world.lead)

    walk_to_an_item(page, world)

    expect(page.get_by_role("row", name="rater-000").get_by_role("cell").first).to_contain_text("good")
    page.get_by_role("link", name="Items where").click()
    heading = "Items where rater-000 chose “good” and rater-001 chose “good”"
    expect(page.get_by_role("heading", name=heading)).to_be_visible()


def test_the_same_without_javascript(plain_page: Page):
    world = new_world("Reviews", n_items=30, n_raters=4)
    sign_in_by_form(plain_page, world.lead)

    walk_to_an_item(plain_page, world)


@only_in_full
def test_a_stranger_sees_no_project(page: Page, world: World):
    sign_in(page, world.people["stranger"])

    expect(page.get_by_role("heading", name="No projects yet")).to_be_visible()
    page.goto(world.project.get_absolute_url())
    expect(page.get_by_role("heading", name="Page not found")).to_be_visible()


@only_in_full
def test_an_auditor_reads_and_cannot_ask(page: Page, world: World):
    sign_in(page, world.people["auditor"])

    page.goto(question_address(world))

    expect(matrix(page)).to_be_visible()
    expect(page.get_by_role("button", name="Recompute")).to_have_count(0)


def test_arrow_keys_walk_the_matrix(page: Page, world: World):
    sign_in(page, world.lead)
    page.goto(question_address(world))
    first = cells(page, "rater-000").first

    first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Home")

    # Down passes over the blank diagonal: 0×2, then 1×2, then 3×2; home is 3×0.
    focused = cells(page, "rater-003").first
    expect(focused).to_be_focused()
    # The pair, and the items that it shares.
    expect(matrix(page).locator("a[tabindex='0']")).to_have_count(2)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="rater-000 × rater-003")).to_be_visible()


@only_in_full
def test_arrow_keys_walk_the_table_of_counts(page: Page, world: World):
    sign_in(page, world.lead)
    page.goto(f"{question_address(world)}{world.pair.rater_a_id}/{world.pair.rater_b_id}/")

    counts(page).get_by_role("row", name="fair").get_by_role("link").first.focus()
    page.keyboard.press("ArrowUp")
    expect(counts(page).get_by_role("row", name="good").get_by_role("link").first).to_be_focused()
    page.keyboard.press("End")
    page.keyboard.press("ArrowDown")

    expect(counts(page).get_by_role("row", name="fair").get_by_role("link").last).to_be_focused()


@only_in_full
def test_tab_leads_from_a_pair_to_its_items(page: Page, world: World):
    sign_in(page, world.lead)
    page.goto(question_address(world))

    cells(page, "rater-000").first.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", name="All shared items")).to_be_visible()


@only_in_full
def test_pictures_are_saved_from_their_pages(page: Page, world: World):
    sign_in(page, world.lead)
    for address, picture in (("", "forest"), ("categories/", "distribution"), ("network/", "network")):
        page.goto(question_address(world) + address)

        with page.expect_download() as saved:
            page.get_by_role("link", name="SVG").click()

        assert saved.value.suggested_filename.endswith(f"answer-{picture}.svg")
        assert "<svg" in saved.value.path().read_text(encoding="utf-8")


def test_the_keyboard_skips_to_the_content(page: Page, world: World):
    sign_in(page, world.lead)

    page.goto(question_address(world))
    page.keyboard.press("Tab")

    expect(page.get_by_role("link", name="Skip to main content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()


def test_on_a_phone_the_matrix_scrolls_in_its_box_and_names_stay(page: Page, world: World):
    page.set_viewport_size({"width": 390, "height": 844})
    wide = new_world("Wide", n_items=20, n_raters=24)
    sign_in(page, wide.lead)
    page.goto(question_address(wide))
    box = page.get_by_role("region", name="Matrix of raters")

    name = matrix(page).get_by_role("rowheader", name="rater-000")
    before = name.bounding_box()
    box.evaluate("box => box.scrollBy(300, 0)")
    after = name.bounding_box()

    assert box.evaluate("box => box.scrollLeft") == 300
    assert before is not None
    assert after is not None
    # It stops at the edge of the box, which it was two pixels away from.
    assert abs(after["x"] - before["x"]) <= 2
    assert page.evaluate("document.documentElement.scrollWidth") == 390


# The smallest contrast of a number with what it stands on, in any cell with a color of its own.
CONTRAST = """table => {
  const light = color => {
    const [r, g, b] = color.match(/[\\d.]+/g).map(each => each / 255);
    const [x, y, z] = [r, g, b].map(each => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const cells = [...table.querySelectorAll("td")].filter(
    cell => cell.firstElementChild && !/, 0\\)$/.test(getComputedStyle(cell).backgroundColor));
  return Math.min(...cells.map(cell => {
    const [low, high] = [getComputedStyle(cell).backgroundColor, getComputedStyle(cell.firstElementChild).color]
      .map(light).sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  }));
}"""


def test_values_are_read_on_every_color_of_the_matrix(page: Page):
    many = new_world("Many", n_items=6, n_raters=12)
    sign_in(page, many.lead)
    page.goto(question_address(many))

    found = {}
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found[scheme] = matrix(page).evaluate(CONTRAST)

    assert min(found.values()) >= 4.5, found


def test_a_printed_report_has_its_results_and_no_controls(page: Page, world: World):
    sign_in(page, world.lead)
    page.goto(question_address(world))

    page.set_viewport_size({"width": A4, "height": 1000})
    page.emulate_media(media="print")

    for name in ("This project", "This question"):
        expect(page.get_by_role("navigation", name=name)).to_have_count(0)
    expect(page.get_by_role("button")).to_have_count(0)
    # The top of the page names the project, and nothing else that is followed.
    trail = page.get_by_role("navigation", name="Projects").get_by_role("link")
    expect(trail).to_have_text([world.project.name])
    for figures in (matrix(page), page.get_by_role("table", name="All raters")):
        expect(figures).to_be_visible()
        assert figures.evaluate("table => table.getBoundingClientRect().right") <= A4


@only_in_full
def test_the_heat_map_shows_details_of_the_focused_cell(page: Page):
    many = new_world("Heat", n_items=6, n_raters=14)
    sign_in(page, many.lead)
    page.goto(question_address(many))
    told = page.locator("[data-matrix-details]")
    names = [head.get_attribute("title") for head in matrix(page).get_by_role("rowheader").all()]
    cell = cells(page, names[0]).first

    cell.hover()

    expect(told).to_contain_text(f"{names[0]} × {names[1]}: {cell.text_content()} (")
    cell.focus()
    page.keyboard.press("ArrowRight")
    expect(told).to_contain_text(f"{names[0]} × {names[2]}: ")


@only_in_full
def test_asking_leads_through_a_worker_to_the_matrix(page: Page, worker):
    project = labeled_project("Fresh", n_items=30, n_raters=3)
    sign_in(page, cast.member(project, Membership.Role.LEAD, username="lena", unique=True))
    page.goto(f"{project.get_absolute_url()}agreement/")

    page.get_by_role("button", name="Compute agreement").click()

    expect(page.get_by_role("heading", name="Agreement on answer")).to_be_visible()
    expect(matrix(page)).to_be_visible()


def test_progress_becomes_the_result_without_a_reload(page: Page, world: World):
    report = waiting_report(world.project, world.lead)
    sign_in(page, world.lead)
    page.goto(report.get_absolute_url())
    page.evaluate("window.isTheSamePage = true")
    expect(page.get_by_text("Starting: 0%")).to_be_visible()
    Report.objects.filter(pk=report.pk).update(stage="question answer", share_done=0.43)
    expect(page.get_by_text("Question answer: 43%")).to_be_visible()

    Report.objects.filter(pk=report.pk).update(state=Report.State.QUEUED)
    compute_now(report)

    expect(page.get_by_role("heading", name="Agreement on answer")).to_be_visible()
    expect(page.get_by_role("status")).to_contain_text("Agreement on answer")
    cells(page, "rater-000").first.focus()
    page.keyboard.press("ArrowRight")
    expect(cells(page, "rater-000").nth(2)).to_be_focused()
    assert page.evaluate("window.isTheSamePage")
    assert page.url.endswith(f"/{report.pk}/{world.agreement.question_id}/")


@only_in_full
def test_progress_becomes_the_reason_of_a_failure(page: Page, world: World):
    report = waiting_report(world.project, world.lead)
    sign_in(page, world.lead)
    page.goto(report.get_absolute_url())

    Report.objects.filter(pk=report.pk).update(state="failed", failure="The worker ran out of memory.")

    expect(page.get_by_role("button", name="Try again")).to_be_visible()
    expect(page.get_by_text("The worker ran out of memory.")).to_be_visible()


def waiting_report(project: Project, by: User) -> Report:
    """A report that no worker takes up, for the test to move by hand: it runs, and its lease never ends."""
    return Report.objects.create(
        project=project,
        asked_by=by,
        state=Report.State.RUNNING,
        scope={"questions": ["answer"], "rounds": None},
        options={"weights": "quadratic"},
    )


def compared_address(world: World) -> str:
    address = f"{question_address(world)}compare/?first=all&second=all"
    look_ahead(world.lead, address)
    return address


PAGES = {
    "projects": lambda world: "/",
    "new project": lambda world: "/projects/new/",
    "account": lambda world: "/account/",
    "password": lambda world: "/account/password/",
    "API": lambda world: "/api/",
    "project": lambda world: world.project.get_absolute_url(),
    "settings": lambda world: f"{world.project.get_absolute_url()}settings/",
    "members": lambda world: f"{world.project.get_absolute_url()}members/",
    "import": lambda world: f"{world.project.get_absolute_url()}import/",
    "items": lambda world: f"{world.project.get_absolute_url()}items/",
    "item": lambda world: f"{world.project.get_absolute_url()}items/{world.item.pk}/",
    "agreement": lambda world: f"{world.project.get_absolute_url()}agreement/",
    "waiting": lambda world: waiting_report(world.project, world.lead).get_absolute_url(),
    "question": question_address,
    "pair": lambda world: f"{question_address(world)}{world.pair.rater_a_id}/{world.pair.rater_b_id}/",
    "cell": lambda world: f"{question_address(world)}{world.pair.rater_a_id}/{world.pair.rater_b_id}/items/",
    "raters": lambda world: f"{question_address(world)}raters/?reference=rater-001&rater=rater-000",
    "categories": lambda world: f"{question_address(world)}categories/",
    "network": lambda world: f"{question_address(world)}network/?cut=0.3",
    "items behind": lambda world: f"{question_address(world)}items/?in=dispute",
    "comparison": compared_address,
    "guide": lambda world: "/statistics/guide/",
    "nothing": lambda world: "/nothing/",
}


def test_no_page_has_a_fault_of_access(page: Page, world: World):
    page.goto("/sign-in/")
    faults = {"sign in": faults_of(page)}
    sign_in(page, world.lead)

    for name, address in some(PAGES.items(), every=5):
        page.goto(address(world))
        faults[name] = faults_of(page)

    assert {name: found for name, found in faults.items() if found} == {}


def test_a_filter_acts_when_it_is_chosen_and_the_address_follows(page: Page, world: World):
    sign_in(page, world.lead)
    page.goto(f"{question_address(world)}filter/")
    state = page.locator("#filter-state")

    page.get_by_role("checkbox", name="rater-000").check()
    expect(state).to_contain_text("raters rater-000")
    page.get_by_role("checkbox", name="rater-001").check()

    expect(state).to_contain_text("raters rater-000, rater-001")
    assert "raters=rater-000&raters=rater-001" in page.url
    page.go_back()
    expect(page.get_by_role("checkbox", name="rater-001")).not_to_be_checked()
    expect(state).to_contain_text("raters rater-000.")
    page.get_by_role("link", name="Remove the filter").click()
    expect(state).to_contain_text("No filter")
