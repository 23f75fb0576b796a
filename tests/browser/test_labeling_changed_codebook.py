"""A codebook that changes while a rater answers: what was said is kept, and what is missing asked for."""

from playwright.sync_api import Page, expect

from projects.codebook.categories import change_category
from projects.codebook.guidelines import write_guidelines
from projects.codebook.questions import create_question
from projects.models import Membership
from raters.merging.actions import merge_category
from raters.models import Label
from tests import cast
from tests.browser.labeling import begin, begin_with_items_ahead, item, press, said
from tests.working import Work


def test_a_codebook_in_other_words_takes_the_answer_under_the_version_that_was_read(page: Page, work: Work):
    lead = cast.member(work.project, Membership.Role.LEAD, username="lead", unique=True)
    write_guidelines(work.project, "First.", by=lead)
    begin(page, work)
    press(page, "1", "q")

    change_category(work.question.categories.get(key="good"), by=lead, name="Very good")
    write_guidelines(work.project, "Second.", by=lead)
    press(page, "Enter")

    expect(item(page, 2)).to_be_visible()
    assert said(work) == [("item-1", "good")]
    # Numbers count from the first that was written.
    assert set(Label.objects.filter(rater=work.raters[0]).values_list("guidelines_version", flat=True)) == {1}


def test_a_category_that_is_gone_is_asked_for_again_with_the_rest_kept(page: Page, work: Work):
    lead = cast.member(work.project, Membership.Role.LEAD, username="lead", unique=True)
    begin(page, work)
    press(page, "3", "w")
    page.get_by_label("Note for the project lead").fill("Half a thought")

    merge_category(work.question.categories.get(key="bad"), work.question.categories.get(key="fair"), by=lead)
    page.get_by_role("button", name="Save and next").click()

    expect(page.get_by_role("alert")).to_contain_text("has no category 'bad'")
    expect(page.get_by_role("radio", name="bad")).to_be_hidden()
    expect(page.get_by_role("radio", name="sure", exact=True)).to_be_checked()
    expect(page.get_by_label("Note for the project lead")).to_have_value("Half a thought")
    assert said(work) == []
    press(page, "Escape", "2")
    page.get_by_role("button", name="Save and next").click()
    expect(item(page, 2)).to_be_visible()
    # The items ahead ask by the new codebook too.
    expect(page.get_by_role("radio", name="bad")).to_be_hidden()


def test_a_question_that_came_meanwhile_is_asked_with_the_rest_kept(page: Page, work: Work):
    lead = cast.member(work.project, Membership.Role.LEAD, username="lead", unique=True)
    begin(page, work)
    press(page, "1", "w")

    create_question(work.project, by=lead, key="New?", categories=[{"key": "yes"}, {"key": "no"}])
    press(page, "Enter")

    expect(page.get_by_role("alert")).to_contain_text("Answer “New?”")
    expect(page.get_by_role("radio", name="good")).to_be_checked()
    page.get_by_role("radio", name="yes").check()
    press(page, "Enter")
    expect(item(page, 2)).to_be_visible()
    assert said(work) == [("item-1", "good")]


def test_what_is_refused_after_the_connection_came_back_is_told_and_kept(loose_page: Page, work: Work):
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
    expect(loose_page.get_by_role("radio", name="sure", exact=True)).to_be_checked()
