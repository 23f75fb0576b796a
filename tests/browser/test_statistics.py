"""Statistics as a person asks for them and reads them: without JavaScript, and on a phone."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.people import sign_in
from tests.finished import World, compute_now, look_ahead
from tests.live import Live
from tests.sizes import only_in_full, some


def test_a_person_asks_for_a_bootstrap_and_reads_it_without_javascript(plain_page: Page, world: World):
    page = plain_page
    sign_in(page, world.lead)
    page.goto(f"{world.project.get_absolute_url()}agreement/")
    page.get_by_text(re.compile("^Confidence intervals, reference, .* custom weights")).click()
    page.get_by_label("Confidence intervals", exact=True).select_option(label="BCa bootstrap")
    page.get_by_label("Confidence level (%)").fill("90")
    page.get_by_label("Reference", exact=True).select_option("rater-002")
    page.get_by_role("button", name="Compute agreement").click()
    # A worker of other tests may be done with it already.
    asked = page.get_by_role(
        "heading", name=re.compile("^(Computing agreement|Report of|Agreement on answer)")
    )
    expect(asked).to_be_visible()
    compute_now(world.project.reports.latest("id"))
    page.reload()

    row = page.get_by_role("table", name="All raters", exact=True).get_by_role("row", name="Krippendorff’s α")
    expect(row).to_contain_text("BCa bootstrap")
    page.get_by_role("navigation", name="This question").get_by_role("link", name="Raters").click()
    expect(page.get_by_role("heading", name="Raters compared with rater-002")).to_be_visible()
    page.get_by_role("link", name="rater-000").click()
    expect(page.get_by_role("table", name="How rater-000 labels items")).to_be_visible()


@only_in_full
def test_two_pairs_are_chosen_and_compared_with_the_keyboard(page: Page, world: World, worker: Live):
    sign_in(page, world.lead)
    page.goto(f"{world.report.get_absolute_url()}{world.agreement.question_id}/compare/")

    page.get_by_label("Pair 2: rater B").select_option("rater-003")
    page.get_by_label("Pair 2: rater B").press("Tab")
    page.keyboard.press("Enter")

    heading = "rater-000 × rater-003 − rater-000 × rater-001"
    expect(page.get_by_role("heading", name=heading)).to_be_visible()
    expect(page.get_by_role("row", name="Cohen’s κ")).to_contain_text("items as units, paired where shared")


@only_in_full
def test_a_comparison_is_waited_for_without_javascript(plain_page: Page, world: World):
    sign_in(plain_page, world.lead)
    address = f"{world.report.get_absolute_url()}{world.agreement.question_id}/compare/?first=all&second=all"

    plain_page.goto(address)
    expect(plain_page.get_by_role("heading", name="Computing a comparison")).to_be_visible()
    look_ahead(world.lead, address)
    plain_page.get_by_role("link", name="Refresh").click()

    expect(plain_page.get_by_role("heading", name="− all labels in this report")).to_be_visible()


@only_in_full
@pytest.mark.parametrize(
    "tail",
    some(["", "raters/?reference=rater-001&rater=rater-000", "compare/?first=all&second=all"], every=3),
)
def test_no_page_of_statistics_scrolls_sideways_on_a_phone(page: Page, world: World, tail: str):
    sign_in(page, world.lead)
    page.set_viewport_size({"width": 390, "height": 800})

    address = f"{world.report.get_absolute_url()}{world.agreement.question_id}/{tail}"
    look_ahead(world.lead, address)
    page.goto(address)

    assert page.evaluate("document.documentElement.scrollWidth") <= 390
