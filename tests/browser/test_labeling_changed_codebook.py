"""A codebook that changes while a rater answers: what was said is kept, and what is missing asked for."""

from playwright.sync_api import Page, expect

from projects.codebook.categories import change_category
from projects.codebook.guidelines import write_guidelines
from projects.codebook.questions import create_question
from projects.codebook.versions import store_version
from projects.models import Membership, Question
from raters.merging.actions import merge_category
from raters.models import Label
from tests import cast
from tests.browser.labeling import (
    all_sent,
    begin,
    begin_with_items_ahead,
    expect_saved,
    item,
    press,
    read_changes,
    saved_labels,
)
from tests.sizes import only_in_full
from tests.working import Work, new_work


@only_in_full
def test_a_codebook_in_other_words_takes_the_answer_under_the_version_that_was_read(page: Page, work: Work):
    lead = cast.member(work.project, Membership.Role.LEAD, username="lead", unique=True)
    write_guidelines(work.project, "First.", by=lead)
    begin_with_items_ahead(page, work)
    press(page, "1", "q")

    change_category(work.question.categories.get(key="good"), by=lead, name="Very good")
    write_guidelines(work.project, "Second.", by=lead)
    press(page, "Enter")

    expect(item(page, 2)).to_be_visible()
    all_sent(page)
    expect_saved(work, [("item-1", "good")])
    # Numbers count from the first that was written.
    assert set(Label.objects.filter(rater=work.raters[0]).values_list("guidelines_version", flat=True)) == {1}


@only_in_full
def test_a_category_that_is_gone_is_asked_for_again_with_the_rest_kept(page: Page, work: Work):
    lead = cast.member(work.project, Membership.Role.LEAD, username="lead", unique=True)
    begin_with_items_ahead(page, work)
    press(page, "3", "w")
    page.get_by_label("Note for the project lead").fill("Half a thought")

    merge_category(work.question.categories.get(key="bad"), work.question.categories.get(key="fair"), by=lead)
    page.get_by_role("button", name="Save and next").click()

    expect(page.get_by_role("alert")).to_contain_text("has no category 'bad'")
    page.get_by_role("link", name="item-1").click()
    expect(item(page, 1)).to_be_visible()
    read_changes(page)
    expect(page.get_by_role("radio", name="bad")).to_be_hidden()
    expect(page.get_by_role("radio", name="sure", exact=True)).to_be_checked()
    expect(page.get_by_label("Note for the project lead")).to_have_value("Half a thought")
    assert saved_labels(work) == []
    press(page, "Escape", "2")
    page.get_by_role("button", name="Save and next").click()
    expect(item(page, 2)).to_be_visible()
    # The items ahead ask by the new codebook too.
    expect(page.get_by_role("radio", name="bad")).to_be_hidden()


def test_a_question_that_came_meanwhile_is_asked_with_the_rest_kept(page: Page, work: Work):
    lead = cast.member(work.project, Membership.Role.LEAD, username="lead", unique=True)
    begin_with_items_ahead(page, work)
    press(page, "1", "w")

    create_question(work.project, by=lead, key="New?", categories=[{"key": "yes"}, {"key": "no"}])
    press(page, "Enter")

    expect(page.get_by_role("alert")).to_contain_text("Answer “New?”")
    read_changes(page)
    # The item that was shown meanwhile asks it too; the one that was refused comes next.
    expect(item(page, 2)).to_be_visible()
    page.wait_for_load_state("networkidle")
    press(page, "3", "w")
    page.get_by_role("radio", name="no", exact=True).check()
    press(page, "Enter")
    expect(item(page, 1)).to_be_visible()
    expect(page.get_by_role("radio", name="good")).to_be_checked()
    page.get_by_role("radio", name="yes").check()
    press(page, "Enter")
    expect(item(page, 3)).to_be_visible()
    all_sent(page)
    expect_saved(work, [("item-1", "good"), ("item-2", "bad")])


@only_in_full
def test_an_answer_refused_after_reconnecting_is_reported_and_kept(loose_page: Page, work: Work):
    lead = cast.member(work.project, Membership.Role.LEAD, username="lead", unique=True)
    begin_with_items_ahead(loose_page, work)
    loose_page.context.set_offline(True)
    press(loose_page, "3", "w", "Enter")
    expect(item(loose_page, 2)).to_be_visible()
    merge_category(work.question.categories.get(key="bad"), work.question.categories.get(key="fair"), by=lead)

    loose_page.context.set_offline(False)

    expect(loose_page.get_by_role("alert")).to_contain_text("item-1 was not saved")
    loose_page.get_by_role("link", name="item-1").click()
    expect(item(loose_page, 1)).to_be_visible()
    read_changes(loose_page)
    expect(loose_page.get_by_role("radio", name="sure", exact=True)).to_be_checked()


def with_a_number(*, n_items: int = 5) -> Work:
    """Tone by 1, 2 and 3; how long, by q. So few items that all of them are ahead."""
    work = new_work(n_items=n_items, n_raters=1)
    Question.objects.create(
        project=work.project, key="Length", kind="number", level="ratio", position=1, is_required=False
    )
    store_version(work.project)
    return work


def lengths(work: Work) -> list[tuple[str, float | None]]:
    labels = Label.objects.filter(rater=work.raters[0], question__key="Length").order_by("item")
    return list(labels.values_list("item__key", "number"))


def asked_since(work: Work) -> int:
    return Label.objects.filter(rater=work.raters[0], question__key="New?").count()


