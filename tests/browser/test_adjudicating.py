"""Adjudicating with the keyboard alone, without scripts, on a phone, and without a fault of access."""

from playwright.sync_api import Browser, Page, expect

from projects.models import Item, Membership, Project
from raters.adjudication.deciding import NewDecision, current_decision, decide
from raters.labeling.answers import Answer
from raters.models import User
from tests import cast
from tests.browser.access import faults_of
from tests.browser.people import sign_in
from tests.labeling import add_labels, new_question
from tests.live import Site
from tests.sizes import only_in_full, some

CATEGORIES = ("supported", "refuted", "not enough information", "disputed source")
LABELS = {
    "claim-1": ("supported", "refuted", "not enough information"),
    "claim-2": ("supported", "supported", "refuted"),
    "claim-3": ("refuted", "refuted", "refuted"),
}


def new_dispute() -> tuple[Project, User]:
    """Three claims by three raters: one with three answers, one with two, one undisputed."""
    project = cast.new_project("Claims", unique=True)
    question = new_question(project, key="verdict", categories=CATEGORIES, prompt="What does the source say?")
    for number in range(3):
        content = [{"name": "claim", "kind": "text", "value": f"The bridge was opened in 193{number}."}]
        Item.objects.create(project=project, key=f"claim-{number + 1}", content=content)
    rows = [
        (item, rater, category)
        for item, answers in LABELS.items()
        for rater, category in zip(("ann", "bob", "cem"), answers, strict=True)
    ]
    add_labels(question, rows)
    return project, cast.member(project, Membership.Role.ADJUDICATOR, username="ada", unique=True)


def decided(project: Project, item: str) -> tuple[str, str, str, bool]:
    found = current_decision(project.items.get(key=item), project.questions.get())
    assert found.label is not None
    assert found.label.category is not None
    return found.label.category.key, found.label.reason, found.label.note, found.is_for_guidelines


def expect_item(page: Page, key: str) -> None:
    """The item is shown, and its scripts have run, so that its keys work."""
    expect(page.get_by_role("heading", name=key)).to_be_visible()
    page.wait_for_load_state("load")


def test_with_the_keyboard_alone(page: Page):
    project, ada = new_dispute()
    sign_in(page, ada)
    page.goto(f"/p/{project.slug}/adjudicate/")
    page.get_by_role("link", name="One question at a time").press("Enter")

    expect_item(page, "claim-1")
    page.keyboard.press("2")
    expect(page.get_by_role("radio", name="refuted")).to_be_checked()
    page.keyboard.press("r")
    page.keyboard.type("Rater")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    page.keyboard.type("no 2 of the source")
    page.keyboard.press("Escape")
    page.keyboard.press("f")
    page.keyboard.press("Enter")

    expect(page.get_by_text("Saved the decision on claim-1: refuted.")).to_be_visible()
    expect_item(page, "claim-2")
    page.keyboard.press("o")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name="disputed source")).to_be_checked()
    page.keyboard.press("r")
    page.keyboard.type("Amb")
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", name="All disputes are resolved")).to_be_visible()
    assert decided(project, "claim-1") == ("refuted", "Rater slip", "no 2 of the source", True)
    assert decided(project, "claim-2") == ("disputed source", "Ambiguous item", "", False)


def test_the_second_of_two_decisions_at_once_gets_an_error(page: Page, browser: Browser, site: Site):
    project, ada = new_dispute()
    abe = cast.member(project, Membership.Role.ADJUDICATOR, username="abe", unique=True)
    context = browser.new_context(base_url=site.url)
    other = context.new_page()
    for one, user in ((page, ada), (other, abe)):
        sign_in(one, user)
        one.goto(f"/p/{project.slug}/adjudicate/next/")
        expect_item(one, "claim-1")

    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect_item(page, "claim-2")
    other.keyboard.press("3")
    other.keyboard.press("Enter")

    expect(other.get_by_role("alert")).to_contain_text(f"This was decided by {ada} since you opened it.")
    expect(other.get_by_role("alert")).to_contain_text("Current decision: supported")
    expect(other.get_by_role("radio", name="not enough information")).to_be_checked()
    assert decided(project, "claim-1")[0] == "supported"
    other.wait_for_load_state("load")
    other.keyboard.press("Enter")
    expect_item(other, "claim-2")
    assert decided(project, "claim-1")[0] == "not enough information"
    context.close()


@only_in_full
def test_without_javascript(plain_page: Page):
    project, ada = new_dispute()
    sign_in(plain_page, ada)
    plain_page.goto(f"/p/{project.slug}/adjudicate/")
    plain_page.get_by_role("link", name="One question at a time").click()
    plain_page.locator("summary", has_text="Other decision").click()
    plain_page.get_by_role("radio", name="disputed source").check()
    plain_page.get_by_label("Reason").select_option("Guideline gap")
    plain_page.get_by_role("button", name="Save and next").click()

    expect(plain_page.get_by_text("Saved the decision on claim-1: disputed source.")).to_be_visible()
    plain_page.get_by_role("link", name="All disputes").click()
    plain_page.get_by_label("Status").select_option("Resolved")
    plain_page.get_by_role("button", name="Filter").click()
    plain_page.get_by_role("link", name="claim-1").click()
    plain_page.get_by_role("button", name="Withdraw decision").click()

    expect(plain_page.get_by_text("Withdrew the decision on claim-1.")).to_be_visible()
    assert current_decision(project.items.get(key="claim-1"), project.questions.get()).label is None


def addresses(project: Project) -> list[str]:
    """Every page of adjudication, and the item with its history."""
    item, question = project.items.get(key="claim-2"), project.questions.get()
    base = f"/p/{project.slug}"
    pages = ["", "?state=decided", "?state=flagged", f"{item.pk}/{question.pk}/"]
    other = project.items.get(key="claim-1")
    return [
        *(f"{base}/adjudicate/{each}" for each in pages),
        f"{base}/adjudicate/{other.pk}/{question.pk}/",
        f"{base}/items/final/",
        f"{base}/items/{item.pk}/",
    ]


def half_decided() -> tuple[Project, User]:
    project, ada = new_dispute()
    verdict = NewDecision(Answer(category="refuted"), "Rater slip", "See the source.", is_for_guidelines=True)
    decide(project.items.get(key="claim-2"), project.questions.get(), verdict, seen=0, by=ada)
    return project, ada


def test_no_page_has_a_fault_of_access(page: Page):
    project, ada = half_decided()
    sign_in(page, ada)
    faults = {}
    for address in some(addresses(project), every=2):
        page.goto(address)
        page.locator("details").evaluate_all("all => all.forEach((each) => (each.open = true))")
        faults[address] = faults_of(page)

    assert {address: found for address, found in faults.items() if found} == {}


@only_in_full
def test_on_a_phone_nothing_is_wider_than_the_page(page: Page):
    page.set_viewport_size({"width": 390, "height": 800})
    project, ada = half_decided()
    sign_in(page, ada)

    widths = {}
    for address in addresses(project):
        page.goto(address)
        widths[address] = page.evaluate("document.documentElement.scrollWidth")

    assert {address: width for address, width in widths.items() if width > 390} == {}
