"""From the matrix to one rater, and on to the items behind a number; and what the rater alone sees of it."""

from functools import cache

import pytest
from playwright.sync_api import Page, expect

from projects.models import Project
from tests.browser.access import faults_of
from tests.browser.people import sign_in
from tests.reports.rated import Rated, rated
from tests.sizes import only_in_full


@cache
def made_once() -> Rated:
    """For both tests, which change nothing."""
    made = rated("One rater")
    Project.objects.filter(pk=made.project.pk).update(shows_own_figures=True)
    return made


@pytest.fixture
def rated_on_site(page: Page) -> Rated:
    """A world on committed data; `page` comes first, for it opens the database to the test."""
    return made_once()


def test_a_lead_goes_from_the_matrix_to_a_rater_and_on_to_the_items(page: Page, rated_on_site: Rated):
    sign_in(page, rated_on_site.users["lead"])
    page.goto(f"{rated_on_site.report.get_absolute_url()}{rated_on_site.question.pk}/")

    page.get_by_role("rowheader", name="ann", exact=True).get_by_role("link").click()
    expect(page.get_by_role("heading", name="ann on tone")).to_be_visible()
    expect(page.get_by_role("img", name="Agreement by window")).to_be_visible()
    assert faults_of(page) == []
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.set_viewport_size({"width": 1280, "height": 800})

    window = page.get_by_role("table", name="by window").get_by_role("row").last
    window.get_by_role("link").first.click()
    expect(page.get_by_role("heading", name="Items of window 3")).to_be_visible()
    assert faults_of(page) == []
    page.get_by_role("link", name="item-59").click()
    expect(page.get_by_role("heading", name="item-59")).to_be_visible()


@only_in_full
def test_a_rater_reads_the_own_page_on_a_phone(page: Page, rated_on_site: Rated):
    sign_in(page, rated_on_site.users["ann"])
    page.set_viewport_size({"width": 390, "height": 800})

    page.goto(f"/p/{rated_on_site.project.slug}/rounds/{rated_on_site.round.pk}/revealed/")
    page.get_by_role("link", name="tone").click()

    expect(page.get_by_role("heading", name="Your labels on tone")).to_be_visible()
    expect(page.get_by_role("rowheader", name="Rater A")).to_be_visible()
    assert faults_of(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
