"""Text questions in the codebook: added and changed by page, draft, API, and file, and copied."""

import json

import pytest
from django.urls import reverse

from projects.codebook.content import questions_in_version, stored_codebook
from projects.codebook.copying import copy_codebook
from projects.codebook.drafts import draft_context, draft_of, publish
from projects.codebook.questions import change_question, create_question
from projects.codebook.refusals import CodebookRefused
from projects.codebook.shortcut_keys import assign_shortcuts
from projects.codebook.version_changes import changes_between
from projects.models import Membership, Question
from raters.models import Label
from tests import cast
from tests.files import load_questions
from tests.working import answer, new_work


@pytest.fixture
def why(project, lead):
    return create_question(project, by=lead, key="why", kind="text", prompt="Why?")


def page(project, route, *args):
    return reverse(route, args=[project.slug, *args])


NEW = {"key": "why", "kind": "text", "level": "nominal", "prompt": "Why?"}


def test_a_lead_adds_one_on_the_page_and_sets_its_length(client, project):
    added = client.post(page(project, "codebook_question_new"), NEW, follow=True)
    question = Question.objects.get()
    form = client.get(page(project, "codebook_question", question.pk)).context["form"]

    client.post(page(project, "codebook_question", question.pk), {"kind": "text", "max_length": "300"})

    assert added.status_code == 200
    assert {"max_length", "prompt", "kind"} <= set(form.fields)
    assert not {"level", "coefficient", "criterion", "minimum"} & set(form.fields)
    question.refresh_from_db()
    assert (question.kind, question.max_length, question.most_characters) == ("text", 300, 300)
    shown = client.get(page(project, "codebook")).content.decode()
    assert "at most 300 characters" in shown
    assert "No categories yet" not in shown


@pytest.mark.parametrize("length", ["0", "-1", "10001", "x", "1.5"])
def test_a_length_that_no_text_can_have_is_refused(client, project, why, length):
    response = client.post(page(project, "codebook_question", why.pk), {"kind": "text", "max_length": length})

    assert response.status_code == 400
    assert "max_length" in response.context["form"].errors


def test_without_a_length_it_is_that_of_the_server(settings, why):
    settings.TEXT_ANSWER_LENGTH = 77

    assert (why.max_length, why.text_hint) == (None, "At most 77 characters")


@pytest.mark.parametrize(
    "fields",
    [
        {"max_length": 10_001},
        {"max_length": 0},
        {"level": "ordinal"},
        {"minimum": 1.0},
        {"missing_values": [9.0]},
        {"coefficient": "fleiss_kappa"},
    ],
)
def test_what_means_nothing_of_a_text_is_refused(why, lead, fields):
    with pytest.raises(CodebookRefused):
        change_question(why, by=lead, **fields)


def test_a_length_is_of_texts_alone(project, lead, tone):
    with pytest.raises(CodebookRefused) as refused:
        change_question(tone, by=lead, max_length=5)

    assert refused.value.field == "max_length"


def test_categories_and_kinds_do_not_mix(project, lead, tone, why):
    with pytest.raises(CodebookRefused):
        create_question(project, by=lead, key="b", kind="text", categories=[{"key": "x"}])
    with pytest.raises(CodebookRefused):
        change_question(tone, by=lead, kind="text")
    empty = create_question(project, by=lead, key="c", level="ordinal")

    change_question(empty, by=lead, kind="text", level="ordinal")
    assert (Question.objects.get(pk=empty.pk).kind, Question.objects.get(pk=empty.pk).level) == (
        "text",
        "nominal",
    )
    change_question(why, by=lead, max_length=9)
    change_question(why, by=lead, kind="number")
    assert Question.objects.get(pk=why.pk).max_length is None


@pytest.mark.signed_in(None)
def test_labels_are_not_converted_to_or_from_texts(db):
    work = new_work(usernames=["ana", "ben"])
    lead = cast.member(work.project, Membership.Role.LEAD, username="lea")
    why = create_question(work.project, by=lead, key="why", kind="text", is_required=False)
    answer(work, "good")
    Label.objects.create(item=work.items[0], question=why, rater=work.raters[0], text="so")
    client = cast.signed_in(lead)

    kinds = client.get(reverse("codebook_question_kind", args=[work.project.slug, work.question.pk]))
    to_text = {"kind": "text"}
    of_choice = reverse("api_question_kind", args=[work.project.slug, work.question.pk])
    of_text = reverse("api_question_kind", args=[work.project.slug, why.pk])
    converted = client.post(of_text, json.dumps({"kind": "single"}), content_type="application/json")

    assert [value for value, _ in kinds.context["form"].fields["kind"].choices] == [
        "single",
        "multiple",
        "number",
    ]
    assert client.post(of_choice, json.dumps(to_text), content_type="application/json").status_code == 400
    assert converted.status_code in {400, 409}
    with pytest.raises(CodebookRefused):
        change_question(why, by=lead, kind="number")
    assert (
        b"codebook_question_kind" not in client.get(page(work.project, "codebook_question", why.pk)).content
    )


def test_the_api_makes_shows_and_changes_one(api, project):
    made = api.post(
        page(project, "api_questions"),
        json.dumps({"key": "why", "kind": "text", "max_length": 40, "is_required": False}),
        content_type="application/json",
    )
    changed = api.patch(
        page(project, "api_question", made.json()["id"]),
        json.dumps({"max_length": None}),
        content_type="application/json",
    )
    refused = api.post(
        page(project, "api_questions"),
        json.dumps({"key": "b", "kind": "text", "categories": [{"key": "x"}]}),
        content_type="application/json",
    )

    assert (made.status_code, made.json()["kind"], made.json()["max_length"]) == (201, "text", 40)
    assert (changed.status_code, changed.json()["max_length"]) == (200, None)
    assert refused.status_code == 400


def test_a_copy_has_the_same(project, lead, why):
    change_question(why, by=lead, max_length=12, is_required=False)
    other = cast.new_project("Other", unique=True)
    Membership.objects.create(project=other, user=lead, role="lead")

    [copy] = copy_codebook(project, other, by=lead)

    assert (copy.key, copy.kind, copy.max_length, copy.is_required) == ("why", "text", 12, False)


def test_a_file_of_questions_brings_them(project):
    load_questions(project, b"question,prompt,kind\nwhy,Why?,text\n")

    assert Question.objects.values_list("key", "kind", "level").get() == ("why", "text", "nominal")


def test_a_draft_with_one_is_published(db):
    work = new_work()
    lead = cast.member(work.project, Membership.Role.LEAD, username="lea")
    client = cast.signed_in(lead)

    client.post(page(work.project, "codebook_question_new"), NEW)
    drafted = draft_context(work.project).questions[-1]
    preview = client.get(page(work.project, "codebook_preview")).content.decode()
    told = client.get(page(work.project, "codebook_draft"))
    assert not Question.objects.filter(key="why").exists()
    publish(work.project, by=lead, revision=draft_of(work.project).revision)

    assert f'name="text-{drafted.pk}"' in preview
    assert told.context["empty"] == []
    assert Question.objects.get(key="why").pk == drafted.pk


def test_raters_see_it_and_another_length(project, lead, tone, why):
    def content():
        questions = list(project.questions.prefetch_related("categories"))
        return questions_in_version(stored_codebook(questions, assign_shortcuts(questions)))

    before = content()
    change_question(why, by=lead, max_length=50)
    after = content()

    told = [change.sentence for change in changes_between(before, after)]
    assert told == ["“Why?” now takes at most 50 characters."]
    [new] = [change.sentence for change in changes_between(before[:1], after)]
    assert "free text [q]" in new
