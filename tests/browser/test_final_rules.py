"""Choosing the rule for final labels: by keyboard, on a phone, and without a fault of access."""

from playwright.sync_api import Browser, Page, expect

from projects.models import Membership
from raters.tasks import estimate_for_final_labels
from tests import cast
from tests.browser.access import faults_of
from tests.browser.people import sign_in
from tests.browser.test_adjudicating import new_dispute
from tests.live import Site
from tests.sizes import only_in_full


def test_a_lead_chooses_a_rule(page: Page):
    project, _ = new_dispute()
    lead = cast.member(project, Membership.Role.LEAD, username="lena", unique=True)
    sign_in(page, lead)
    page.goto(f"/p/{project.slug}/items/final/")
    page.get_by_role("link", name="Change the rule of verdict").press("Enter")
    expect(page.get_by_role("radio", name="Most frequent label")).to_be_checked()
    assert faults_of(page) == []

    page.get_by_role("radio", name="Weighted vote").press("Space")
    page.get_by_label("Leave open below").fill("60")
    page.get_by_label("Leave open below").press("Enter")

    row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="verdict"))
    expect(row.first).to_contain_text("Weighted vote")
    [run] = project.questions.get().final_estimates.all()
    estimate_for_final_labels(run.pk)
    page.reload()
    expect(page.get_by_role("button", name="Estimate verdict again")).to_be_visible()
    expect(page.locator("[data-estimate]")).to_contain_text("9 labels")
    assert faults_of(page) == []


@only_in_full
def test_on_a_phone_without_scripts(browser: Browser, site: Site, committed_db):
    project, _ = new_dispute()
    lead = cast.member(project, Membership.Role.LEAD, username="lena", unique=True)
    context = browser.new_context(
        base_url=site.url, java_script_enabled=False, viewport={"width": 390, "height": 844}
    )
    page = context.new_page()
    sign_in(page, lead)
    page.goto(f"/p/{project.slug}/items/final/rules/{project.questions.get().pk}/")
    page.get_by_role("radio", name="Majority").check()
    page.get_by_label("Leave open below").fill("150")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("radio", name="Majority")).to_be_checked()

    page.get_by_label("Leave open below").fill("")
    page.get_by_role("button", name="Save").click()

    expect(page.get_by_role("heading", name="Final labels", exact=True)).to_be_visible()
    assert project.questions.get().final_rule == "majority"
    context.close()
