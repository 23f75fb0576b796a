"""One item with all its questions on a page: saved at once, all or nothing, and undone at once."""

import re

import pytest

from projects.models import Round
from raters.adjudication.deciding import NewDecision, current_decision, decide
from raters.adjudication.item_disputes import item_disputes
from raters.labeling.answers import Answer
from raters.models import Assignment, Label, Rater
from tests.labeling import new_question

pytestmark = pytest.mark.signed_in("adjudicator")


@pytest.fixture
def of_two(project, say, disputed):
    """A second question of item-3, to which ann and bob gave different answers and cem none."""
    length = new_question(project, key="length", categories=("short", "long"))
    say("item-3", "ann", "short", question=length)
    say("item-3", "bob", "long", question=length)
    return length


def address(item, more=""):
    return f"/p/{item.project.slug}/adjudicate/items/{item.pk}/{more}"


def choice(question, key):
    return f"category-{question.categories.get(key=key).pk}"


def form(item, **decisions):
    found = item_disputes(item)
    sent = {"labels": found.digest}
    for each in found.questions:
        sent[f"revision-{each.question.pk}"] = str(each.case.revision)
        if key := decisions.get(each.question.key):
            sent[f"decision-{each.question.pk}"] = choice(each.question, key)
    return sent


def keys_decided(item, *questions):
    labels = [current_decision(item, question).label for question in questions]
    return [label and label.category.key for label in labels]


def test_all_questions_are_on_one_page_and_saved_at_once(client, disputed, disputed_tone, of_two):
    item = disputed[2]
    page = client.get(address(item)).content.decode()
    saved = client.post(address(item), form(item, tone="fair", length="long"))

    assert page.count("<fieldset data-question") == 2
    assert saved["Location"] == address(disputed[1])
    assert keys_decided(item, disputed_tone, of_two) == ["fair", "long"]


def test_what_is_left_open_stays_open_and_nothing_at_all_is_refused(client, disputed, disputed_tone, of_two):
    item = disputed[2]
    nothing = client.post(address(item), form(item))
    client.post(address(item), form(item, tone="fair"))

    assert nothing.status_code == 400
    assert keys_decided(item, disputed_tone, of_two) == ["fair", None]


def test_all_answers_of_one_rater_are_accepted_by_one_button(client, disputed, disputed_tone, of_two):
    item = disputed[2]
    whole = item_disputes(item)
    bob = whole.names[Rater.objects.get(key="bob").pk]
    client.post(address(item), {**form(item), "accept": bob})

    assert whole.raters == ["Rater A", "Rater B", "Rater C"]
    assert keys_decided(item, disputed_tone, of_two) == ["fair", "long"]


def test_a_refused_question_saves_none_and_keeps_what_was_chosen(client, disputed, disputed_tone, of_two):
    item = disputed[2]
    sent = form(item, tone="fair")
    # Nobody said so, and no reason is given.
    sent[f"decision-{of_two.pk}"] = "cannot-tell"
    refused = client.post(address(item), sent)

    assert refused.status_code == 400
    assert "Choose a reason" in refused.content.decode()
    assert len(re.findall(r'type="radio"[^>]*checked', refused.content.decode())) == 2
    assert keys_decided(item, disputed_tone, of_two) == [None, None]


def test_who_comes_second_overwrites_nothing(client, disputed, disputed_tone, of_two, other_adjudicator):
    item = disputed[2]
    sent = form(item, tone="fair", length="long")
    decide(item, of_two, NewDecision(Answer(category="short")), seen=0, by=other_adjudicator)
    second = client.post(address(item), sent)

    assert second.status_code == 409
    assert "decided by abe" in second.content.decode()
    assert keys_decided(item, disputed_tone, of_two) == [None, "short"]


def test_labels_that_changed_meanwhile_are_looked_at_first(client, say, disputed, disputed_tone):
    item = disputed[2]
    sent = form(item, tone="fair")
    say("item-3", "dan", "bad")
    stale = client.post(address(item), sent)

    assert stale.status_code == 409
    assert "have changed since" in stale.content.decode()
    assert keys_decided(item, disputed_tone) == [None]


