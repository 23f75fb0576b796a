"""How the fields of an item are laid out, and what of them raters get."""

import re
from io import BytesIO

import pytest

from projects.items.content import RenderedField
from projects.items.layout import laid_out
from projects.media.media_files import store_media
from projects.media.names import address_of
from projects.models import Item, MediaFile, Membership, Project
from tests import cast
from tests.pictures import png

LONG, LONGER = "A sentence of some length. " * 4, "A sentence of some length. " * 6
pytestmark = pytest.mark.signed_in("first_rater")


def project(**settings) -> Project:
    return Project(name="Reviews", **settings)


def laid(fields, **settings):
    """The strip, the blocks below it, and the main field, by names."""
    layout = laid_out(fields, project(**settings))
    blocks = [[field.name for field in block.fields] for block in layout.blocks]
    return [field.name for field in layout.strip], blocks, layout.main


def texts(**values):
    return [RenderedField(name, value) for name, value in values.items()]


def test_short_fields_make_a_strip_and_the_longest_text_is_the_main_one():
    fields = texts(year="2019", report=LONG, site="Basel", history=LONGER)

    assert laid(fields) == (["year", "site"], [["report"], ["history"]], "history")


def test_a_picture_is_the_main_field_however_long_the_text_is():
    picture = RenderedField("scan", "1.png", kind="image", media=MediaFile(name="1.png"))

    assert laid([*texts(report=LONGER), picture]) == ([], [["report"], ["scan"]], "scan")


def test_one_short_field_has_the_full_width():
    assert laid(texts(word="yes")) == ([], [["word"]], "word")


def test_a_text_of_several_lines_is_not_short():
    assert laid(texts(verse="one\ntwo", report=LONG)) == ([], [["verse"], ["report"]], "report")


def test_links_to_other_pages_are_in_the_strip():
    link = RenderedField("source", "https://example.org", link="https://example.org", link_words="Open")

    assert laid([link, *texts(report=LONG)]) == (["source"], [["report"]], "report")


def test_the_lead_names_the_main_field():
    fields = texts(word="yes", report=LONG)

    assert laid(fields, main_field="word") == ([], [["word"], ["report"]], "word")
    assert laid(fields, main_field="gone") == (["word"], [["report"]], "report")


def test_only_named_fields_stand_side_by_side_in_the_place_of_the_first():
    fields = texts(question=LONG, a="short", reason=LONG, b=LONGER)

    assert laid(fields, fields_side_by_side=["b", "a"]) == ([], [["question"], ["a", "b"], ["reason"]], "b")
    assert laid(fields, fields_side_by_side=["a", "gone"]) == (
        [],
        [["question"], ["a"], ["reason"], ["b"]],
        "b",
    )


def test_hidden_fields_are_left_out_even_if_they_are_named_elsewhere():
    fields = texts(author="Ann", report=LONG, word="yes")

    hidden = laid(
        fields, fields_hidden=["report"], main_field="report", fields_side_by_side=["report", "word"]
    )

    assert hidden == ([], [["author"], ["word"]], "author")


def test_nothing_is_laid_out_of_nothing():
    assert laid([]) == ([], [], "")


@pytest.fixture
def hiding(work):
    """An item with an author that raters must not know."""
    content = [
        {"name": "Author", "kind": "text", "value": "Ann Onymous"},
        {"name": "Year", "kind": "text", "value": "2019"},
        {"name": "Report", "kind": "text", "value": LONG},
    ]
    Item.objects.filter(pk=work.items[0].pk).update(content=content)
    Project.objects.filter(pk=work.project.pk).update(fields_hidden=["Author"])
    return work


@pytest.fixture
def as_lead(work):
    """The lead of the same project."""
    return cast.signed_in(cast.member(work.project, Membership.Role.LEAD, username="lena", unique=True))


def test_the_page_has_a_strip_and_nothing_that_is_hidden(client, hiding):
    page = client.get(f"/p/{hiding.project.slug}/label/{hiding.assignment().pk}/").content.decode()

    assert "Ann Onymous" not in page
    [strip] = re.findall(r"<dl[^>]* data-strip>.*?</dl>", page, re.DOTALL)
    assert ">Year<" in strip
    assert "2019" in strip
    assert 'class="main-field" data-field="Report"' in page


def test_programs_of_raters_get_nothing_that_is_hidden(client, hiding):
    address = f"/api/v1/projects/{hiding.project.slug}/assignments/{hiding.assignment().pk}/"

    assert [part["name"] for part in client.get(address).json()["content"]] == ["Year", "Report"]


SETTINGS = {
    "name": "Reviews",
    "state": "open",
    "coefficient": "fitting",
    "reading_scale": "landis_koch",
    "thresholds_for": "kappa",
    "one_key_saving": "raters",
}


