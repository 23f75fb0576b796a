"""The codebook in a real browser: written from nothing, put in order by drag and by keys, merged, copied, versioned."""

import re

import pytest
from playwright.sync_api import Page, expect

from projects.models import Category, GuidelinesVersion, Membership, Project, Question
from raters.models import User
from tests import cast
from tests.browser.access import faults_of
from tests.browser.people import sign_in
from tests.labeling import add_labels, new_question
from tests.sizes import only_in_full, some


@pytest.fixture
def ordinal_tone(project: Project) -> Question:
    return new_question(project, key="tone", level="ordinal", categories=("good", "fair", "bad"))


def open_codebook(page: Page, project: Project, lead: User) -> None:
    sign_in(page, lead)
    page.goto(f"/p/{project.slug}/codebook/")
    expect(page.get_by_role("heading", name="Codebook", exact=True)).to_be_visible()


def open_question(page: Page, question: Question, lead: User) -> None:
    sign_in(page, lead)
    page.goto(f"/p/{question.project.slug}/codebook/questions/{question.pk}/")


def make_question(page: Page, key: str, *, asks_for: str, scale: str) -> None:
    page.get_by_role("link", name="Codebook").first.click()
    page.get_by_role("link", name="New question").click()
    page.get_by_label("Key").fill(key)
    page.get_by_label("Question", exact=True).fill(f"What is its {key}?")
    page.get_by_label("Answer type").select_option(asks_for)
    page.get_by_label("Scale").select_option(scale)
    page.get_by_role("button", name="Create question").click()
    expect(page.get_by_role("heading", name=key, exact=True)).to_be_visible()


def add_category(page: Page, key: str, **fields: str) -> None:
    card = page.locator("#new")
    card.get_by_label("Key").fill(key)
    card.get_by_label("Color").select_option(fields.pop("color", "None"))
    for label, text in fields.items():
        card.get_by_label(label.capitalize()).fill(text)
    card.get_by_role("button", name="Add category").click()
    expect(page.get_by_text(f"Added “{fields.get('name', key)}”.")).to_be_visible()


def keys(question: Question) -> list[str]:
    return list(question.categories.values_list("key", flat=True))


def shown_keys(page: Page) -> list[str]:
    return [
        name or ""
        for name in page.locator(".codes > li").evaluate_all("all => all.map(one => one.dataset.name)")
    ]


def drag(page: Page, name: str, *, onto: str) -> None:
    """Pull a row by its grip to the place of another, in steps, as a hand does."""
    rows = page.locator(".codes > li")
    grip = rows.filter(has=page.get_by_role("button", name=f"Move {name} up")).locator(".grip").bounding_box()
    target = rows.filter(has=page.get_by_role("button", name=f"Move {onto} up")).bounding_box()
    page.mouse.move(grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2)
    page.mouse.down()
    page.mouse.move(grip["x"], target["y"] + 4, steps=8)
    page.mouse.up()


def test_write_a_codebook_from_nothing(page: Page, project: Project, lead: User):
    open_codebook(page, project, lead)
    expect(page.get_by_text("No questions yet")).to_be_visible()

    make_question(page, "tone", asks_for="Single choice", scale="Ordinal")
    add_category(
        page, "good", name="Good", definition="Praise.", examples="“Superb”", shortcut="v", color="Green"
    )
    add_category(page, "bad", name="Bad", shortcut="b")
    make_question(page, "themes", asks_for="Multiple choice", scale="Nominal")
    add_category(page, "price")
    make_question(page, "stars", asks_for="Single choice", scale="Interval")
    add_category(page, "one", value="1")
    make_question(page, "minutes", asks_for="Number", scale="Ratio")
    expect(page.get_by_role("heading", name="New category")).to_have_count(0)

    page.get_by_role("link", name="Codebook").first.click()
    for text in (
        "Single choice, ordinal",
        "Multiple choice, nominal",
        "Single choice, interval",
        "Number, ratio",
    ):
        expect(page.get_by_text(text)).to_be_visible()
    expect(page.get_by_text("Praise.")).to_be_visible()
    good, bad = Category.objects.filter(question__project=project, question__key="tone")
    assert (good.shortcut, good.color, bad.shortcut, bad.color) == ("v", "green", "b", "")
    assert Category.objects.get(question__project=project, key="one").value == 1


@only_in_full
def test_put_categories_in_order_by_drag(page: Page, ordinal_tone: Question, lead: User):
    open_question(page, ordinal_tone, lead)

    with page.expect_response(re.compile("/order/")):
        drag(page, "bad", onto="good")

    expect(page.get_by_role("status").filter(has_text="bad is now in position 1.")).to_be_attached()
    assert shown_keys(page) == keys(ordinal_tone) == ["bad", "good", "fair"]
    page.reload()
    assert shown_keys(page) == ["bad", "good", "fair"]


