"""From an empty project to an item, by uploading files and pressing buttons, with a real worker behind the pages."""

import re
import secrets
from collections.abc import Sequence

import pytest
from playwright.sync_api import Page, expect

from projects.models import Item
from raters.models import Label
from tests import cast
from tests.browser.access import faults_of
from tests.browser.people import sign_in
from tests.labeling import from_table
from tests.live import Live
from tests.sizes import only_in_full, some

QUESTIONS = (
    "question,prompt,scale,labels,label_meanings\npet,Which animal is it?,nominal,cat|dog,A cat|A dog\n"
)


def labels_file(counts: Sequence[Sequence[int]]) -> str:
    rows = from_table(counts, ["cat", "dog"])
    return "item,rater,question,label\n" + "".join(f"{i},{r},pet,{label}\n" for i, r, label in rows)


def upload(page: Page, kind: str, text: str) -> None:
    page.get_by_label("File or files").set_input_files(
        {"name": f"{kind.lower()}.csv", "mimeType": "text/csv", "buffer": text.encode()}
    )
    # Its scripts follow choices once it has loaded.
    with page.expect_navigation():
        page.get_by_role("button", name="Upload", exact=True).click()


def new_project(page: Page) -> str:
    """Make a project by the form, and open its import page; returns its name."""
    name = f"Pets {secrets.token_hex(4)}"
    page.get_by_role("link", name="New project").first.click()
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Create project").click()
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    page.get_by_role("navigation", name="This project").get_by_role("link", name="Set-up").click()
    page.get_by_role("navigation", name="This section").get_by_role("link", name="Import").click()
    return name


def fact(page: Page, name: str) -> str:
    """The value beside a name in a list of facts."""
    term = page.get_by_role("term").filter(has_text=re.compile(f"^{name}$"))
    return page.locator("div").filter(has=term).last.get_by_role("definition").inner_text().strip()


@only_in_full
@pytest.mark.parametrize(
    ("counts", "kappa"),
    some(
        [([[10, 7], [5, 8]], "0.200"), ([[22, 9], [7, 13]], "0.353"), ([[60, 125], [5, 5000]], "0.470")],
        every=3,
    ),
)
def test_a_published_table_through_import_task_and_page(page: Page, worker: Live, counts, kappa):
    sign_in(page, cast.person("lena", unique=True))
    new_project(page)
    upload(page, "Questions", QUESTIONS)
    expect(page.get_by_role("cell", name="cat (A cat), dog (A dog)")).to_be_visible()
    assert faults_of(page) == []
    page.get_by_role("button", name="Import 1 question", exact=True).click()
    expect(page.get_by_role("heading", name="Import complete")).to_be_visible()
    assert fact(page, "Created") == "1"

    page.get_by_role("link", name="Import another file").click()
    upload(page, "Labels", labels_file(counts))
    n_labels = 2 * sum(map(sum, counts))
    expect(page.get_by_role("table", name="Columns of the file")).to_be_visible()
    assert faults_of(page) == []
    page.get_by_role("button", name=f"Import {n_labels:,} labels").click()
    expect(page.get_by_role("heading", name="Import complete")).to_be_visible()
    page.get_by_role("navigation", name="This project").get_by_role("link", name="Agreement").click()
    page.get_by_role("button", name="Compute agreement").click()
    expect(page.get_by_role("heading", name="Agreement on pet")).to_be_visible()
    page.get_by_role("grid", name=re.compile("^Pairwise Cohen’s κ")).locator("td a").first.click()

    assert fact(page, "κ") == kappa
    cell = page.get_by_role("link", name=re.compile(f"^{counts[0][1]:,}\\b")).first
    cell.click()
    expect(
        page.get_by_role("heading", name="Items where A chose “A cat” and B chose “A dog”")
    ).to_be_visible()
    expect(page.get_by_text(re.compile(f"^{counts[0][1]} items, question pet"))).to_be_visible()
    page.get_by_role("main").get_by_role("rowheader").get_by_role("link").first.click()
    expect(page.get_by_role("heading", name="Labels")).to_be_visible()


@only_in_full
def test_faults_are_listed_with_their_place_and_nothing_is_imported(page: Page, worker: Live):
    sign_in(page, cast.person("lena", unique=True))
    new_project(page)
    before = Label.objects.count()

    upload(page, "Labels", "item,rater,label\ni1,A,cat\n\ni1,A,dog\ni2,B,c\x07t\n")

    for line, code in (("4", "duplicate_label"), ("5", "control_character")):
        expect(page.locator(f"tr[data-code={code}]")).to_contain_text(line)
    expect(page.get_by_role("button", name=re.compile("^Import"))).to_have_count(0)
    assert faults_of(page) == []
    assert Label.objects.count() == before


def test_columns_are_mapped_by_hand_without_javascript(plain_page: Page, worker: Live):
    page = plain_page
    sign_in(page, cast.person("lena", unique=True))
    name = new_project(page)
    rows = ("t1;A;yes;one;big", "t1;B;no;one;small", "t2;A;yes;two;n/a", "t2;B;yes;two;big")
    upload(page, "Labels", "\n".join(["text id;who;answer;text;size", *rows]))
    page.get_by_label("Column text holds").select_option("Ignore")
    page.get_by_label("Column size holds").select_option("Label")
    page.get_by_label("Column answer holds").select_option("Ignore")
    page.get_by_role("button", name="Update preview").click()
    page.get_by_role("textbox", name="Question").fill("mood")
    page.get_by_label("n/a becomes").select_option("Cannot tell")
    page.get_by_role("button", name="Update preview").click()

    page.get_by_role("button", name="Import 4 labels").click()
    expect(page.get_by_role("button", name="Import 4 labels")).to_have_count(0)
    while page.get_by_role("heading", name="Import complete").count() == 0:
        page.reload()

    assert fact(page, "Created") == "4"
    assert (
        Label.objects.filter(question__key="mood", is_abstention=True, item__project__name=name).count() == 1
    )