def test_the_settings_offer_the_fields_that_items_have(as_lead, hiding):
    page = as_lead.get(f"/p/{hiding.project.slug}/settings/").content.decode()

    for name in ("Author", "Year", "Report", "text"):
        is_hidden = "checked" if name == "Author" else ""
        assert f'name="fields_hidden" value="{name}" {is_hidden}>{name}' in page
        assert f'name="fields_side_by_side" value="{name}" >{name}' in page
        assert f'<option value="{name}">' in page


def test_fields_are_chosen_and_others_are_named(as_lead, hiding):
    address = f"/p/{hiding.project.slug}/settings/"
    chosen = {"fields_hidden": ["Author", "Year", "Verdict\r\nAuthor"], "main_field": "Report"}

    response = as_lead.post(address, SETTINGS | chosen, follow=True)
    page = response.content.decode()

    assert Project.objects.get(pk=hiding.project.pk).fields_hidden == ["Author", "Year", "Verdict"]
    assert "No item has the field “Verdict”. Raters still see everything that “Verdict” should hide." in page
    assert "Items have these: Author, text, Year, Report." in page
    again = as_lead.get(address).content.decode()
    assert "No item has the field “Verdict”." in again
    assert re.search(r'<textarea id="id_fields_hidden"[^>]*>Verdict</textarea>', again)


def test_a_main_field_that_no_item_has_is_reported(as_lead, hiding):
    response = as_lead.post(
        f"/p/{hiding.project.slug}/settings/", SETTINGS | {"main_field": "report"}, follow=True
    )
    right = as_lead.post(
        f"/p/{hiding.project.slug}/settings/", SETTINGS | {"main_field": "Report"}, follow=True
    )

    assert "No item has the field “report”. Items have these: Author" in response.content.decode()
    assert "No item has the field" not in right.content.decode()


def test_before_there_are_items_fields_are_named(as_lead, work):
    Item.objects.update(content=[])
    sent = SETTINGS | {"fields_hidden": "Author"}

    page = as_lead.post(f"/p/{work.project.slug}/settings/", sent, follow=True).content.decode()

    assert Project.objects.get(pk=work.project.pk).fields_hidden == ["Author"]
    assert "No item has" not in page


@pytest.mark.parametrize("names", ["a\r\na", "x" * 201])
def test_wrong_names_are_refused(as_lead, hiding, names):
    sent = {"name": "Reviews", "state": "open", "fields_hidden": names}

    response = as_lead.post(f"/p/{hiding.project.slug}/settings/", sent)

    assert response.status_code == 400
    assert Project.objects.get(pk=hiding.project.pk).fields_hidden == ["Author"]


@pytest.mark.parametrize(
    "sent",
    [
        {"main_field": "Report", "fields_hidden": ["Author", "Report"]},
        {"main_field": "Later", "fields_hidden": "Later"},
        {"fields_hidden": ["Author", "Year", "Report", "text"]},
    ],
)
def test_raters_are_left_something_to_read(as_lead, hiding, sent):
    address = f"/p/{hiding.project.slug}/settings/"

    page = as_lead.post(address, SETTINGS | sent)
    listed = {name: [value] if isinstance(value, str) else value for name, value in sent.items()}
    body = listed | ({"main_field": sent["main_field"]} if "main_field" in sent else {})
    answer = as_lead.patch(f"/api/v1/projects/{hiding.project.slug}/", body, content_type="application/json")

    assert page.status_code == 400
    assert page.context["form"].errors["fields_hidden"]
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == "fields_hidden"
    now = Project.objects.get(pk=hiding.project.pk)
    assert (now.main_field, now.fields_hidden) == ("", ["Author"])


def test_other_settings_are_saved_where_everything_was_hidden_before(as_lead, hiding):
    before = {"main_field": "Report", "fields_hidden": ["Report"]}
    Project.objects.filter(pk=hiding.project.pk).update(**before)

    as_lead.post(f"/p/{hiding.project.slug}/settings/", SETTINGS | before | {"name": "Renamed"})

    assert Project.objects.get(pk=hiding.project.pk).name == "Renamed"


def test_raters_do_not_get_the_file_of_a_hidden_field(client, work):
    store_media(work.project, "scan.png", BytesIO(png()), by=work.user())
    media = work.project.media.get()
    content = [{"name": "Scan", "kind": "image", "value": "scan.png"}]
    Item.objects.filter(pk=work.items[0].pk).update(content=content)
    seen = client.get(address_of(media)).status_code

    Project.objects.filter(pk=work.project.pk).update(fields_hidden=["Scan"])

    assert (seen, client.get(address_of(media)).status_code) == (200, 404)
