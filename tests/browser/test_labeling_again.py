"""Disputed items labeled again in a second round, and agreement before and after, as the lead sees it."""

from playwright.sync_api import Browser, Page, expect

from projects.models import Membership
from raters.adjudication.disputes import DisputeFilter, OpenDisputes
from raters.models import Label
from reports.models import Report
from tests import cast
from tests.browser.access import faults_of
from tests.browser.labeling import all_sent, home, press
from tests.browser.people import sign_in
from tests.live import Live, Site
from tests.sizes import only_in_full
from tests.working import answer, new_work

AT_FIRST = [
    ("good", "good"),
    ("bad", "bad"),
    ("good", "bad"),
    ("bad", "good"),
    ("fair", "good"),
    ("fair", "fair"),
]


# The keys of both raters: of good and bad.
AGAIN = {"item-3": "11", "item-4": "33", "item-5": "31"}


@only_in_full
def test_disputed_items_are_labeled_again_and_agreement_is_compared(
    page: Page, browser: Browser, site: Site, worker: Live
):
    work = new_work(n_items=6)
    lead = cast.member(work.project, Membership.Role.LEAD, username="lena", unique=True)
    for place, words in enumerate(AT_FIRST):
        for rater, word in enumerate(words):
            answer(work, word, place=place, rater=rater)
    sign_in(page, lead)

    page.goto(f"/p/{work.project.slug}/rounds/{work.round.pk}/")
    page.get_by_role("link", name="Label these items again").click()
    expect(page.get_by_label("The items of a round")).to_be_checked()
    expect(page.get_by_label("Label again")).to_be_checked()
    assert faults_of(page) == []
    page.get_by_label("Items in dispute").check()
    page.get_by_label("Name").fill("second")
    for rater in work.raters:
        expect(page.get_by_label(rater.key)).to_be_checked()
    page.get_by_role("button", name="Preview plan").click()
    expect(page.get_by_text("6 assignments of items that their raters have had before")).to_be_visible()
    page.get_by_role("button", name="Assign as shown").click()
    page.get_by_role("button", name="Open second").click()
    expect(page.get_by_text("second is open")).to_be_visible()

    for place in (0, 1):
        context = browser.new_context(base_url=site.url)
        tab = context.new_page()
        sign_in(tab, work.user(place))
        tab.goto(home(work))
        for _ in range(3):
            heading = tab.get_by_role("heading", level=1)
            before = heading.inner_text()
            # Blind: what was said in the first round is not shown.
            expect(tab.locator("form :checked[data-category]")).to_have_count(0)
            press(tab, AGAIN[before[: len("item-1")]][place], "Enter")
            expect(heading).not_to_have_text(before)
        all_sent(tab)
        context.close()

    assert Label.objects.filter(question=work.question).count() == 18
    assert len(OpenDisputes(work.project, DisputeFilter())) == 1
    second = work.project.rounds.get(key="second")
    page.goto(f"/p/{work.project.slug}/rounds/{second.pk}/")
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_text("items of second").first).to_be_visible(timeout=240_000)
    report = Report.objects.get(project=work.project)
    assert report.scope["rounds"] == ["round 1", "second"]
    assert len(report.scope["only"]["items"]) == 3
    page.goto(f"/p/{work.project.slug}/rounds/{second.pk}/")
    # Alike on 2 of 3, by chance on 1/3 * 2/3 + 2/3 * 1/3 = 4/9 of them.
    change = page.locator("[data-before-after]")
    expect(change).to_contain_text("In “second”, Cohen’s κ is 0.400")
    expect(change).to_contain_text("In “round 1”")
    expect(change).to_contain_text("regression to the mean")
    expect(page.locator("[data-chosen]")).to_contain_text("in dispute")
    assert faults_of(page) == []
