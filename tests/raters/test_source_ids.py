"""The ids that labels have in the programs they come from: stored, recognized, undone, and taken along."""

import json

import pytest

from projects.models import Item
from raters.imports.undoing import undo_import
from raters.items.queries import item_page
from raters.models import Label, LabelImport
from tests.files import load, post_file, send


def annotation(pk: int, person: int, choice: str) -> dict:
    result = [{"from_name": "tone", "to_name": "text", "type": "choices", "value": {"choices": [choice]}}]
    return {"id": pk, "completed_by": person, "result": result}


def exported(*tasks: tuple[int, list[dict]]) -> bytes:
    return json.dumps(
        [
            {
                "id": pk,
                "data": {"text": f"Text {pk}", "site": "Bern"},
                "meta": {"year": 2020},
                "annotations": labels_by_source,
            }
            for pk, labels_by_source in tasks
        ]
    ).encode()


FIRST = exported((1, [annotation(11, 1, "good"), annotation(12, 2, "good")]), (2, [annotation(13, 1, "bad")]))
RELABELED = exported(
    (1, [annotation(11, 1, "bad"), annotation(12, 2, "good")]), (2, [annotation(13, 1, "bad")])
)
MOVED = exported((1, [annotation(13, 1, "bad")]))


def labels_by_source() -> dict[str, str]:
    return dict(Label.objects.values_list("source_id", "category__key"))


def test_a_second_export_is_recognized_by_its_ids(client, project, lead):
    load(project, FIRST, by=lead)
    assert labels_by_source() == {"11": "good", "12": "good", "13": "bad"}

    again = load(project, RELABELED, by=lead, replace=True)

    assert (again.n_created, again.n_changed, again.n_unchanged) == (0, 1, 2)
    assert labels_by_source() == {"11": "bad", "12": "good", "13": "bad"}


def test_a_label_is_recognized_in_another_round(project, lead):
    load(project, b"item,rater,label,label id,round\na,ann,yes,1,first\n", by=lead)

    again = load(project, b"item,rater,label,label id,round\na,ann,no,1,second\n", by=lead, replace=True)

    assert (again.n_created, again.n_changed) == (0, 1)
    assert [*Label.objects.values_list("round__key", "pass_number", "category__key")] == [("first", 1, "no")]


def test_a_file_changes_labels_only_if_it_may(client, project, lead):
    load(project, FIRST, by=lead)

    answer = post_file(client, project, RELABELED, name="export.json")

    assert (answer.status_code, answer.json()["error"]) == (409, "conflicts_with_label")


def test_an_annotation_of_another_task_is_refused(client, project, lead):
    load(project, FIRST, by=lead)

    answer = post_file(client, project, MOVED, name="export.json", replace="true")

    assert (answer.status_code, answer.json()["error"]) == (409, "source_id_moved")
    assert "can’t move to another item" in answer.json()["detail"]


def test_an_id_that_several_labels_have_is_not_stored(client, project, lead):
    content = b"item,rater,label,label id\na,ann,yes,1\nb,ann,no,1\nc,ann,no,2\n"

    load(project, content, by=lead)

    assert sorted(Label.objects.values_list("item__key", "source_id")) == [("a", ""), ("b", ""), ("c", "2")]


def test_an_import_that_is_undone_gives_the_label_its_former_id(client, project, lead):
    load(project, b"item,rater,label,label id\na,ann,yes,1\n", by=lead)
    again = load(project, b"item,rater,label,label id\na,ann,no,2\nb,ann,yes,3\n", by=lead, replace=True)
    assert labels_by_source() == {"2": "no", "3": "yes"}

    undo_import(again, by=lead)

    assert labels_by_source() == {"1": "yes"}


def test_attributes_come_with_the_tasks_and_are_on_the_page_of_the_item(client, project, lead):
    load(project, FIRST, by=lead)

    item = Item.objects.first()
    assert item.attributes == {"year": "2020"}
    assert item_page(item).attributes == [("year", "2020")]
    page = client.get(f"/p/{project.slug}/items/{item.pk}/").content.decode()
    assert 'id="attributes"' in page
    assert "<dt>year</dt><dd>2020</dd>" in page


def test_an_import_replaces_no_attribute(client, project, lead):
    Item.objects.create(project=project, key="1", attributes={"year": 1999})

    load(project, FIRST, by=lead)

    assert Item.objects.get(key="1").attributes == {"year": 1999}


@pytest.mark.parametrize("replace", [False, True])
def test_a_file_of_items_has_columns_of_attributes(client, project, replace):
    content = b"item,text,attribute:site\na,hello,Bern\nb,bye,\n"
    send(client, project, content, what="items")
    answer = post_file(client, project, content, kind="items")
    other = post_file(
        client,
        project,
        b"item,attribute:site\na,Basel\n",
        kind="items",
        replace="true" if replace else "false",
    )

    assert answer.status_code == 201
    assert Item.objects.get(key="b").attributes == {}
    assert other.status_code == (201 if replace else 409)
    assert Item.objects.get(key="a").attributes == {"site": "Basel" if replace else "Bern"}
    assert [part["name"] for part in Item.objects.get(key="a").content] == ["text"]


def test_imports_are_found_by_state_and_kind(client, project, lead):
    load(project, FIRST, by=lead)
    post_file(client, project, b"item\nz\n", kind="items")
    url = f"/api/v1/projects/{project.slug}/imports/"

    def n(query):
        return client.get(url + query).json()["count"]

    assert LabelImport.objects.count() == 2
    assert (n("?state=done"), n("?state=draft"), n("?kind=items"), n("?kind=labels&state=done")) == (
        2,
        0,
        1,
        1,
    )
    assert client.get(f"{url}?state=lost").status_code == 400
