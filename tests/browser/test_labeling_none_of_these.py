"""Several categories of which none fits: a choice of its own, never an untouched question."""

import re

import pytest
from playwright.sync_api import Page, expect

from projects.codebook.versions import store_version
from raters.models import Label
from tests.browser.access import faults_of
from tests.browser.labeling import all_sent, begin, home, item, press
from tests.browser.people import sign_in
from tests.labeling import new_question
from tests.working import Work, new_work


@pytest.fixture
def themed_work(committed_db: None) -> Work:
    """Tone by 1, 2, 3; themes by q and w, none of them by 0."""
    themed_work = new_work(n_items=6, n_raters=1)
    new_question(
        themed_work.project, key="themes", categories=("price", "staff"), kind="multiple", position=1
    )
    store_version(themed_work.project)
    return themed_work


def themes(themed_work: Work) -> list[tuple[str, list[int] | None]]:
    labels = Label.objects.filter(question__project=themed_work.project, question__key="themes").order_by(
        "item"
    )
    return list(labels.values_list("item__key", "category_set"))


def test_an_untouched_question_is_asked_for(page: Page, themed_work: Work):
    begin(page, themed_work)
    none = page.get_by_role("checkbox", name="None of these")

    press(page, "1", "Enter")
    expect(page.get_by_text("Answer “themes”.")).to_be_visible()
    expect(item(page, 1)).to_be_visible()
    press(page, "0")
    expect(none).to_be_checked()
    assert faults_of(page) == []
    press(page, "Enter")
    expect(item(page, 2)).to_be_visible()
    all_sent(page)

    assert themes(themed_work) == [("item-1", [])]
    # Undo shows it as it was said.
    press(page, "u")
    expect(item(page, 1)).to_be_visible()
    expect(none).to_be_checked()


def test_it_goes_with_nothing_else_and_is_kept_in_a_draft(page: Page, themed_work: Work):
    begin(page, themed_work)
    none, price = (
        page.get_by_role("checkbox", name="None of these"),
        page.get_by_role("checkbox", name="price"),
    )

    press(page, "q", "0")
    expect(none).to_be_checked()
    expect(price).not_to_be_checked()
    press(page, "q")
    expect(none).not_to_be_checked()
    press(page, "0")
    page.reload()
    expect(none).to_be_checked()
    press(page, "s")
    # Both questions have no answer but "cannot tell" now, or the one that was said.
    expect(none).to_be_checked()
    expect(page.get_by_role("radio", name="Cannot tell")).to_be_checked()
    expect(page.get_by_role("checkbox", name="Cannot tell")).not_to_be_checked()


def test_cannot_tell_for_the_rest_takes_an_untouched_question(page: Page, themed_work: Work):
    begin(page, themed_work)
    press(page, "1", "s")
    expect(page.get_by_role("checkbox", name="Cannot tell")).to_be_checked()


def test_without_scripts(plain_page: Page, themed_work: Work):
    sign_in(plain_page, themed_work.user())
    plain_page.goto(home(themed_work))
    plain_page.get_by_label("good").check()
    plain_page.get_by_role("button", name=re.compile("Save and next")).click()
    expect(plain_page.get_by_text("Answer “themes”.").first).to_be_visible()
    plain_page.get_by_label("None of these").check()
    plain_page.get_by_role("button", name=re.compile("Save and next")).click()
    expect(item(plain_page, 2)).to_be_visible()

    assert themes(themed_work) == [("item-1", [])]
