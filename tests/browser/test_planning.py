"""The pages about statistics: for everyone, without JavaScript, on a phone, and without a fault of access."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.access import faults_of
from tests.browser.people import sign_in
from tests.finished import new_world
from tests.sizes import only_in_full, some

PUBLIC = ["/statistics/", "/statistics/guide/"]


def test_no_page_has_a_fault_of_access(page: Page):
    faults = {}
    for address in some(PUBLIC, every=3):
        page.goto(address)
        faults[address] = faults_of(page)
    sign_in(page, new_world("Planning", n_items=4, n_raters=2).lead)
    for address in ("/statistics/items/", "/statistics/items/?shares=0.5"):
        page.goto(address)
        faults[address] = faults_of(page)

    assert {address: found for address, found in faults.items() if found} == {}


def test_published_examples_are_found_from_the_sign_in_page(plain_page: Page):
    plain_page.goto("/sign-in/")
    plain_page.get_by_role("link", name="published examples, recomputed").click()

    expect(plain_page.get_by_role("heading", name="Published examples, recomputed")).to_be_visible()
    row = plain_page.get_by_role("row").filter(has_text="0.831")
    expect(row).to_contain_text("match")


def test_a_plan_without_javascript(plain_page: Page):
    sign_in(plain_page, new_world("Planning", n_items=4, n_raters=2).lead)
    plain_page.goto("/statistics/items/")
    plain_page.get_by_label("Goal").select_option("CI above a given value")
    plain_page.get_by_label("Expected value").fill("0.6")
    plain_page.get_by_label("Category shares", exact=True).fill("0.3, 0.7")
    plain_page.get_by_role("button", name="Compute").first.click()

    expect(plain_page.get_by_text("191", exact=False).first).to_be_visible()
    expect(plain_page.get_by_role("img", name="Coefficients by share")).to_be_visible()
    plain_page.get_by_text("Show as table").click()
    expect(plain_page.get_by_role("row", name="0.10")).to_be_visible()


@only_in_full
@pytest.mark.parametrize("address", ["/statistics/", "/statistics/items/?aim=power"])
def test_on_a_phone_nothing_is_wider_than_the_page(page: Page, address):
    page.set_viewport_size({"width": 390, "height": 800})
    sign_in(page, new_world("Planning", n_items=4, n_raters=2).lead)
    page.goto(address)

    width = page.evaluate("document.documentElement.scrollWidth")

    assert width <= 390
