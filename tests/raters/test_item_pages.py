"""Items, and one item with everything that was said of it."""

import re

import pytest
from django.urls import reverse

from projects.models import Event, Item, Project, Question
from raters.models import Label, Rater
from tests.labeling import add_labels, new_question

pytestmark = pytest.mark.signed_in("auditor")


def text_of(response) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", response.content.decode()).split())


def page_of(client, item: Item):
    return client.get(reverse("item", args=[item.project.slug, item.pk]))


def test_an_item_has_all_labels_of_every_kind(client, project, item):
    single, multiple = new_question(project, key="single"), new_question(project, key="many", kind="multiple")
    number = Question.objects.create(project=project, key="number", kind="number")
    ann, bob = (
        Rater.objects.create(project=project, key="ann"),
        Rater.objects.create(project=project, key="bob"),
    )
    yes, both = single.categories.first(), sorted(c.pk for c in multiple.categories.all())
    Label.objects.create(item=item, rater=ann, question=single, category=yes, note="I saw it twice.")
    Label.objects.create(item=item, rater=ann, question=multiple, category_set=both)
    Label.objects.create(item=item, rater=ann, question=number, number=0.25)
    Label.objects.create(item=item, rater=bob, question=single, is_abstention=True, reason="too dark")

    shown = text_of(page_of(client, item))

    assert "ann yes Note: I saw it twice. yes, no 0.25" in shown
    assert "bob cannot tell too dark – –" in shown
    assert "Total yes 1 cannot tell 1 yes, no 1 0.25 1" in shown


def test_text_is_kept_as_it_is(client, item):
    assert "A\n  B" in page_of(client, item).content.decode()


@pytest.mark.parametrize(
    ("kind", "value", "there", "not_there"),
    [
        ("text", "<script>alert(1)</script>", "&lt;script&gt;", "<script>alert"),
        ("markdown", "*new* <b>x</b>", "<em>new</em>", "<b>x</b>"),
        ("image", "https://elsewhere.example/x.png", 'href="https://elsewhere.example/x.png"', "<img"),
        ("audio", "https://elsewhere.example/x.mp3", "Open the audio", "<audio"),
        ("link", "javascript:alert(1)", "javascript:alert(1)", 'href="javascript'),
        ("unheard-of", "https://elsewhere.example/", "Open", "<embed"),
    ],
)
def test_content_fetches_nothing_and_runs_nothing(client, item, kind, value, there, not_there):
    Item.objects.update(content=[{"name": "Field", "kind": kind, "value": value}])

    html = page_of(client, item).content.decode()

    assert there in html
    assert not_there not in html


def test_an_item_leads_to_its_neighbors(client, project):
    first, middle, last = (Item.objects.create(project=project, key=key) for key in "abc")
    Item.objects.create(project=Project.objects.create(name="Other", slug="other"), key="d")

    ends = page_of(client, first).context, page_of(client, last).context
    context = page_of(client, middle).context

    assert context["before"] == reverse("item", args=[project.slug, first.pk])
    assert context["after"] == reverse("item", args=[project.slug, last.pk])
    assert (ends[0]["before"], ends[1]["after"]) == (None, None)


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        ("50%", ["percent"]),
        ("a_b", ["under"]),
        ("(a+)+$", ["regex"]),
        ('say "no"', ["quoted"]),
        ("back\\slash", ["slash"]),
        ("ÜBER", ["umlaut"]),
        ("PERCENT", ["percent"]),
        ("nothing like it", []),
    ],
)
def test_search_is_literal(client, project, words, keys):
    texts = {
        "percent": "is 50% of it",
        "under": "has a_b in it",
        "regex": "has (a+)+$ in it",
        "quoted": 'they say "no" today',
        "slash": "a back\\slash",
        "umlaut": "über alles; axb; 500",
    }
    for key, text in texts.items():
        Item.objects.create(project=project, key=key, content=[{"name": "t", "kind": "text", "value": text}])

    page = client.get(reverse("items", args=[project.slug]), {"q": words})

    assert [item.key for item, _, _ in page.context["rows"]] == keys


@pytest.mark.parametrize("words", ["x" * 201, "a\x00b"])
def test_an_invalid_search_is_refused(client, project, words):
    assert client.get(reverse("items", args=[project.slug]), {"q": words}).status_code == 400


def test_items_are_shown_in_pages_with_their_labels(client, project):
    add_labels(new_question(project), [(f"i{n:03}", "r", "yes") for n in range(120)])

    page = client.get(reverse("items", args=[project.slug]), {"page": 3})

    assert [item.key for item, _, _ in page.context["rows"]] == [f"i{n:03}" for n in range(100, 120)]
    assert "101–120 of 120 items" in text_of(page)


def test_an_item_of_another_project_is_not_found(client, project):
    other = Project.objects.create(name="Other", slug="other")
    item = Item.objects.create(project=other, key="x")

    assert client.get(reverse("item", args=[project.slug, item.pk])).status_code == 404


def test_what_a_table_leaves_empty_is_not_shown(client, project):
    content = [
        {"name": "headline", "kind": "text", "value": ""},
        {"name": "photo", "kind": "image", "value": " "},
        {"name": "body", "kind": "markdown", "value": "It *rained*."},
    ]
    item = Item.objects.create(project=project, key="news", content=content)

    listed = client.get(reverse("items", args=[project.slug])).content.decode()
    page = client.get(reverse("item", args=[project.slug, item.pk])).content.decode()

    assert "It *rained*." in listed
    assert "<h2>body</h2>" in page
    assert "headline" not in page
    assert "photo" not in page


def test_a_lead_withdraws_an_item_and_puts_it_back(client, project, lead, item):
    client.force_login(lead)
    assert "Withdraw from labeling" in text_of(page_of(client, item))

    withdrawn = client.post(reverse("item_withdraw", args=[project.slug, item.pk]), follow=True)
    listed = client.get(reverse("items", args=[project.slug]))
    back = client.post(reverse("item_restore", args=[project.slug, item.pk]), follow=True)

    assert "Withdrawn" in text_of(withdrawn)
    assert "Restore to labeling" in text_of(withdrawn)
    assert "withdrawn" in text_of(listed)
    assert "Withdraw from labeling" in text_of(back)
    kinds = (
        Event.objects.filter(project_id=project.pk, about="i-1").order_by("pk").values_list("kind", flat=True)
    )
    assert list(kinds) == ["item_withdrawn", "item_put_back"]


def test_who_only_reads_is_not_asked_whether_to_withdraw(client, item):
    assert "Withdraw" not in text_of(page_of(client, item))
