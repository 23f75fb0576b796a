"""The history of an item: every change in words, from any way in, for those who may see it."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from projects.models import Event, Item, Membership, Question, Round
from raters.adjudication.deciding import NewDecision, decide
from raters.items.label_history import changes, revisions_of, source_in_words
from raters.labeling.answers import Answer
from raters.labeling.saving import set_history_context
from raters.merging.actions import merge_category
from raters.models import Assignment, Label, LabelImport, Rater
from tests import cast
from tests.labeling import new_question
from tests.working import answer, new_work


@pytest.fixture
def ann(project) -> Rater:
    return Rater.objects.create(project=project, key="ann")


def shown(item: Item) -> list[tuple[str, str, str]]:
    return [(change.old, change.new, change.way_in) for change in changes(list(revisions_of(item)))]


def text_of(response) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", response.content.decode()).split())


def page_of(item: Item, user) -> str:
    client = Client()
    client.force_login(user)
    return text_of(client.get(reverse("item", args=[item.project.slug, item.pk])))


def test_a_label_is_followed_from_its_making_to_its_withdrawal(lead):
    work = new_work(n_items=1, n_raters=1)
    answer(work, "good")
    answer(work, {"tone": Answer(is_abstention=True, reason="too dark")}, seen={"tone": 1})
    Label.objects.get().delete()

    found = changes(list(revisions_of(work.items[0])))

    assert [(c.old, c.new, c.old_reason, c.reason, c.change) for c in found] == [
        ("cannot tell", "", "too dark", "", "Withdrawn"),
        ("good", "cannot tell", "", "too dark", "Changed"),
        ("", "good", "", "", "Created"),
    ]
    assert found[1].by == found[2].by == str(work.user())
    assert found[1].way_in == "labeling page"


def test_sets_and_numbers_are_in_words(project, item, ann):
    many = new_question(project, key="many", kind="multiple", categories=("a", "b"))
    size = Question.objects.create(project=project, key="size", kind="number")
    first, second = sorted(many.categories.values_list("pk", flat=True))
    label = Label.objects.create(item=item, question=many, rater=ann, category_set=[])
    Label.objects.filter(pk=label.pk).update(category_set=[first, second], note="Both.")
    Label.objects.create(item=item, question=size, rater=ann, number=0.25)

    found = changes(list(revisions_of(item)))

    assert [(c.question, c.old, c.new, c.note) for c in found] == [
        ("size", "", "0.25", ""),
        ("many", "none of these", "a, b", "Both."),
        ("many", "", "none of these", ""),
    ]


def test_a_merged_category_keeps_its_name_and_tells_where_it_went(project, item, ann, lead):
    question = new_question(project, categories=("yes", "no", "perhaps"))
    yes, _, perhaps = question.categories.all()
    Label.objects.create(item=item, question=question, rater=ann, category=perhaps)

    merge_category(perhaps, yes, by=lead)

    assert shown(item)[0] == ("perhaps (now yes)", "yes", "category merged")
    assert changes(list(revisions_of(item)))[0].by == "lena"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("page", "labeling page"),
        ("api", "API"),
        ("page, undo", "labeling page, undo"),
        ("api, undo", "API, undo"),
        ("import 3", "import of labels.csv"),
        ("import 4", "import of file 4"),
        ("undo of import 3", "undo of import of labels.csv"),
        ("merge by api", "category merged, API"),
        ("decision by page", "adjudication"),
        ("decision by page, for the guidelines", "adjudication, for the guidelines"),
        ("decision by api, withdrawn", "adjudication, API, withdrawn"),
        ("sql by interrater", "database, by user interrater"),
        ("something new", "something new"),
    ],
)
def test_the_source_of_a_change_is_described_in_words(source, words):
    assert source_in_words(source, {3: "labels.csv"}) == words


@pytest.mark.parametrize(
    ("source", "words"),
    [("import 3", "import"), ("undo of import 3", "undo of import"), ("page", "labeling page")],
)
def test_no_file_is_named_while_names_are_hidden(source, words):
    assert source_in_words(source, None) == words


def test_an_import_is_named_by_its_file(project, item, ann, lead):
    question = new_question(project)
    run = LabelImport.objects.create(
        project=project, asked_by=lead, file_name="pilot.csv", sha256="0" * 64, n_bytes=1
    )
    set_history_context(lead, run.origin)
    Label.objects.create(item=item, question=question, rater=ann, category=question.categories.first())

    assert shown(item) == [("", "yes", "import of pilot.csv")]
    # A file is often named after its rater.
    [hidden] = changes(list(revisions_of(item)), {ann.pk: "Rater A"})
    assert (hidden.rater, hidden.way_in) == ("Rater A", "import")


def test_the_page_shows_the_history_and_the_decision_apart(project, item, ann, lead, adjudicator):
    question = new_question(project)
    Label.objects.create(item=item, question=question, rater=ann, category=question.categories.first())
    decide(
        item,
        question,
        NewDecision(Answer(category="no"), "Rater slip", "Look again."),
        seen=0,
        by=adjudicator,
    )

    text = page_of(item, lead)

    assert "1 label by 1 rater" in text
    assert "Decision no Rater slip Note: Look again." in text
    assert "consensus answer no label no Rater slip Note: Look again. ada adjudication" in text


def test_labels_are_distinguished_by_their_rounds(project, item, ann, lead):
    question = new_question(project)
    yes, no = question.categories.all()
    pilot, main = (
        Round.objects.create(project=project, key=key, position=n) for n, key in enumerate(["pilot", "main"])
    )
    for number, (round_, category) in enumerate([(pilot, yes), (pilot, no), (main, no)], start=1):
        Label.objects.create(
            item=item, question=question, rater=ann, round=round_, pass_number=number, category=category
        )
    gold = Rater.objects.create(project=project, key="gold", kind=Rater.Kind.REFERENCE)
    Label.objects.create(item=item, question=question, rater=gold, category=yes)

    text = page_of(item, lead)

    assert "3 labels by 1 rater · 1 reference answer" in text
    assert "ann yes pilot no pilot, repeat no main" in text
    assert "Total no 2 yes 1" in text
    assert "ann main answer no label no" in text
    assert "pass " not in text


def test_a_rater_finds_neither_the_page_nor_the_history(project, item, rita):
    client = Client()
    client.force_login(rita)

    assert client.get(f"/p/{project.slug}/items/{item.pk}/").status_code == 404
    assert client.get(f"/api/v1/projects/{project.slug}/items/{item.pk}/history/").status_code == 404


def test_the_api_says_the_same(project, item, ann, auditor):
    question = new_question(project)
    for category in question.categories.all():
        Label.objects.update_or_create(
            item=item, question=question, rater=ann, defaults={"category": category}
        )
    client = Client()
    client.force_login(auditor)

    answered = client.get(f"/api/v1/projects/{project.slug}/items/{item.pk}/history/?page_size=1").json()

    assert answered["count"] == 2
    assert [(row["old"], row["new"], row["revision"]) for row in answered["results"]] == [("yes", "no", 2)]


def test_who_labels_an_item_does_not_see_what_others_say_until_the_round_is_closed(project, item, lead, ann):
    question = new_question(project)
    Label.objects.create(item=item, question=question, rater=ann, category=question.categories.first())
    mine = Rater.objects.create(project=project, key="lena", user=lead)
    round_ = Round.objects.create(project=project, key="round 1", state=Round.State.OPEN)
    Assignment.objects.create(item=item, round=round_, rater=mine)
    client = Client()
    client.force_login(lead)
    address = f"/p/{project.slug}/items/{item.pk}/"

    refused = client.get(address)
    api = client.get(f"/api/v1{address.replace('/p/', '/projects/')}history/")
    Round.objects.update(state=Round.State.CLOSED)

    assert refused.status_code == api.status_code == 403
    assert "round 1" in text_of(refused)
    assert client.get(address).status_code == 200
    looks = Event.objects.filter(kind=Event.Kind.LABELS_SEEN, project_id=project.pk)
    assert [(look.user_name, look.about) for look in looks] == [("lena", "i-1")]


def test_a_look_by_someone_who_does_not_rate_is_not_logged(project, item):
    lea = cast.member(project, Membership.Role.LEAD, username="lea")

    page_of(item, lea)

    assert not Event.objects.filter(kind=Event.Kind.LABELS_SEEN).exists()


def test_a_rater_who_went_with_their_import_is_called_a_former_rater(project, item, lead):
    question = new_question(project)
    gone = Rater.objects.create(project=project, key="gone")
    Label.objects.create(item=item, question=question, rater=gone, category=question.categories.first())
    Label.objects.all().delete()
    gone.delete()

    assert {change.rater for change in changes(list(revisions_of(item)))} == {"former rater"}
