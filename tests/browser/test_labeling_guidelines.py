"""Guidelines that change while raters label: read before the next item, with their images."""

import io

from playwright.sync_api import Page, expect

from projects.codebook.guidelines import write_guidelines
from projects.media.media_files import store_media
from projects.models import Membership
from raters.models import Label
from tests import cast
from tests.browser.labeling import all_sent, begin_with_items_ahead, expect_saved, item, press, read_changes
from tests.pictures import png
from tests.working import Work


def versions(work: Work) -> list[tuple[str, int]]:
    labels = Label.objects.filter(rater=work.raters[0], question=work.question).order_by("item")
    return list(labels.values_list("item__key", "guidelines_version"))


def test_a_new_version_is_shown_with_its_difference_before_the_next_item(page: Page, work: Work):
    lead = cast.member(work.project, Membership.Role.LEAD, username="lead", unique=True)
    write_guidelines(work.project, "Irony is good.\n\nThe rest as it is.", by=lead)
    begin_with_items_ahead(page, work)
    store_media(work.project, "figures/irony.png", io.BytesIO(png(40, 30)), by=lead)
    write_guidelines(
        work.project, "Irony is bad.\n\n![Irony](figures/irony.png)\n\nThe rest as it is.", by=lead
    )

    press(page, "1", "q", "Enter")

    expect(item(page, 2)).to_be_visible()
    notice = page.get_by_role("region", name="The guidelines have changed")
    expect(notice.get_by_role("heading", name="The guidelines have changed")).to_be_focused()
    # By word, by line, by sign, and in words for those who listen.
    expect(notice.get_by_role("deletion")).to_have_text("good")
    expect(notice.get_by_role("insertion")).to_have_text("bad")
    expect(notice.get_by_role("row", name="Removed Irony is good.")).to_be_visible()
    expect(notice.get_by_role("row", name="Added Irony is bad.")).to_be_visible()
    press(page, "2", "w", "Enter")
    read_changes(page)
    expect(page.get_by_role("img", name="Irony")).to_have_js_property("naturalWidth", 40)
    # Items that were ahead have the new text too, and their labels its version.
    for number in (2, 3):
        expect(item(page, number)).to_be_visible()
        expect(page.locator("#changes")).to_have_count(0)
        expect(page.locator("#guidelines")).to_contain_text("Irony is bad.")
        press(page, "3", "w", "Enter")
    expect(item(page, 4)).to_be_visible()
    all_sent(page)
    expect_saved(work, [("item-1", "good"), ("item-2", "bad"), ("item-3", "bad")])
    assert versions(work) == [("item-1", 1), ("item-2", 2), ("item-3", 2)]
