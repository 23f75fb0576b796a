"""Whether a question asks raters how sure they are: set on its page and over the API, drafted, published, and told."""

import json

import pytest
from django.urls import reverse

from projects.codebook.content import questions_in_version, stored_codebook
from projects.codebook.copying import described
from projects.codebook.questions import change_question
from projects.codebook.version_changes import changes_between
from projects.codebook.versions import content_of
from projects.models import CodebookVersion, Event, Membership, Question
from tests import cast
from tests.working import new_work


def test_it_is_off_until_it_is_chosen(tone):
    assert (tone.confidence, tone.asks_confidence, tone.requires_confidence) == ("off", False, False)
    assert "confidence" not in stored_codebook([tone], [])["questions"][0]


def test_a_change_is_recorded_and_a_version_keeps_it(tone, lead):
    change_question(tone, by=lead, confidence="required")

    assert Question.objects.get().requires_confidence
    event = Event.objects.get(kind=Event.Kind.CODEBOOK_CHANGED)
    assert event.detail["changed"] == {"confidence": {"old": "off", "new": "required"}}
    [asked] = questions_in_version(stored_codebook([Question.objects.get()], []))
    assert asked.confidence == "required"


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("off", "required", "“tone” now asks how sure you are of each answer."),
        ("off", "optional", "“tone” now asks how sure you are. You can leave that open."),
        ("required", "off", "“tone” no longer asks how sure you are."),
    ],
)
def test_raters_see_the_change(tone, before, after, words):
    old, new = (
        questions_in_version(stored_codebook([Question(key="tone", confidence=each, kind="number")], []))
        for each in (before, after)
    )

    assert [change.sentence for change in changes_between(old, new)] == [words]


def test_the_page_of_the_question_sets_it(client, tone, lead):
    client.force_login(lead)
    address = reverse("codebook_question", args=[tone.project.slug, tone.pk])
    sent = {
        "prompt": "",
        "kind": "single",
        "level": "nominal",
        "is_required": "on",
        "coefficient": "",
        "weights": "",
    }

    assert client.post(address, sent | {"confidence": "optional"}).status_code == 302
    assert Question.objects.get().confidence == "optional"
    # A form that says nothing of it leaves it.
    assert client.post(address, sent).status_code == 302
    assert Question.objects.get().confidence == "optional"
    assert client.post(address, sent | {"confidence": "sometimes"}).status_code == 400
    assert (
        "confidence asked, optional"
        in client.get(reverse("codebook", args=[tone.project.slug])).content.decode()
    )


def test_once_raters_have_items_it_is_drafted_and_published(client, db):
    work = new_work()
    lead = cast.member(work.project, Membership.Role.LEAD, username="lou", unique=True)
    client.force_login(lead)
    address = reverse("codebook_question", args=[work.project.slug, work.question.pk])
    sent = {
        "prompt": "",
        "kind": "single",
        "level": "nominal",
        "is_required": "on",
        "coefficient": "",
        "weights": "",
    }

    client.post(address, sent | {"confidence": "required"})

    assert Question.objects.get().confidence == "off"
    review = reverse("codebook_draft", args=[work.project.slug])
    assert "now asks how sure you are" in client.get(review).content.decode()
    revision = work.project.codebook_draft.revision
    client.post(reverse("codebook_publish", args=[work.project.slug]), {"revision": revision})
    assert Question.objects.get().confidence == "required"
    last = CodebookVersion.objects.filter(project=work.project).order_by("-number").first()
    assert content_of(last)["questions"][0]["confidence"] == "required"


def test_programs_set_and_read_it(client, tone, lead):
    client.force_login(lead)
    questions = reverse("api_questions", args=[tone.project.slug])
    body = json.dumps({"key": "topic", "confidence": "required"})

    made = client.post(questions, body, content_type="application/json")

    assert (made.status_code, made.json()["confidence"]) == (201, "required")
    one = reverse("api_question", args=[tone.project.slug, tone.pk])
    changed = client.patch(one, json.dumps({"confidence": "optional"}), content_type="application/json")
    assert changed.json()["confidence"] == "optional"
    wrong = client.patch(one, json.dumps({"confidence": True}), content_type="application/json")
    assert wrong.status_code == 400


def test_it_is_copied_with_the_question(tone):
    Question.objects.update(confidence="required")

    [copied] = described(tone.project)

    assert copied["confidence"] == "required"
