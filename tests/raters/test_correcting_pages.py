"""The page and the API of a corrected answer type, and what is shown of categories treated as missing."""

import pytest
from django.urls import reverse

from projects.codebook.categories import change_category
from projects.models import Membership
from tests import cast
from tests.labeling import add_labels, new_question
from tests.reports.looking import led_by


@pytest.fixture
def answered(lead):
    project = led_by(lead, cast.new_project("Pages", unique=True))
    answered = new_question(project, key="size", categories="123")
    add_labels(answered, [("1", "A", "1"), ("1", "B", "2"), ("2", "A", "3"), ("2", "B", "3")])
    return answered


def address(answered) -> str:
    return reverse("codebook_question_kind", args=[answered.project.slug, answered.pk])


def test_the_preview_says_what_will_happen_and_changes_nothing(client, answered):
    page = client.get(address(answered), {"kind": "number", "level": "interval"}).content.decode()

    assert "4 labels will be converted to number." in page
    answered.refresh_from_db()
    assert answered.kind == "single"


def test_the_button_converts(client, answered):
    done = client.post(address(answered), {"kind": "number", "level": "interval"}, follow=True)

    assert "4 labels converted" in done.content.decode()
    answered.refresh_from_db()
    assert (answered.kind, answered.level) == ("number", "interval")


def test_what_prevents_it_is_on_the_page_without_a_button(client, answered):
    answered.categories.filter(key="1").update(key="one")

    page = client.get(address(answered), {"kind": "number", "level": "nominal"}).content.decode()

    assert "“one” is not a number." in page
    assert "Convert labels" not in page
    refused = client.post(address(answered), {"kind": "number", "level": "nominal"})
    assert refused.status_code == 400


def test_the_api_says_first_and_then_does(client, answered):
    where = reverse("api_question_kind", args=[answered.project.slug, answered.pk])
    asked = {"kind": "multiple", "dry_run": True}

    first = client.post(where, asked, "application/json").json()
    answered.refresh_from_db()
    assert (first["n_labels"], first["problems"], answered.kind) == (4, [], "single")

    done = client.post(where, {"kind": "multiple"}, "application/json")
    answered.refresh_from_db()
    assert (done.status_code, answered.kind) == (200, "multiple")
    again = client.post(where, {"kind": "multiple"}, "application/json")
    assert (again.status_code, again.json()["error"]) == (409, "not_correctable")


def test_a_treated_category_is_marked_and_its_labels_are_counted_for_the_lead_alone(client, answered, lead):
    change_category(answered.categories.get(key="3"), by=lead, treated_as_missing=True)
    slug = answered.project.slug
    rater = cast.person("rita", unique=True)
    Membership.objects.create(project=answered.project, user=rater, role="rater")

    own = client.get(reverse("codebook_question", args=[slug, answered.pk])).content.decode()
    theirs = cast.signed_in(rater).get(reverse("codebook", args=[slug])).content.decode()

    assert "2 labels left out of new reports." in own
    assert "treated as missing" in theirs
    assert "left out of new reports" not in theirs


def test_the_box_of_the_category_is_ticked_and_cleared(client, answered):
    category = answered.categories.get(key="3")
    where = reverse("codebook_category", args=[answered.project.slug, category.pk])

    client.post(where, {"treated_as_missing": "on"})
    category.refresh_from_db()
    assert category.treated_as_missing

    client.post(where, {})
    category.refresh_from_db()
    assert not category.treated_as_missing


def test_missing_values_are_typed_on_the_page_of_a_number_question(client, answered):
    client.post(address(answered), {"kind": "number", "level": "interval"})
    where = reverse("codebook_question", args=[answered.project.slug, answered.pk])
    fields = {"prompt": "", "kind": "number", "level": "interval"}

    client.post(where, fields | {"missing_values": "99; -9"})
    answered.refresh_from_db()
    assert answered.missing_values == [-9.0, 99.0]

    refused = client.post(where, fields | {"missing_values": "none"})
    assert refused.status_code == 400
    assert "Enter numbers separated by spaces" in refused.content.decode()
