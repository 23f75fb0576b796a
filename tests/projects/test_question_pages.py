"""The pages that make, change, order and delete a question."""

import pytest
from django.urls import reverse

from projects.codebook import questions
from projects.models import Question
from tests.labeling import new_question
from tests.projects.visiting import page, send, told

NEW = {"key": "mood", "prompt": "Line 1\r\nLine 2", "kind": "single", "level": "ordinal", "is_required": "on"}


def test_make_a_question(project, client):
    response = send(client, "codebook_question_new", project.slug, **NEW)

    made = project.questions.get()
    assert response.headers["Location"] == reverse("codebook_question", args=[project.slug, made.pk])
    assert (made.prompt, made.level) == ("Line 1\nLine 2", "ordinal")
    assert (made.is_required, made.allows_abstention) == (True, False)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"key": ""}, "This field is required"),
        ({"key": "a\x1bb"}, "This can’t contain control characters"),
        ({"key": "a\x00b"}, "Null characters are not allowed"),
        ({"key": "x" * 201}, "at most 200 characters"),
        ({"key": "tone"}, "A question with the key &#x27;tone&#x27; already exists"),
        ({"key": "Tone"}, "&#x27;Tone&#x27; differs only by case or Unicode form"),
        ({"kind": "essay"}, "Select a valid choice"),
        ({"level": "cardinal"}, "Select a valid choice"),
    ],
)
def test_a_question_that_is_refused_is_shown_again(project, labeled_tone, client, wrong, words):
    response = send(client, "codebook_question_new", project.slug, **{**NEW, **wrong})

    assert response.status_code == 400
    assert words in response.content.decode()
    assert project.questions.count() == 1


def test_change_a_question(project, labeled_tone, client):
    response = send(client, "codebook_question", project.slug, labeled_tone.pk, **{**NEW, "prompt": "How?"})

    labeled_tone.refresh_from_db()
    assert (response.status_code, told(response)) == (302, "Saved.")
    assert (labeled_tone.prompt, labeled_tone.level, labeled_tone.allows_abstention) == (
        "How?",
        "ordinal",
        False,
    )


def test_what_labels_forbid_is_reported_at_the_field(project, labeled_tone, client):
    response = send(client, "codebook_question", project.slug, labeled_tone.pk, **{**NEW, "kind": "multiple"})

    assert response.status_code == 400
    assert "change the answer type of “tone” because it has labels" in str(
        response.context["form"].errors["kind"]
    )


def test_a_question_with_labels_offers_no_deletion_and_refuses_it(project, labeled_tone, client):
    assert "Delete question" not in page(client, "codebook_question", project.slug, labeled_tone.pk)

    response = send(client, "codebook_question_delete", project.slug, labeled_tone.pk)

    assert "has labels" in told(response)
    assert Question.objects.filter(pk=labeled_tone.pk).exists()


def test_delete_a_question(project, client):
    spare = new_question(project, key="spare")
    assert "Delete question" in page(client, "codebook_question", project.slug, spare.pk)

    response = send(client, "codebook_question_delete", project.slug, spare.pk)

    assert response.headers["Location"] == reverse("codebook", args=[project.slug])
    assert not Question.objects.exists()


def test_a_question_for_a_number_shows_no_categories(project, client):
    size = new_question(project, key="size", kind="number", categories=())

    assert "New category" not in page(client, "codebook_question", project.slug, size.pk)


def test_move_and_order_questions(project, labeled_tone, client):
    other = questions.create_question(project, by=None, key="other")

    send(client, "codebook_question_move", project.slug, other.pk, to="up")
    assert list(project.questions.all()) == [other, labeled_tone]
    send(client, "codebook_order", project.slug, id=[labeled_tone.pk, other.pk])
    assert list(project.questions.all()) == [labeled_tone, other]
    refused = send(client, "codebook_order", project.slug, id=[labeled_tone.pk, "x", "9" * 30, "²"])

    assert "List every question exactly once" in told(refused)


def test_what_was_deleted_meanwhile_is_not_found(project, labeled_tone, client, monkeypatch):
    def gone(*args, **kwargs):
        raise Question.DoesNotExist

    monkeypatch.setattr(questions, "change_question", gone)

    assert send(client, "codebook_question", project.slug, labeled_tone.pk, **NEW).status_code == 404


@pytest.mark.parametrize(
    ("kind", "level", "stored"),
    [
        ("single", "", "nominal"),
        ("multiple", "", "nominal"),
        ("number", "", "interval"),
        ("number", "ratio", "ratio"),
        ("text", "ordinal", "nominal"),
    ],
)
def test_the_scale_of_a_new_question_fits_its_answer_type(project, client, kind, level, stored):
    response = send(client, "codebook_question_new", project.slug, **{**NEW, "kind": kind, "level": level})

    assert response.status_code == 302
    assert project.questions.get().level == stored


@pytest.mark.parametrize(("kind", "stored"), [("number", "interval"), ("text", "nominal")])
def test_a_new_answer_type_takes_the_scale_that_fits(project, client, kind, stored):
    mood = new_question(project, key="mood", level="nominal", categories=())

    send(client, "codebook_question", project.slug, mood.pk, prompt="", kind=kind, level="nominal")

    mood.refresh_from_db()
    assert (mood.kind, mood.level) == (kind, stored)


def test_a_new_question_mentions_only_what_it_has(project, client):
    new_question(project, key="empty", categories=())
    later = new_question(project, key="later", position=1)
    last = new_question(project, key="last", position=2)

    new = page(client, "codebook_question_new", project.slug)

    assert "Correct answer type" not in new
    assert "Asked only if" not in page(client, "codebook_question", project.slug, later.pk)
    assert "Asked only if" in page(client, "codebook_question", project.slug, last.pk)