def add_optional_question(work: Work) -> None:
    lead = cast.member(work.project, Membership.Role.LEAD, username="lead", unique=True)
    categories = [{"key": "yes"}, {"key": "no"}]
    create_question(work.project, by=lead, key="New?", is_required=False, categories=categories)


@only_in_full
def test_keys_typed_from_habit_after_a_question_was_added_answer_what_they_did(
    page: Page, committed_db: None
):
    work = with_a_number()
    begin_with_items_ahead(page, work, 5)
    press(page, "1", "q")
    page.keyboard.type("12")
    press(page, "Enter")
    expect(item(page, 2)).to_be_visible()
    all_sent(page)

    add_optional_question(work)
    press(page, "1", "q")
    page.keyboard.type("12")
    press(page, "Enter")

    # The reply says that there is a newer codebook; what it changed comes before the next item.
    expect(item(page, 3)).to_be_visible()
    expect(page.get_by_role("heading", name="The questions have changed")).to_be_focused()
    expect(page.locator("#changes")).to_contain_text(
        "New question: “New?” (optional). Answers: yes [w], no [e]."
    )
    press(page, "1", "q")
    page.keyboard.type("12")
    press(page, "w", "Enter")
    expect(item(page, 3)).to_be_visible()
    expect(page.locator("form :checked[data-category]")).to_have_count(0)
    expect(page.locator("[inputmode=decimal]")).to_have_value("")
    read_changes(page)
    expect(page.locator("#changes")).to_have_count(0)
    press(page, "1", "q")
    page.keyboard.type("12")
    press(page, "Enter")
    expect(item(page, 4)).to_be_visible()
    # Told once.
    expect(page.locator("#changes")).to_have_count(0)

    all_sent(page)
    assert lengths(work) == [(f"item-{n}", 12.0) for n in (1, 2, 3)]
    assert asked_since(work) == 0
    expect_saved(work, [(f"item-{n}", "good") for n in (1, 2, 3)])


@only_in_full
def test_an_open_tab_shows_the_change_with_its_next_request(page: Page, committed_db: None):
    """Nothing is saved in between: the items ahead bring the news."""
    work = with_a_number()
    begin_with_items_ahead(page, work, 5)
    press(page, "1")
    add_optional_question(work)

    press(page, "x")

    expect(item(page, 2)).to_be_visible()
    expect(page.locator("#changes")).to_be_visible()
    press(page, "1", "w", "Enter")
    expect(page.locator("form :checked[data-category]")).to_have_count(0)
    read_changes(page)
    press(page, "2", "Enter")
    expect(item(page, 3)).to_be_visible()
    all_sent(page)
    expect_saved(work, [("item-2", "fair")])
    assert asked_since(work) == 0


@only_in_full
def test_answers_kept_offline_are_reported_after_reconnecting(loose_page: Page, committed_db: None):
    work = with_a_number()
    begin_with_items_ahead(loose_page, work, 5)
    loose_page.context.set_offline(True)
    press(loose_page, "1", "q")
    loose_page.keyboard.type("12")
    press(loose_page, "Enter")
    expect(item(loose_page, 2)).to_be_visible()
    add_optional_question(work)

    loose_page.context.set_offline(False)

    expect(loose_page.locator("#changes")).to_be_visible()
    press(loose_page, "1", "q")
    loose_page.keyboard.type("12")
    read_changes(loose_page)
    expect(loose_page.locator("form :checked[data-category]")).to_have_count(0)
    press(loose_page, "3", "q")
    loose_page.keyboard.type("7")
    press(loose_page, "Enter")
    expect(item(loose_page, 3)).to_be_visible()
    all_sent(loose_page)
    assert lengths(work) == [("item-1", 12.0), ("item-2", 7.0)]
    expect_saved(work, [("item-1", "good"), ("item-2", "bad")])
    assert asked_since(work) == 0


@only_in_full
def test_a_returning_rater_sees_what_changed_since_they_saved(page: Page, committed_db: None):
    work = with_a_number()
    begin_with_items_ahead(page, work, 5)
    press(page, "1", "Enter")
    expect(page.get_by_text("item-1 saved")).to_be_visible()
    page.goto("about:blank")
    add_optional_question(work)

    page.goto(f"/p/{work.project.slug}/label/")

    expect(page.locator("#changes")).to_be_visible()
    press(page, "1")
    expect(page.locator("form :checked[data-category]")).to_have_count(0)
    read_changes(page)
    press(page, "1", "Enter")
    expect(page.get_by_text("item-2 saved")).to_be_visible()
    page.reload()
    expect(item(page, 3)).to_be_visible()
    expect(page.locator("#changes")).to_have_count(0)


@only_in_full
def test_without_scripts_changes_come_before_the_item(plain_page: Page, committed_db: None):
    work = with_a_number()
    begin(plain_page, work)
    plain_page.get_by_role("radio", name="good").check()
    plain_page.get_by_role("button", name="Save and next").click()
    add_optional_question(work)

    plain_page.get_by_role("radio", name="good").check()
    plain_page.get_by_role("button", name="Save and next").click()

    expect(item(plain_page, 3)).to_be_visible()
    expect(plain_page.locator("#changes")).to_contain_text("New question")
    plain_page.get_by_role("radio", name="good").check()
    plain_page.get_by_role("button", name="Save and next").click()
    expect(item(plain_page, 4)).to_be_visible()
    expect(plain_page.locator("#changes")).to_have_count(0)