def test_put_categories_in_order_by_keys(page: Page, ordinal_tone: Question, lead: User):
    open_question(page, ordinal_tone, lead)
    up = page.get_by_role("button", name="Move bad up")
    up.focus()

    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="bad is now in position 2.")).to_be_attached()
    expect(up).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="bad is now in position 1.")).to_be_attached()

    # The row has arrived, so the focus goes to the one button that still leads somewhere.
    expect(page.get_by_role("button", name="Move bad down")).to_be_focused()
    assert shown_keys(page) == keys(ordinal_tone) == ["bad", "good", "fair"]


@only_in_full
def test_a_refused_order_shows_the_current_one(page: Page, ordinal_tone: Question, lead: User):
    open_question(page, ordinal_tone, lead)
    expect(page.get_by_role("button", name="Move bad up")).to_be_visible()
    Category.objects.filter(question=ordinal_tone, key="fair").delete()

    page.get_by_role("button", name="Move bad up").click()

    expect(page.get_by_role("main").get_by_text("List every category exactly once")).to_be_visible()
    assert shown_keys(page) == keys(ordinal_tone) == ["good", "bad"]


def test_put_questions_in_order_without_javascript(
    plain_page: Page, project: Project, ordinal_tone: Question, lead: User
):
    new_question(project, key="mood", position=1)
    open_codebook(plain_page, project, lead)

    plain_page.get_by_role("button", name="Move mood up").click()

    expect(plain_page.get_by_role("heading", level=3).first).to_have_text("mood")
    expect(plain_page.locator(".grip").first).to_be_hidden()
    assert [question.key for question in project.questions.all()] == ["mood", "tone"]


def test_merge_a_category_that_has_labels(page: Page, ordinal_tone: Question, lead: User):
    add_labels(ordinal_tone, [("i", "r", "fair")])
    open_question(page, ordinal_tone, lead)

    page.get_by_role("link", name="Edit fair").click()
    expect(page.get_by_role("button", name="Delete category")).to_have_count(0)
    page.get_by_role("link", name="Merge…").click()
    expect(page.get_by_text("1 label will change to the other category.")).to_be_visible()
    page.get_by_label("Merge into").select_option("good")
    page.get_by_role("button", name="Merge").click()

    expect(page.get_by_text("Merged “fair” into “good”: 1 label changed.")).to_be_visible()
    assert keys(ordinal_tone) == ["good", "bad"]


@only_in_full
def test_start_from_a_codebook_and_copy_another(page: Page, project: Project, lead: User):
    source = cast.new_project("Source", unique=True)
    Membership.objects.create(project=source, user=lead, role=Membership.Role.LEAD)
    new_question(source, key="mood")
    open_codebook(page, project, lead)

    page.get_by_label("Sentiment").check()
    page.get_by_role("button", name="Add questions").click()
    expect(page.get_by_text("Added the questions.")).to_be_visible()
    page.get_by_label("Project", exact=True).select_option(source.name)
    page.get_by_role("button", name="Copy questions").click()

    expect(page.get_by_text(f"Copied the questions from {source.name}.")).to_be_visible()
    expect(page.get_by_role("heading", name="mood")).to_be_visible()
    assert project.questions.count() > 1


@only_in_full
def test_write_guidelines_and_see_what_changed(page: Page, project: Project, lead: User):
    open_codebook(page, project, lead)
    page.get_by_role("link", name="Guidelines", exact=True).click()
    for text in ("Read it *once*.", "Read it *twice*."):
        page.get_by_role("link", name="Edit", exact=True).click()
        page.get_by_label("Guidelines").fill(text)
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_text("Saved.")).to_be_visible()

    page.get_by_role("link", name="Version 2").click()

    expect(page.locator("del")).to_have_text("once")
    expect(page.locator("ins")).to_have_text("twice")
    assert GuidelinesVersion.objects.filter(project=project).count() == 2


def test_no_page_has_a_fault_of_access(page: Page, ordinal_tone: Question, lead: User):
    sign_in(page, lead)
    here = f"/p/{ordinal_tone.project.slug}/codebook/"
    category = ordinal_tone.categories.first()
    addresses = [
        here,
        f"{here}questions/new/",
        f"{here}questions/{ordinal_tone.pk}/",
        f"{here}categories/{category.pk}/",
        f"{here}categories/{category.pk}/merge/",
        f"{here}guidelines/",
        f"{here}guidelines/edit/",
    ]
    faults = {}
    for address in some(addresses, every=3):
        page.goto(address)
        faults[address] = faults_of(page)

    assert {address: found for address, found in faults.items() if found} == {}


@only_in_full
def test_on_a_phone_nothing_is_wider_than_the_page(page: Page, ordinal_tone: Question, lead: User):
    page.set_viewport_size({"width": 390, "height": 800})
    open_question(page, ordinal_tone, lead)

    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("link", name="Codebook").first.click()
    expect(page.get_by_role("heading", name="Codebook", exact=True)).to_be_visible()
    page.wait_for_load_state("load")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