def test_the_last_saving_is_undone_at_once(client, disputed, disputed_tone, of_two, adjudicator):
    item = disputed[2]
    first = NewDecision(Answer(category="short"), note="Counted.", is_for_guidelines=True)
    decide(item, of_two, first, seen=0, by=adjudicator)
    client.post(address(item), form(item, tone="fair", length="long"))
    undo = f"/p/{item.project.slug}/adjudicate/undo/"
    undone = client.post(undo, follow=True)
    again = client.post(undo, follow=True)

    assert undone.redirect_chain[-1][0] == address(item)
    assert keys_decided(item, disputed_tone, of_two) == [None, "short"]
    back = current_decision(item, of_two)
    assert (back.label.note, back.is_for_guidelines) == ("Counted.", True)
    assert "nothing to undo" in again.content.decode()


def test_what_somebody_else_decided_since_is_not_undone(client, disputed, disputed_tone, other_adjudicator):
    item = disputed[2]
    client.post(address(item), form(item, tone="fair"))
    decide(item, disputed_tone, NewDecision(Answer(category="bad")), seen=1, by=other_adjudicator)
    undone = client.post(f"/p/{item.project.slug}/adjudicate/undo/", follow=True)

    assert "Nothing was overwritten" in undone.content.decode()
    assert keys_decided(item, disputed_tone) == ["bad"]


def test_the_page_says_what_is_final_now_and_who_would_agree(client, disputed, disputed_tone):
    found = item_disputes(disputed[1]).questions[0]
    page = client.get(address(disputed[1])).content.decode()

    assert (found.words, found.before.origin, found.before.share_agree) == ("good", "majority", 2 / 3)
    assert [(each.choice.words, each.n_agree) for each in found.effects] == [("good", 2), ("bad", 1)]
    assert "good (most frequent label, 67% agree)" in page


def test_a_script_that_is_ahead_gets_the_next_items(client, say, disputed, disputed_tone):
    say("item-4", "ann", "good")
    say("item-4", "bob", "fair")
    client.get(address(disputed[2]))
    sent = {**form(disputed[2], tone="fair"), "ahead": str(disputed[1].pk)}
    told = client.post(address(disputed[2]), sent)

    assert (told.status_code, told["X-Resolved"]) == (204, "1 of 3 resolved")
    # item-3 is decided, so that it does not come again.
    assert told["X-Following"].startswith(f"/p/{disputed[0].project.slug}/adjudicate/items/")
    assert told["X-Following"] not in {address(disputed[1]), address(disputed[2])}


def test_skipped_items_come_again_at_the_end(client, disputed):
    first = client.get(f"/p/{disputed[0].project.slug}/adjudicate/items/next/")["Location"]
    last = client.get(address(disputed[1])).context["following"]

    assert first == last == address(disputed[2])


def test_names_are_hidden_on_the_page(client, disputed, of_two):
    page = client.get(address(disputed[2])).content.decode()

    assert not re.search(r"\b(ann|bob|cem)\b", page)


def test_who_labels_the_item_does_not_see_it(client, project, disputed, adjudicator):
    mine = Rater.objects.create(project=project, key="ada", user=adjudicator)
    open_round = Round.objects.create(project=project, key="round 2", state=Round.State.OPEN)
    Assignment.objects.create(item=disputed[2], round=open_round, rater=mine)

    assert client.get(address(disputed[2])).status_code == 403
    assert client.post(address(disputed[2]), form(disputed[2], tone="fair")).status_code == 403


def test_over_the_api(client, disputed, disputed_tone, of_two):
    item = disputed[2]
    api = f"/api/v1/projects/{item.project.slug}/adjudication/items/{item.pk}/"
    seen = client.get(api).json()
    decisions = [
        {"question": "tone", "category": "fair", "revision": 0},
        {"question": "length", "category": "long", "revision": 0},
    ]

    def put(**body):
        return client.put(api, body, content_type="application/json")

    stale = put(labels_digest="0", decisions=decisions)
    twice = put(labels_digest=seen["labels_digest"], decisions=[decisions[0]] * 2)
    unseen = put(labels_digest=seen["labels_digest"], decisions=[{"question": "tone", "category": "fair"}])
    saved = put(labels_digest=seen["labels_digest"], decisions=decisions)

    assert {label["rater"] for case in seen["questions"] for label in case["labels"]} == {
        "Rater A",
        "Rater B",
        "Rater C",
    }
    assert (stale.status_code, twice.status_code, unseen.status_code, saved.status_code) == (
        409,
        400,
        428,
        200,
    )
    assert keys_decided(item, disputed_tone, of_two) == ["fair", "long"]
    assert Label.objects.filter(rater__kind=Rater.Kind.CONSENSUS).count() == 2
