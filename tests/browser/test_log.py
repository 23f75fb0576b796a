"""The log, deleting a project and erasing a person in a real browser: with axe, by keyboard, and on a phone."""

import pytest
from playwright.sync_api import Page, expect

from projects import actions
from projects.members import invitations
from projects.models import Event, Membership
from raters.models import User
from tests import cast
from tests.browser.access import faults_of
from tests.browser.people import sign_in
from tests.sizes import only_in_full, some


@pytest.fixture
def lead_who_changed_it(project, lead) -> User:
    actions.change_project(project, by=lead, shows_names=True)
    actions.change_project(project, by=lead, adjudication_reasons=["A long reason " * 10])
    return lead


@only_in_full
def test_filter_the_log_by_kind(page: Page, project, lead_who_changed_it):
    sign_in(page, lead_who_changed_it)
    page.goto(f"{project.get_absolute_url()}log/")
    actions.change_project(project, by=lead_who_changed_it, state="closed")

    page.get_by_label("Event").select_option(label="Project closed")
    page.get_by_role("button", name="Filter").press("Enter")

    expect(page.get_by_role("row")).to_have_count(2)
    expect(page.get_by_role("cell", name="Project closed from open to closed")).to_be_visible()


def test_no_page_has_a_fault_of_access_or_scrolls_sideways(page: Page, project, lead_who_changed_it):
    owner = cast.person("olga", unique=True, is_superuser=True)
    pages = {
        f"{project.get_absolute_url()}log/": lead_who_changed_it,
        f"{project.get_absolute_url()}delete/": lead_who_changed_it,
        "/people/": owner,
        f"/people/{lead_who_changed_it.pk}/erase/": owner,
    }
    faults = {}
    for address, user in some(pages.items(), every=2):
        page.context.clear_cookies()
        page.set_viewport_size({"width": 1280, "height": 800})
        sign_in(page, user)
        page.goto(address)
        faults[address] = faults_of(page)
        page.set_viewport_size({"width": 390, "height": 844})
        if page.evaluate("document.documentElement.scrollWidth") != 390:
            faults[address].append("scrolls sideways")

    assert {address: found for address, found in faults.items() if found} == {}


def test_delete_a_project_and_restore_it(page: Page, project, lead_who_changed_it):
    sign_in(page, lead_who_changed_it)
    page.goto(f"{project.get_absolute_url()}settings/")
    page.get_by_role("link", name="Delete project").click()
    page.get_by_label("Enter the project name").fill(project.name)
    page.get_by_role("button", name="Delete project").click()
    expect(page.get_by_role("heading", name="has been deleted")).to_be_visible()

    page.get_by_role("link", name="Projects").last.click()
    page.get_by_role("link", name=project.name).click()
    page.get_by_role("button", name="Restore").click()

    expect(page.get_by_role("link", name=project.name)).to_be_visible()
    told = Event.objects.filter(project_id=project.pk).order_by("-pk").values_list("kind", flat=True)
    assert list(told[:2]) == ["project_deletion_canceled", "project_deletion_requested"]


@only_in_full
def test_members_and_people_are_read_on_a_phone(page: Page, project, lead_who_changed_it):
    """Each row is a block: no table scrolls sideways, and each is still a table to a screen reader."""
    long = "a-name-without-spaces-" * 5
    member = cast.member(project, Membership.Role.RATER, username=long, unique=True)
    invitations.invite(project, by=lead_who_changed_it, role="rater", username=long[:100])
    page.set_viewport_size({"width": 390, "height": 800})
    owner = cast.person("olga", unique=True, is_superuser=True)
    for user, address in [
        (lead_who_changed_it, f"{project.get_absolute_url()}members/"),
        (owner, f"/people/?q={member}"),
    ]:
        page.context.clear_cookies()
        sign_in(page, user)
        page.goto(address)

        row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name=member.username)).first
        expect(row.get_by_role("cell")).to_have_count(3)
        expect(row.locator("[data-column]").first).to_be_visible()
        too_wide = (
            "[...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth).length"
        )
        assert page.evaluate(too_wide) == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert faults_of(page) == []
