"""Webhooks in a real browser, without and with JavaScript: added, tested by a real worker, read on a phone."""

import os
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from projects.models import Delivery, Project, Webhook
from projects.webhooks import actions
from projects.webhooks.actions import WebhookSettings
from raters.models import User
from tests.browser.access import faults_of
from tests.browser.people import sign_in
from tests.live import Live
from tests.sizes import only_in_full

# No name server knows it, so that nothing leaves this machine.
URL = "https://hooks.invalid/interrater?key=a-long-key-without-any-space-0123456789-0123456789-0123456789"
# Where pictures of the pages go, if somebody wants to look at them.
LOOKED_AT = os.environ.get("PICTURES")


@pytest.fixture
def disabled(project: Project, lead: User) -> Webhook:
    """A webhook that was turned off, with a delivery in each state."""
    webhook, _ = actions.add(
        project,
        WebhookSettings(URL, Webhook.Event.values, "Fetches labels"),
        by=lead,
        site="https://labels.example.org",
    )
    now = timezone.now()
    tried = {"at": now.isoformat(), "status": 503, "fault": "The server answered 503.", "seconds": 0.182}
    fine = {"at": now.isoformat(), "status": 200, "fault": "", "seconds": 0.09}
    data = {
        "type": "round.closed",
        "timestamp": now.isoformat(),
        "project": project.slug,
        "data": {"round_id": 1},
    }
    State = Delivery.State  # noqa: N806
    for kind, state, tries, failure in [
        ("labels.saved", State.DONE, [fine], ""),
        ("round.closed", State.FAILED, [tried] * 8, tried["fault"]),
        ("report.done", State.QUEUED, [tried], tried["fault"]),
        ("import.done", State.CANCELLED, [], "The webhook was turned off before this was delivered."),
    ]:
        Delivery.objects.create(
            webhook=webhook, kind=kind, state=state, tries=tries, n_tries=len(tries), failure=failure,
            payload=data, answer="<html>Service Unavailable</html>" if tries else "", due_at=now,
        )  # fmt: skip
    Webhook.objects.filter(pk=webhook.pk).update(
        is_active=False, disabled_at=now, disabled_why="The server answered 503.", n_failed=5
    )
    webhook.refresh_from_db()
    return webhook


def look(page: Page, name: str) -> None:
    if LOOKED_AT:
        page.screenshot(path=Path(LOOKED_AT) / f"{name}.png", full_page=True)


@only_in_full
def test_add_one_and_send_a_test(page: Page, project: Project, lead: User, worker: Live):
    sign_in(page, lead)
    page.goto(f"{project.get_absolute_url()}settings/")
    page.get_by_role("link", name="Webhooks", exact=True).click()
    page.get_by_label("Address").fill("https://127.0.0.1/")
    page.get_by_role("button", name="Add webhook").click()
    expect(page.get_by_text("on a private network")).to_be_visible()
    expect(page.get_by_text("This field is required")).to_be_visible()
    look(page, "refused")
    page.get_by_label("Address").fill(URL)
    page.get_by_label("Labels saved").check()
    page.get_by_label("Round closed").check()

    page.get_by_role("button", name="Add webhook").press("Enter")

    assert page.get_by_label("Signing secret").inner_text().startswith("whsec_")
    look(page, "added")
    page.get_by_role("button", name="Send a test").click()
    expect(page.get_by_role("row").filter(has_text="Test")).to_be_visible()
    for _ in range(60):
        if page.get_by_text("could not be resolved").count():
            break
        page.wait_for_timeout(500)
        page.reload()
    expect(page.get_by_text("could not be resolved").first).to_be_visible()
    expect(page.get_by_role("button", name="Send again")).to_be_visible()
    assert project.webhooks.get().events == ["labels.saved", "round.closed"]


@only_in_full
def test_it_works_without_javascript(plain_page: Page, project: Project, lead: User, disabled: Webhook):
    page = plain_page
    sign_in(page, lead)
    page.goto(disabled.get_absolute_url())
    expect(page.get_by_role("alert")).to_contain_text("Turned off on")
    page.get_by_text("8 tries").click()
    expect(page.get_by_label("Content of the delivery").first).to_be_attached()

    page.get_by_label("Active").check()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("alert")).to_have_count(0)
    row = page.get_by_role("row").filter(has_text="Round closed")
    row.get_by_role("button", name="Send again").click()

    expect(page.get_by_text("Queued again")).to_be_visible()
    page.get_by_role("button", name="Delete webhook").click()
    expect(page.get_by_text("Webhook deleted")).to_be_visible()
    assert not project.webhooks.exists()


@only_in_full
def test_no_fault_of_access_and_nothing_scrolls_sideways(
    page: Page, project: Project, lead: User, disabled: Webhook
):
    sign_in(page, lead)
    for name, address in {
        "list": f"{project.get_absolute_url()}settings/webhooks/",
        "webhook": disabled.get_absolute_url(),
    }.items():
        page.set_viewport_size({"width": 1280, "height": 800})
        page.goto(address)
        if name == "webhook":
            page.get_by_text("8 tries").click()
        look(page, name)
        assert faults_of(page) == []
        page.emulate_media(color_scheme="dark")
        look(page, f"{name}-dark")
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": 390, "height": 844})
        look(page, f"{name}-phone")
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        assert faults_of(page) == []
