"""In a training round the reference is seen after saving, and then the own answer stands; in a check it never is."""

import re
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from projects.models import Round
from raters.labeling.answers import Answer
from raters.labeling.saving_records import ReferenceAlreadyShown
from raters.labeling.undoing import undo
from raters.models import Assignment, Label, Rater, Submission
from tests.working import answer

pytestmark = pytest.mark.signed_in("first_rater")

KEY = "b7a1c5de-5a4e-4a53-9f3e-6d2f1c0b9a87"


@pytest.fixture
def reference(work):
    """The reference says "bad" of the first item."""
    reference = Rater.objects.create(project=work.project, key="gold", kind=Rater.Kind.REFERENCE)
    bad = work.question.categories.get(key="bad")
    return Label.objects.create(item=work.items[0], rater=reference, question=work.question, category=bad)


@pytest.fixture
def training(work, reference):
    Round.objects.update(reference_use=Round.ReferenceUse.TRAINING)
    return work


def text(response):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def page(work, place=0):
    return f"/p/{work.project.slug}/label/{work.assignment(place).pk}/"


def api(work, rest="", place=0):
    return f"/api/v1/projects/{work.project.slug}/assignments/{work.assignment(place).pk}/{rest}"


def send(client, work, category="good", *, place=0, key=KEY):
    body = {"answers": [{"question": "tone", "category": category}], "revisions": []}
    return client.put(
        api(work, "answers/", place),
        body,
        content_type="application/json",
        headers={"Idempotency-Key": key},
    )


def test_a_check_never_shows_the_reference(work, reference, client):
    response = send(client, work)

    assert response.json()["reference"] is None
    assert client.get(api(work)).json()["reference"] is None
    assert Assignment.objects.get(pk=work.assignment().pk).reference_shown_at is None
    assert answer(work, "fair", seen={"tone": 1}).revisions == {"tone": 2}


def test_training_shows_the_reference_at_once(training, client):
    response = send(client, training)

    assert response.json()["reference"] == [
        {
            "question": "tone",
            "category": "bad",
            "categories": None,
            "number": None,
            "text": None,
            "cannot_tell": False,
        }
    ]
    assert client.get(api(training)).json()["reference"] == response.json()["reference"]


def test_before_saving_nothing_of_the_reference_is_there(training, client):
    assert client.get(api(training)).json()["reference"] is None
    assert "reference answer" not in text(client.get(page(training)))


def test_an_item_without_a_reference_goes_on_as_ever(training, client):
    assert send(client, training, place=1).json()["reference"] is None
    assert answer(training, "bad", place=1, seen={"tone": 1}).revisions == {"tone": 2}


def test_sent_again_it_is_answered_again(training, client):
    first, again = send(client, training), send(client, training)

    assert first.json() == again.json()
    assert Submission.objects.count() == 1


def test_what_was_shown_is_not_changed_any_more(training, client):
    send(client, training)

    with pytest.raises(ReferenceAlreadyShown):
        answer(training, "bad", seen={"tone": 1})
    with pytest.raises(ReferenceAlreadyShown):
        undo(training.raters[0], training.assignment().pk, {"tone": 1}, key=uuid4(), by=training.user())
    refused = send(client, training, "bad", key=str(uuid4()))
    assert (refused.status_code, refused.json()["error"]) == (409, "reference_shown")
    assert Label.objects.get(rater=training.raters[0]).category.key == "good"


def test_another_rater_still_answers_for_themselves(training, client):
    send(client, training)

    assert answer(training, "fair", rater=1).reference == {"tone": Answer(category="bad")}


def test_without_scripts_the_reference_is_a_step_between(training, client):
    chosen = training.question.categories.get(key="good").pk
    form = {
        "key": KEY,
        f"answer-{training.question.pk}": str(chosen),
        f"revision-{training.question.pk}": "0",
    }

    response = client.post(page(training), form, follow=True)

    assert response.redirect_chain == [(page(training), 302)]
    assert "tone good bad ≠ different" in text(response)
    following = client.get(f"/p/{training.project.slug}/label/", follow=True)
    assert following.redirect_chain[-1][0] == page(training, 1)


def test_the_form_sent_from_an_old_tab_changes_nothing(training, client):
    send(client, training)
    chosen = training.question.categories.get(key="bad").pk
    form = {
        "key": str(uuid4()),
        f"answer-{training.question.pk}": str(chosen),
        f"revision-{training.question.pk}": "1",
    }

    response = client.post(page(training), form, follow=True)

    assert "You have seen the reference answer" in text(response)
    assert Label.objects.get(rater=training.raters[0]).category.key == "good"


def test_a_check_asks_the_database_no_more_for_references(work, reference):
    with CaptureQueriesContext(connection) as known:
        answer(work, "good")
    with CaptureQueriesContext(connection) as unknown:
        answer(work, "good", place=1)

    assert len(known) == len(unknown)
    assert not any("'reference'" in query["sql"] for query in known)
