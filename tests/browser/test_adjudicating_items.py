"""Adjudicating item by item: two keys each, the next one fetched ahead, without scripts, and on a phone."""

from playwright.sync_api import Page, Route, expect

from projects.models import Project
from raters.adjudication.deciding import current_decision
from raters.adjudication.item_disputes import item_disputes
from raters.models import Rater, User
from tests.browser.access import faults_of
from tests.browser.people import sign_in
from tests.browser.test_adjudicating import expect_item, new_dispute
from tests.labeling import add_labels, new_question
from tests.sizes import only_in_full


def new_disputes() -> tuple[Project, User]:
    """The three claims, and a second question of two of them."""
    project, ada = new_dispute()
    tone = new_question(project, key="tone", categories=("calm", "loud"), prompt="How does it sound?")
    labels = [("claim-1", "ann", "calm"), ("claim-1", "bob", "loud")]
    add_labels(tone, [*labels, ("claim-2", "ann", "loud"), ("claim-2", "bob", "calm")])
    return project, ada


def decided(project: Project, item: str) -> list[str]:
    labels = [
        current_decision(project.items.get(key=item), question).label for question in project.questions.all()
    ]
    return [label.category.key if label and label.category else "" for label in labels]


def key_of(project: Project, item: str, rater: str) -> str:
    """The key that takes all answers of this rater."""
    whole = item_disputes(project.items.get(key=item))
    name = whole.names[Rater.objects.get(project=project, key=rater).pk]
    return dict(whole.accepting)[name]


def test_two_keys_for_each_item_and_undo(page: Page):
    project, ada = new_disputes()
    sign_in(page, ada)
    page.goto(f"/p/{project.slug}/adjudicate/")
    page.get_by_role("link", name="Resolve next").press("Enter")

    expect_item(page, "claim-1")
    page.keyboard.press(key_of(project, "claim-1", "bob"))
    page.keyboard.press("Enter")
    expect_item(page, "claim-2")
    expect(page.get_by_role("button", name="Undo claim-1")).to_be_visible()
    assert decided(project, "claim-1") == ["refuted", "loud"]

    page.keyboard.press("u")
    expect_item(page, "claim-1")
    expect(page.get_by_text("Undone: claim-1.")).to_be_visible()
    assert decided(project, "claim-1") == ["", ""]


@only_in_full
def test_digits_go_from_question_to_question(page: Page):
    project, ada = new_disputes()
    sign_in(page, ada)
    page.goto(f"/p/{project.slug}/adjudicate/items/next/")

    expect_item(page, "claim-1")
    page.keyboard.press("3")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect_item(page, "claim-2")
    expect(page.get_by_role("button", name="Undo claim-1")).to_be_visible()
    assert decided(project, "claim-1") == ["not enough information", "calm"]


def test_the_next_item_is_there_before_the_saving_is_answered(page: Page):
    project, ada = new_disputes()
    sign_in(page, ada)
    held: list[Route] = []
    page.route("**/adjudicate/items/*/", lambda route: _hold_posts(route, held))
    _with_the_next(page, project)

    page.keyboard.press(key_of(project, "claim-1", "ann"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="claim-2")).to_be_visible()
    assert decided(project, "claim-1") == ["", ""]
    held[0].continue_()
    expect(page.get_by_role("button", name="Undo claim-1")).to_be_visible()
    assert decided(project, "claim-1") == ["supported", "calm"]


def _hold_posts(route: Route, held: list[Route]) -> None:
    if route.request.method == "POST":
        held.append(route)
    else:
        route.continue_()


def _with_the_next(page: Page, project: Project) -> None:
    """At the first item, with the page of the second one fetched."""
    with page.expect_response(lambda response: response.request.resource_type == "fetch") as fetched:
        page.goto(f"/p/{project.slug}/adjudicate/items/next/")
    fetched.value.finished()
    expect(page.get_by_role("heading", name="claim-1")).to_be_visible()
    # What has come is read in the same turn as this.
    page.evaluate("new Promise((resolve) => setTimeout(resolve, 0))")


@only_in_full
def test_what_could_not_be_sent_comes_back_with_what_was_chosen(loose_page: Page):
    page = loose_page
    project, ada = new_disputes()
    sign_in(page, ada)
    _with_the_next(page, project)
    page.route(
        "**/adjudicate/items/*/",
        lambda route: route.abort() if route.request.method == "POST" else route.continue_(),
    )

    page.keyboard.press(key_of(project, "claim-1", "ann"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="Not saved")).to_be_visible()
    expect(page.get_by_role("heading", name="claim-1")).to_be_visible()
    expect(page.get_by_role("radio", name="supported", exact=False).first).to_be_checked()
    page.unroute("**/adjudicate/items/*/")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="claim-2")).to_be_visible()
    expect(page.get_by_role("button", name="Undo claim-1")).to_be_visible()
    assert decided(project, "claim-1") == ["supported", "calm"]


@only_in_full
def test_without_javascript(plain_page: Page):
    project, ada = new_disputes()
    sign_in(plain_page, ada)
    plain_page.goto(f"/p/{project.slug}/adjudicate/")
    plain_page.get_by_role("link", name="Resolve next").click()
    plain_page.get_by_role("button", name="Accept Rater A").click()
    expect(plain_page.get_by_role("heading", name="claim-2")).to_be_visible()
    plain_page.get_by_role("button", name="Undo claim-1").click()

    expect(plain_page.get_by_text("Undone: claim-1.")).to_be_visible()
    assert decided(project, "claim-1") == ["", ""]
    plain_page.get_by_role("link", name="All disputes").click()
    plain_page.get_by_role("link", name="Resolve many").click()
    plain_page.get_by_role("button", name="Preview").click()
    plain_page.get_by_role("button", name="Resolve 1 dispute").click()
    expect(plain_page.get_by_text("Resolved 1 dispute.")).to_be_visible()
    assert decided(project, "claim-2") == ["supported", ""]
    plain_page.get_by_role("button", name="Undo all").click()
    expect(plain_page.get_by_text("Undone: 1 dispute open again.")).to_be_visible()
    assert decided(project, "claim-2") == ["", ""]


def test_pages_fit_a_phone_and_have_no_fault_of_access(page: Page):
    project, ada = new_disputes()
    sign_in(page, ada)
    base = f"/p/{project.slug}/adjudicate"
    item = project.items.get(key="claim-1").pk
    wrong = {}
    for address in (f"{base}/items/{item}/", f"{base}/bulk/?rule=majority&share=50"):
        page.set_viewport_size({"width": 1280, "height": 900})
        page.goto(address)
        page.locator("details").evaluate_all("all => all.forEach((each) => (each.open = true))")
        found = faults_of(page)
        page.set_viewport_size({"width": 390, "height": 800})
        width = page.evaluate("document.documentElement.scrollWidth")
        if found or width > 390:
            wrong[address] = (found, width)

    assert wrong == {}
