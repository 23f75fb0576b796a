"""A day with a gate: training that is not passed, a lead who lets through, an alert that the rater reads."""

import pytest
from playwright.sync_api import Browser, Page, expect

from projects.models import Membership, Round
from raters.models import Assignment, Label, QualityAlert, Rater, User
from raters.quality.watching import watch
from tests import cast
from tests.browser.access import faults_of
from tests.browser.labeling import all_sent, home, item, press
from tests.browser.people import sign_in
from tests.live import Site
from tests.sizes import only_in_full
from tests.working import Work, new_work


@pytest.fixture
def gated_work(committed_db: None) -> Work:
    """Two items to train on, whose answer is "good", and six behind them; for one rater."""
    work = new_work(n_items=8, n_raters=1)
    reference = Rater.objects.create(project=work.project, key="gold", kind=Rater.Kind.REFERENCE)
    good = work.question.categories.get(key="good")
    for known in work.items[:2]:
        Label.objects.create(item=known, rater=reference, question=work.question, category=good)
    main = Round.objects.create(project=work.project, key="main", position=1)
    Assignment.objects.filter(item__in=work.items[2:]).update(round=main)
    return work


@pytest.fixture
def gate_lead(gated_work: Work) -> User:
    return cast.member(gated_work.project, Membership.Role.LEAD, username="lena", unique=True)


def set_up(page: Page, work: Work) -> None:
    """A pass mark for the training, a gate before the main round, a rule for the same answer in a row."""
    slug = work.project.slug
    page.goto(f"/p/{slug}/rounds/{work.round.pk}/settings/")
    page.get_by_label("Training").check()
    page.get_by_label("Pass mark").fill("80")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("[data-pass-mark]")).to_be_visible()
    main = work.project.rounds.get(key="main")
    page.goto(f"/p/{slug}/rounds/{main.pk}/settings/")
    page.get_by_label("round 1").check()
    page.get_by_role("button", name="Save").click()
    expect(page.locator("[data-gates]")).to_be_visible()

    page.goto(f"/p/{slug}/quality/")
    page.get_by_role("link", name="Set up Same answer in a row").click()
    page.get_by_label("Same answer this many times in a row").fill("3")
    page.get_by_role("button", name="Compute").click()
    expect(page.locator("[data-rule]")).to_contain_text("the same answer 3 times in a row")
    page.get_by_label("Message to the rater").fill("Please look at each item.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("[data-rule=same_answer]")).to_contain_text("the rater gets a message")
    assert faults_of(page) == []


@only_in_full
def test_a_failed_training_is_let_through_and_the_rater_notified(
    page: Page, browser: Browser, site: Site, gated_work: Work, gate_lead: User
) -> None:
    work = gated_work
    sign_in(page, gate_lead)
    set_up(page, work)

    context = browser.new_context(base_url=site.url)
    context.set_default_timeout(60_000)
    rater = context.new_page()
    sign_in(rater, work.user())
    rater.goto(home(work))
    for number in (1, 2):
        expect(item(rater, number)).to_be_visible()
        press(rater, "3", "Enter")
        rater.get_by_role("link", name="Next item").or_(rater.get_by_role("button", name="Next item")).click()
    expect(rater.locator("[data-result=failed]")).to_be_visible()
    expect(rater.locator("[data-gate]")).to_contain_text("main")
    assert faults_of(rater) == []

    page.goto(f"/p/{work.project.slug}/rounds/{work.round.pk}/")
    key = work.raters[0].key
    row = page.locator(f"[data-pass='{key}']")
    expect(row).to_contain_text("0 of 2")
    row.locator("summary").filter(has_text="Let through").click()
    row.get_by_label("Note to the rater").fill("We talked.")
    assert faults_of(page) == []
    row.get_by_role("button", name="Let through").click()
    expect(row).to_contain_text("decided by")

    rater.goto(home(work))
    for number in (3, 4, 5):
        expect(item(rater, number)).to_be_visible()
        press(rater, "1", "Enter")
    expect(item(rater, 6)).to_be_visible()
    all_sent(rater)
    watch()
    rater.goto(home(work))
    expect(rater.locator("[data-rater-paused]")).to_contain_text("Please look at each item.")
    rater.get_by_role("button", name="I have read this").click()
    expect(item(rater, 6)).to_be_visible()
    context.close()

    assert QualityAlert.objects.get(project=work.project).about == "tone: good"
    page.goto(f"/p/{work.project.slug}/quality/")
    alert = page.locator("[data-alert=same_answer]")
    alert.locator("summary").click()
    alert.get_by_label("Note for the record").fill("Fine: these items are alike.")
    assert faults_of(page) == []
    alert.get_by_role("button", name="Close the alert").click()
    expect(page.locator("[data-alert=same_answer]")).to_contain_text("these items are alike")