def test_each_choice_shows_what_it_does_at_once(page: Page, worker: Live):
    sign_in(page, cast.person("lena", unique=True))
    new_project(page)
    upload(page, "Labels", "No.,Statement,Anna,Ben\n1,a,good,Good\n2,b,bad,NA\n3,c,good,bad\n")
    button = page.get_by_role("button", name=re.compile("^Import .* labels"))
    expect(button).to_have_text("Import 5 labels")

    page.get_by_label("NA becomes").focus()
    page.get_by_label("NA becomes").select_option("bad")
    expect(button).to_have_text("Import 6 labels")
    expect(page.get_by_label("NA becomes")).to_be_focused()

    page.get_by_label("Column Ben holds").select_option("Ignore")
    expect(button).to_have_text("Import 3 labels")
    assert faults_of(page) == []

    settings, answered = page.locator("details[data-keep-open]"), page.locator("#understood:not([aria-busy])")
    expect(settings).not_to_have_attribute("open")
    settings.locator("summary").click()
    page.get_by_label("Decimal mark").select_option(index=1)
    expect(answered).to_be_visible()
    expect(settings).to_have_attribute("open")
    page.get_by_role("button", name="Update preview").click()
    expect(settings).to_have_attribute("open")
    settings.locator("summary").click()
    page.reload()
    expect(settings).not_to_have_attribute("open")


@only_in_full
def test_the_same_file_changes_nothing_and_says_so(page: Page, worker: Live):
    text = "item,rater,question,label\nt1,A,mood,yes\nt1,B,mood,no\n"
    sign_in(page, cast.person("lena", unique=True))
    name = new_project(page)
    upload(page, "Labels", text)
    page.get_by_role("button", name="Import 2 labels").click()
    expect(page.get_by_role("heading", name="Import complete")).to_be_visible()

    page.get_by_role("navigation", name="This project").get_by_role("link", name="Set-up").click()
    page.get_by_role("navigation", name="This section").get_by_role("link", name="Import").click()
    upload(page, "Labels", text)

    expect(
        page.get_by_text(re.compile("This file was already imported, as import .* Nothing was changed."))
    ).to_be_visible()
    assert Label.objects.filter(question__project__name=name).count() == 2


@only_in_full
def test_items_are_read_in_another_way_and_confirmed_without_javascript(plain_page: Page, worker: Live):
    page = plain_page
    sign_in(page, cast.person("lena", unique=True))
    name = new_project(page)
    upload(page, "Items", "item;image:photo;one, two\ni1;cat.png;A cat\n")
    page.get_by_label("Separator").select_option("semicolon")
    page.get_by_role("button", name="Update preview").click()

    # Above each column, what its name says that it holds.
    shown = page.get_by_role("table", name="First items in the file")
    expect(shown.get_by_role("columnheader", name="photo", exact=True)).to_be_visible()
    expect(shown.get_by_role("cell", name="image", exact=True)).to_be_visible()
    page.get_by_role("button", name="Import 1 item", exact=True).click()

    assert fact(page, "Created") == "1"
    assert Item.objects.get(project__name=name).key == "i1"


SCALE = "item,rater,label\n" + "".join(
    f"{item},{rater},{('low', 'mid', 'high')[(item + len(rater)) % 3]}\n"
    for item in range(6)
    for rater in ("ann", "benno")
)


def open_scale(page: Page) -> None:
    sign_in(page, cast.person("lena", unique=True))
    new_project(page)
    upload(page, "Labels", SCALE)
    page.get_by_label("Scale").select_option("ordinal")
    expect(page.locator("#understood[aria-busy]")).to_have_count(0)
    expect(page.get_by_role("group", name="Order of the scale")).to_be_visible()


def shown_order(page: Page) -> list[str]:
    return page.get_by_role("group", name="Order of the scale").locator("li bdi").all_inner_texts()


def moved(page: Page, name: str, position: int) -> None:
    told = page.get_by_role("status").filter(has_text=f"{name} is now in position {position}.")
    expect(told).to_be_attached()
    expect(page.locator("#understood[aria-busy]")).to_have_count(0)


def test_the_order_of_a_scale_by_keys(page: Page, worker: Live):
    open_scale(page)
    first, second, third = shown_order(page)
    up = page.get_by_role("button", name=f"Move {third} up")

    up.focus()
    page.keyboard.press("Enter")
    moved(page, third, 2)
    expect(up).to_be_focused()
    page.keyboard.press("Enter")
    moved(page, third, 1)

    # It has arrived, so the focus goes to the one button that still leads somewhere.
    expect(page.get_by_role("button", name=f"Move {third} down")).to_be_focused()
    assert shown_order(page) == [third, first, second]
    page.reload()
    assert shown_order(page) == [third, first, second]
    assert not faults_of(page)


@only_in_full
def test_the_order_of_a_scale_by_drag(page: Page, worker: Live):
    open_scale(page)
    first, second, third = shown_order(page)
    rows = page.get_by_role("group", name="Order of the scale").locator("li")
    rows.nth(0).scroll_into_view_if_needed()
    grip, target = rows.nth(2).locator(".grip").bounding_box(), rows.nth(0).bounding_box()

    page.mouse.move(grip["x"] + 4, grip["y"] + 4)
    page.mouse.down()
    page.mouse.move(grip["x"] + 4, target["y"] + 2, steps=8)
    page.mouse.up()

    moved(page, third, 1)
    page.reload()
    assert shown_order(page) == [third, first, second]
