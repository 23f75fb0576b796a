"""A lead changes the codebook of raters at work: in a draft, looked at, published, and told to the raters."""

from playwright.sync_api import Browser, Page, expect

from projects.models import Membership
from raters.models import Label
from tests import cast
from tests.browser.labeling import all_sent, begin_with_items_ahead, expect_saved, item, press, read_changes
from tests.browser.people import sign_in
from tests.live import Site
from tests.working import Work


def test_edit_preview_publish_and_label_on(page: Page, browser: Browser, site: Site, work: Work):
    lead = cast.member(work.project, Membership.Role.LEAD, username="lead", unique=True)
    home = f"/p/{work.project.slug}/codebook/"
    begin_with_items_ahead(page, work)
    desk = browser.new_context(base_url=site.url)
    desk.set_default_timeout(60_000)
    editor = desk.new_page()
    sign_in(editor, lead)

    editor.goto(home)
    editor.get_by_role("link", name="New question").click()
    editor.get_by_label("Key", exact=True).fill("Product?")
    editor.get_by_label("Answer required").uncheck()
    editor.get_by_role("main").get_by_role("button").first.click()
    for key in ("yes", "no"):
        editor.get_by_label("Key", exact=True).fill(key)
        editor.get_by_role("button", name="Add category").click()
        expect(editor.get_by_text(f"Added “{key}”.")).to_be_visible()

    # The rater knows nothing of it, and goes on.
    press(page, "1", "q", "Enter")
    expect(item(page, 2)).to_be_visible()
    expect(page.locator("#changes")).to_have_count(0)
    expect(page.get_by_role("group", name="Product?")).to_have_count(0)
    all_sent(page)

    editor.get_by_role("link", name="Preview").click()
    expect(editor.get_by_role("group", name="Product?")).to_be_visible()
    editor.get_by_role("link", name="Review and publish").click()
    expect(
        editor.get_by_text("New question: “Product?” (optional). Answers: yes [e], no [r].")
    ).to_be_visible()
    expect(editor.locator("[data-reach]")).to_contain_text("29 open assignments")
    editor.get_by_role("button", name="Publish").click()
    expect(editor.get_by_text("Published as version")).to_be_visible()
    desk.close()

    press(page, "2", "w", "Enter")
    expect(item(page, 3)).to_be_visible()
    expect(page.locator("#changes")).to_contain_text("New question: “Product?”")
    press(page, "3", "e")
    read_changes(page)
    press(page, "3", "w", "e", "Enter")
    expect(item(page, 4)).to_be_visible()
    expect_saved(work, [("item-1", "good"), ("item-2", "fair"), ("item-3", "bad")])
    assert list(Label.objects.filter(question__key="Product?").values_list("item__key", "category__key")) == [
        ("item-3", "yes")
    ]
