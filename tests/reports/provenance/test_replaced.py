"""A report says that items it reads were replaced since."""

from django.urls import reverse

from projects.models import Item
from reports.results.report_changes import changes_between, changes_since
from tests.files import load_items
from tests.finished import finished_report


def replace(project, text: str, *, key: str = "") -> None:
    first = key or Item.objects.filter(project=project).order_by("pk").first().key
    load_items(project, f"item,text\n{first},{text}\n".encode(), replace=True)


def test_a_report_says_so(client, lead, own_cats):
    replace(own_cats, "first")
    before = finished_report(own_cats, lead)
    unlabeled = own_cats.items.create(
        key="unlabeled", content=[{"name": "text", "kind": "text", "value": "x"}]
    )
    replace(own_cats, "y", key=unlabeled.key)
    assert changes_since(before).items == []

    replace(own_cats, "second")

    sentence = "1 item replaced; earlier labels refer to the previous content."
    assert changes_since(before).items == [sentence]
    shown = client.get(
        reverse("report_question", args=[own_cats.slug, before.pk, before.questions.get().question_id])
    )
    assert 'data-replaced="1"' in shown.content.decode()
    api = client.get(reverse("api_report_changes", args=[own_cats.slug, before.pk])).json()
    assert (api["items"], api["labels"], api["has_changed"]) == ([sentence], [], True)


def test_a_later_report_says_so_of_the_one_before(lead, own_cats):
    replace(own_cats, "first")
    before = finished_report(own_cats, lead)
    replace(own_cats, "second")
    after = finished_report(own_cats, lead, weights="linear")

    assert len(changes_between(before, after).items) == 1
    assert changes_since(after).items == []
