"""What a rater, and a lead, see of an item whose content an import replaced after it was labeled."""

import pytest
from django.test import Client
from django.urls import reverse

from core.tables.sources import bytes_of
from projects.items.item_columns import ItemOptions
from projects.models import Membership, Project
from raters.imports import actions
from raters.models import LabelImport
from tests import cast
from tests.files import load_items
from tests.working import Work, answer


def replace(project: Project, content: bytes = b"item,text\nitem-1,Replaced\n") -> None:
    load_items(project, content, replace=True)


def client_of(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def page(work: Work, place: int = 0, rater: int = 0):
    assignment = work.assignment(place, rater)
    return client_of(work.user(rater)).get(reverse("label_item", args=[work.project.slug, assignment.pk]))


def test_its_rater_sees_what_they_labeled(work):
    answer(work, "good")

    replace(work.project)

    response = page(work)
    assert [block.fields[0].text for block in response.context["earlier"].blocks] == ["Text 1"]
    assert [block.fields[0].text for block in response.context["shown"].layout.blocks] == ["Replaced"]
    assert 'id="replaced"' in response.content.decode()


@pytest.mark.parametrize(("place", "rater"), [(1, 0), (0, 1)])
def test_others_are_not_notified(work, place, rater):
    answer(work, "good")

    replace(work.project)

    assert page(work, place, rater).context["earlier"] is None


def test_who_labels_after_the_import_is_not_notified(work):
    replace(work.project)

    answer(work, "good")

    assert page(work).context["earlier"] is None


def test_the_api_says_when_it_was_replaced(work):
    answer(work, "good")
    address = reverse("api_assignment", args=[work.project.slug, work.assignment().pk])
    client = client_of(work.user())
    before = client.get(address).json()["replaced_at"]

    replace(work.project)

    assert (before, client.get(address).json()["replaced_at"] is None) == (None, False)


def test_the_rater_who_is_done_finds_it(work):
    for place in range(3):
        answer(work, "good", place=place)

    replace(work.project)

    response = client_of(work.user()).get(reverse("label", args=[work.project.slug]))
    assert [assignment.item.key for assignment in response.context["replaced"]] == ["item-1"]


def test_the_page_of_the_item_keeps_each_earlier_content(work):
    lead = cast.member(work.project, Membership.Role.LEAD, username="lena")
    replace(work.project)
    replace(work.project, b"item,text\nitem-1,Again\n")

    page = client_of(lead).get(reverse("item", args=[work.project.slug, work.items[0].pk])).context["page"]

    assert [[field.text for field in earlier.fields] for earlier in page.earlier] == [
        ["Replaced"],
        ["Text 1"],
    ]


def test_the_preview_counts_labeled_items_that_would_change(work):
    lead = cast.member(work.project, Membership.Role.LEAD, username="lena")
    answer(work, "good")
    file = bytes_of(b"item,text\nitem-1,x\nitem-2,y\n")
    kind = LabelImport.Kind.ITEMS

    draft = actions.upload(work.project, "i.csv", file(), ItemOptions(replace=True), by=lead, kind=kind)

    response = client_of(lead).get(draft.get_absolute_url())
    assert (draft.n_changed, draft.preview["n_labeled"]) == (2, 1)
    assert 'id="labeled"' in response.content.decode()
    assert not work.items[0].versions.exists()
