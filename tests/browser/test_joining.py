"""From an invitation to membership, as a person goes: sign up, join, second factor; with and without JavaScript."""

import re
import secrets
import time

import pytest
from allauth.mfa.totp.internal import auth as totp
from playwright.sync_api import Page, expect

from projects.members import invitations
from projects.models import Membership
from raters.models import Rater
from tests import cast
from tests.browser.access import faults_of
from tests.browser.people import sign_in_by_form as sign_in
from tests.finished import World, new_world
from tests.live import wait_until
from tests.sizes import only_in_full, some

SENTENCE = "a spoon, a fork and a knife"


@pytest.fixture
def small_world(page: Page) -> World:
    return new_world("Reviews", n_items=6, n_raters=3)


def make_link(page: Page, world: World) -> str:
    """The link of an invitation, made by its lead on the page of members."""
    page.goto(f"{world.project.get_absolute_url()}members/")
    page.get_by_label("Maximum uses").fill("2")
    page.get_by_role("button", name="Invite").click()
    return page.get_by_label("Invitation link").inner_text().strip()


def sign_up(page: Page, name: str) -> None:
    page.get_by_role("link", name="Create account").click()
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password", exact=True).fill(SENTENCE)
    page.get_by_label("Confirm password").fill(SENTENCE)
    page.get_by_role("button", name="Create account").click()


def walk_in(page: Page, world: World) -> str:
    sign_in(page, world.lead)
    link = make_link(page, world)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("button", name="Sign out")).to_have_count(0)
    name = f"nina-{secrets.token_hex(4)}"
    page.goto(link)
    assert page.url.endswith("/join/")
    expect(page.get_by_role("heading", name=world.project.name)).to_be_visible()
    sign_up(page, name)
    page.get_by_role("button", name=f"Join as {name}").click()
    expect(page.get_by_text("You joined")).to_be_visible()
    return name


def test_from_a_link_to_membership(page: Page, small_world: World):
    name = walk_in(page, small_world)

    assert small_world.project.memberships.get(user__username=name).role == Membership.Role.RATER


@only_in_full
def test_the_same_without_javascript(plain_page: Page):
    world = new_world("Reviews", n_items=6, n_raters=3)

    name = walk_in(plain_page, world)

    assert world.project.memberships.filter(user__username=name).exists()


def type_code(page: Page, secret: str, button: str) -> None:
    # A code holds for half a minute, and this one has to arrive in time.
    wait_until(lambda: time.time() % 30 < 20)
    counter = next(totp.yield_hotp_counters_from_time())
    page.get_by_label("Code", exact=True).fill(totp.format_hotp_value(totp.hotp_value(secret, counter)))
    page.get_by_role("button", name=button).click()


def test_the_second_factor_from_turning_on_to_a_recovery_code(page: Page, small_world: World):
    sign_in(page, small_world.lead)
    page.goto("/account/")
    page.get_by_role("link", name="Two-factor authentication").click()
    page.get_by_role("link", name="Turn on").click()
    page.get_by_label("Password").fill(cast.PASSWORD)
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("img", name="QR code")).to_be_visible()
    faults = {"turn on": faults_of(page)}
    type_code(page, page.locator("code").inner_text(), "Turn on")
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    code = page.get_by_label("Unused recovery codes").inner_text().split()[0]
    faults["recovery codes"] = faults_of(page)
    page.get_by_role("button", name="Sign out").click()

    page.get_by_label("Username").fill(small_world.lead.username)
    page.get_by_label("Password").fill(cast.PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Two-factor authentication")).to_be_visible()
    faults["code"] = faults_of(page)
    page.get_by_label("Code", exact=True).fill(code)
    page.get_by_role("button", name="Sign in").click()

    expect(page.get_by_role("heading", name="Projects", exact=True)).to_be_visible()
    assert [found for found in faults.values() if found] == []


@only_in_full
def test_a_rater_is_linked_by_the_page(page: Page, small_world: World):
    sign_in(page, small_world.lead)
    page.goto(f"{small_world.project.get_absolute_url()}raters/")
    rater = small_world.people["rater"]

    page.get_by_label("Member to link to rater-001").select_option(rater.username)
    page.get_by_role("button", name="Link rater-001").click()

    expect(page.get_by_role("button", name="Unlink rater-001")).to_be_visible()
    assert Rater.objects.get(project=small_world.project, key="rater-001").user == rater


FOR_ANYONE = [
    "/sign-in/",
    "/sign-up/",
    "/account/reset/",
    "/account/reset/sent/",
    "/account/reset/done/",
    "/account/reset/1-nothing/",
    "/account/confirm/",
    "/account/confirm/nothing/",
    "/account/inactive/",
]
FOR_ONE = ["/account/addresses/", "/account/reauthenticate/", "/account/password/", "/account/second-factor/"]


def test_no_page_of_accounts_has_a_fault_of_access(page: Page, small_world: World):
    _, token = invitations.invite(small_world.project, by=small_world.lead, role="rater", max_uses=3)
    faults = {}
    for address in some([f"/join/{token}/", *FOR_ANYONE, "/sign-up/"], every=2):
        page.goto(address)
        faults[address] = faults_of(page)
    page.context.clear_cookies()
    sign_in(page, small_world.lead)
    members = f"{small_world.project.get_absolute_url()}members/"
    for address in some([*FOR_ONE, members, f"{small_world.project.get_absolute_url()}raters/"], every=2):
        page.goto(address)
        faults[address] = faults_of(page)

    assert {address: found for address, found in faults.items() if found} == {}


@only_in_full
@pytest.mark.parametrize("where", ["members", "raters"])
def test_on_a_phone_the_page_does_not_scroll_sideways_and_its_tab_is_in_sight(
    page: Page, small_world: World, where
):
    page.set_viewport_size({"width": 390, "height": 844})
    invitations.invite(small_world.project, by=small_world.lead, role="rater", max_uses=3)
    sign_in(page, small_world.lead)

    page.goto(f"{small_world.project.get_absolute_url()}{where}/")

    assert page.evaluate("document.documentElement.scrollWidth") == 390
    tab = page.get_by_role("navigation", name="This section").get_by_role("link", name="Members")
    expect(tab).to_have_attribute("aria-current", "page")
    expect(tab).to_be_in_viewport()


@only_in_full
def test_a_wrong_password_shows_an_error_and_keeps_the_name(page: Page, small_world: World):
    page.goto("/sign-in/")
    page.get_by_label("Username").fill(small_world.lead.username)
    page.get_by_label("Password").fill("not this one")
    with page.expect_response(re.compile("/sign-in/")) as answer:
        page.get_by_role("button", name="Sign in").click()

    assert answer.value.status == 400
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_label("Username")).to_have_value(small_world.lead.username)
