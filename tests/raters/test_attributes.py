"""Attributes of raters and items: by a form, by a file with a preview, over the API; each change is an event."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from projects.models import Event, Item
from raters.models import Rater
from tests.reports.looking import text_of


@pytest.fixture
def two_raters(project) -> list[Rater]:
    return [
        Rater.objects.create(project=project, key="anna", attributes={"years": 7}),
        Rater.objects.create(project=project, key="ben"),
    ]


def of_rater(rater) -> str:
    return reverse("rater_attributes", args=[rater.project.slug, rater.pk])


def by_file(project) -> str:
    return reverse("raters_attributes", args=[project.slug])


def attributes_of(project) -> dict:
    return dict(project.raters.values_list("key", "attributes"))


def changes(project) -> list:
    events = Event.objects.filter(project_id=project.pk, kind=Event.Kind.PROJECT_CHANGED).order_by("id")
    return [(event.about, event.detail["changed"]["attributes"]["new"]) for event in events]


def test_a_rater_is_described_by_the_form(client, project, two_raters):
    anna, _ = two_raters
    assert 'value="years"' in client.get(of_rater(anna)).content.decode()

    answer = client.post(
        of_rater(anna), {"name": ["years", "site", ""], "value": ["7", "Bern", ""]}, follow=True
    )

    # A value that nobody changed stays a number.
    assert attributes_of(project)["anna"] == {"years": 7, "site": "Bern"}
    assert "site: Bern" in text_of(answer)
    assert changes(project) == [("anna", {"years": 7, "site": "Bern"})]


def test_an_attribute_without_a_value_is_removed(client, project, two_raters):
    client.post(of_rater(two_raters[0]), {"name": ["years"], "value": [""]})

    assert attributes_of(project)["anna"] == {}


def test_saving_what_is_there_is_no_event(client, project, two_raters):
    client.post(of_rater(two_raters[0]), {"name": ["years"], "value": ["7"]})

    assert changes(project) == []


@pytest.mark.parametrize(
    ("names", "values", "message"),
    [
        (["site", "site"], ["a", "b"], "site appears twice."),
        ([""], ["a"], "A name must have 1 to"),
        (["site"], ["a" * 1001], "at most 1,000 characters"),
    ],
)
def test_what_cannot_be_kept_is_refused(client, project, two_raters, names, values, message):
    answer = client.post(of_rater(two_raters[0]), {"name": names, "value": values})

    assert answer.status_code == 400
    assert message in text_of(answer)
    assert attributes_of(project)["anna"] == {"years": 7}


def test_a_file_is_looked_at_before_it_is_saved(client, project, two_raters):
    file = SimpleUploadedFile("raters.csv", b"rater;language;years\nanna;de;7\nben;fr;\n")

    preview = client.post(by_file(project), {"file": file})

    assert "2 changes" in text_of(preview)
    assert attributes_of(project) == {"anna": {"years": 7}, "ben": {}}
    sent = preview.context["text"]
    client.post(by_file(project), {"text": sent, "is_confirmed": "1"})
    assert attributes_of(project) == {"anna": {"years": 7, "language": "de"}, "ben": {"language": "fr"}}
    assert [about for about, _ in changes(project)] == ["anna", "ben"]


def test_cells_survive_the_preview(client, project, two_raters):
    preview = client.post(by_file(project), {"text": 'rater\tnote\nanna\t"=1+1, ""so"""\n'})

    client.post(by_file(project), {"text": preview.context["text"], "is_confirmed": "1"})

    assert attributes_of(project)["anna"]["note"] == '=1+1, "so"'


def test_a_file_that_changes_nothing_says_so(client, project, two_raters):
    assert "nothing to save" in text_of(client.post(by_file(project), {"text": "rater,years\nanna,7\n"}))


@pytest.mark.parametrize(
    ("text", "line", "column", "rule"),
    [
        ("name,site\nanna,x\n", 1, "rater", 'no column "rater"'),
        ("rater\nanna\n", 1, "", "no column for an attribute"),
        ("rater,site\nana,x\n", 2, "rater", "did you mean “anna”?"),
        ("rater,site\nanna,x\nanna,y\n", 3, "rater", "already on line 2"),
        (f"rater,site\nanna,{'x' * 1001}\n", 2, "site", "at most 1,000 characters"),
        ("rater,site,attribute:site\nanna,x,y\n", 1, "site", "two columns for site"),
    ],
)
def test_errors_name_line_and_column(client, project, two_raters, text, line, column, rule):
    for more in ({}, {"is_confirmed": "1"}):
        answer = client.post(by_file(project), {"text": text, **more})

        assert answer.status_code == 400
        first = answer.context["faults"][0]
        assert (first.line, first.column) == (line, column)
        assert rule in first.rule
    assert attributes_of(project) == {"anna": {"years": 7}, "ben": {}}


def test_nothing_is_no_file(client, project):
    assert client.post(by_file(project), {"text": " "}).status_code == 400


def test_an_item_is_described_on_its_page(client, project):
    item = Item.objects.create(project=project, key="i1", attributes={"year": 2026})
    address = reverse("item_attributes", args=[project.slug, item.pk])
    assert "Edit attributes" in text_of(client.get(reverse("item", args=[project.slug, item.pk])))

    answer = client.post(address, {"name": ["year", "site"], "value": ["2026", "Bern"]}, follow=True)

    item.refresh_from_db()
    assert item.attributes == {"year": 2026, "site": "Bern"}
    assert "site Bern" in text_of(answer)
    assert changes(project) == [("i1", {"year": 2026, "site": "Bern"})]
    assert client.post(address, {"name": ["a", "a"], "value": ["1", "2"]}).status_code == 400


def test_the_page_of_raters_leads_to_both_ways(client, project, two_raters):
    shown = client.get(reverse("raters", args=[project.slug])).content.decode()

    assert by_file(project) in shown
    assert of_rater(two_raters[0]) in shown
    assert "years: <bdi>7</bdi>" in shown
