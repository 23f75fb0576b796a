"""A codebook that raters see is changed in a draft, and published at once."""

import zlib

import pytest
from django.urls import reverse

from projects.codebook import drafts
from projects.codebook.drafts import DraftRefused, Editor, draft_context, draft_of, needs_draft
from projects.codebook.questions import change_question, create_question, delete_question
from projects.codebook.refusals import CodebookRefused
from projects.codebook.versions import current_number, current_version
from projects.models import Category, CodebookDraft, Event, Item, Membership, Question, Round
from raters.models import Assignment
from raters.rounds.states import open_round
from tests import cast
from tests.working import new_rater, new_work


@pytest.fixture
def vera_of_work(project):
    return cast.member(project, Membership.Role.LEAD, username="vera", unique=True)


@pytest.fixture
def in_use(project, vera_of_work):
    """Three items are given to two raters, who say which tone they have."""
    return new_work(project=project)


@pytest.fixture
def vera_client(vera_of_work):
    return cast.signed_in(vera_of_work)


def stands(project):
    return {
        question.key: [category.key for category in question.categories.all()]
        for question in project.questions.all()
    }


def post(client, route, *args, **data):
    return client.post(reverse(route, args=args), data)


def text(response):
    return " ".join(response.content.decode().split())


NEW = {"key": "sure", "kind": "single", "level": "nominal", "is_required": "on"}


def test_before_raters_have_items_a_codebook_is_changed_at_once(project, vera_of_work, vera_client):
    assert not needs_draft(project)
    assert "data-begins-draft" not in text(vera_client.get(reverse("codebook", args=[project.slug])))

    post(vera_client, "codebook_question_new", project.slug, **NEW)

    assert stands(project) == {"sure": []}
    assert draft_of(project) is None


def test_with_raters_at_work_nothing_changes_until_it_is_published(in_use, vera_client):
    project = in_use.project
    assert "data-begins-draft" in text(vera_client.get(reverse("codebook", args=[project.slug])))
    first = text(post(vera_client, "codebook_question_new", project.slug, **NEW))
    draft = draft_context(project)
    sure = next(each for each in draft.questions if each.key == "sure")
    post(vera_client, "codebook_category_add", project.slug, sure.pk, **{"new-key": "no", "new-name": "No"})
    post(vera_client, "codebook_category_add", project.slug, sure.pk, **{"new-key": "yes"})
    post(vera_client, "guidelines_edit", project.slug, text="Be sure.", seen=zlib.crc32(b""))
    good = in_use.question.categories.get(key="good")
    post(vera_client, "codebook_category", project.slug, good.pk, name="Very good")

    assert first == ""
    assert stands(project) == {"tone": ["good", "fair", "bad"]}
    project.refresh_from_db()
    assert project.guidelines == ""
    assert current_number(project) == 1
    assert [each.key for each in draft_context(project).questions] == ["tone", "sure"]

    page = text(vera_client.get(reverse("codebook_draft", args=[project.slug])))
    assert "New question: “sure” (an answer is required). Answers: No [q], yes [w]." in page
    assert "“good” of “tone” is now called “Very good”." in page
    assert "<ins>Be sure.</ins>" in page or "Be sure." in page
    assert "6 open assignments will be labeled with the new codebook" in page
    assert "<ul data-required><li>sure</li></ul>" in page

    published = post(vera_client, "codebook_publish", project.slug, revision=draft_of(project).revision)

    assert published["Location"] == reverse("codebook", args=[project.slug])
    assert stands(project) == {"tone": ["good", "fair", "bad"], "sure": ["no", "yes"]}
    # What pages named before is what is there now.
    assert project.questions.get(key="sure").pk == sure.pk
    project.refresh_from_db()
    assert project.guidelines == "Be sure."
    assert draft_of(project) is None
    # One act, one version, whatever it changes.
    assert current_number(project) == 2
    assert current_version(project).guidelines == 1
    event = Event.objects.filter(kind="codebook_published").get()
    assert (event.about, event.detail["version"]) == ("version 2", 2)


def test_raters_and_others_see_what_is_published(in_use, vera_of_work, vera_client):
    project = in_use.project
    post(vera_client, "codebook_question_new", project.slug, **NEW | {"key": "brandnew"})
    rater = cast.signed_in(in_use.user())

    assert "brandnew" in text(vera_client.get(reverse("codebook", args=[project.slug])))
    for address in (
        reverse("codebook", args=[project.slug]),
        reverse("project", args=[project.slug]),
        reverse("label_item", args=[project.slug, in_use.assignment().pk]),
        reverse("api_codebook", args=[project.slug]),
    ):
        assert "brandnew" not in text(rater.get(address))
    assert rater.get(reverse("codebook_draft", args=[project.slug])).status_code == 403


def test_the_preview_is_the_labeling_page_with_the_draft(in_use, vera_client):
    project = in_use.project
    Editor(project, in_use.user()).create_question(
        key="sure", prompt="Are you sure?", categories=[{"key": "no"}, {"key": "yes"}]
    )
    Editor(project, in_use.user()).do("write_guidelines", text="Be **sure**.")

    page = text(vera_client.get(reverse("codebook_preview", args=[project.slug])))

    assert "Text 1" in page
    assert "Are you sure?" in page
    assert '<kbd aria-hidden="true">q</kbd>' in page
    assert "Be <strong>sure</strong>." in page
    assert Question.objects.filter(project=project).count() == 1


def test_a_question_without_categories_cannot_be_published(in_use, vera_of_work, vera_client):
    project = in_use.project
    post(vera_client, "codebook_question_new", project.slug, **NEW)

    page = text(vera_client.get(reverse("codebook_draft", args=[project.slug])))
    assert "Add categories before you publish" in page
    with pytest.raises(CodebookRefused, match="“sure” has no categories"):
        drafts.publish(project, by=vera_of_work, revision=1)

    assert stands(project) == {"tone": ["good", "fair", "bad"]}
    assert draft_of(project) is not None


def test_a_draft_allows_what_the_codebook_allows(in_use, vera_of_work):
    editor = Editor(in_use.project, vera_of_work)
    good = in_use.question.categories.get(key="good")

    with pytest.raises(CodebookRefused, match="already uses this shortcut"):
        editor.do("change_category", good.pk, shortcut="2")
    with pytest.raises(CodebookRefused, match="already exists"):
        editor.do("add_category", in_use.question.pk, key="good")

    assert draft_of(in_use.project) is None


def test_only_what_was_looked_at_is_published(in_use, vera_of_work):
    editor = Editor(in_use.project, vera_of_work)
    editor.do("change_question", in_use.question.pk, prompt="Tone?")
    seen = draft_of(in_use.project).revision
    editor.do("change_question", in_use.question.pk, is_required=False)

    with pytest.raises(DraftRefused, match="changed since you opened"):
        drafts.publish(in_use.project, by=vera_of_work, revision=seen)

    in_use.question.refresh_from_db()
    assert in_use.question.prompt == ""


def test_all_of_a_draft_is_published_or_nothing(in_use, vera_of_work):
    project = in_use.project
    editor = Editor(project, vera_of_work)
    editor.do("change_question", in_use.question.pk, prompt="Tone?")
    spare = create_question(project, by=vera_of_work, key="spare", categories=[{"key": "a"}])
    editor.do("change_question", spare.pk, prompt="Spare?")
    delete_question(spare, by=vera_of_work)

    with pytest.raises(DraftRefused, match="has been deleted"):
        drafts.publish(project, by=vera_of_work, revision=draft_of(project).revision)

    in_use.question.refresh_from_db()
    assert in_use.question.prompt == ""
    assert draft_context(project).is_outdated
    assert len(drafts.update_draft(project, by=vera_of_work)) == 1
    drafts.publish(project, by=vera_of_work, revision=draft_of(project).revision)
    in_use.question.refresh_from_db()
    assert in_use.question.prompt == "Tone?"


def test_what_the_api_changes_meanwhile_holds_at_once_and_stays(in_use, vera_of_work):
    editor = Editor(in_use.project, vera_of_work)
    editor.do("change_question", in_use.question.pk, prompt="Tone?")
    change_question(in_use.question, by=vera_of_work, is_required=False)

    assert draft_context(in_use.project).is_outdated
    drafts.update_draft(in_use.project, by=vera_of_work)
    assert not draft_context(in_use.project).is_outdated
    drafts.publish(in_use.project, by=vera_of_work, revision=draft_of(in_use.project).revision)

    in_use.question.refresh_from_db()
    assert (in_use.question.prompt, in_use.question.is_required) == ("Tone?", False)


def test_two_leads_do_not_overwrite_each_others_guidelines(in_use, vera_client):
    address = reverse("guidelines_edit", args=[in_use.project.slug])
    seen = vera_client.get(address).context["form"].initial["seen"]
    vera_client.post(address, {"text": "One.", "seen": seen})

    late = vera_client.post(address, {"text": "Two.", "seen": seen})

    assert late.status_code == 409
    assert draft_of(in_use.project).guidelines == "One."


def test_discarding_keeps_the_published_codebook(in_use, vera_of_work, vera_client):
    Editor(in_use.project, vera_of_work).do("delete_category", in_use.question.categories.get(key="bad").pk)

    post(vera_client, "codebook_draft_discard", in_use.project.slug)

    assert CodebookDraft.objects.count() == 0
    assert stands(in_use.project) == {"tone": ["good", "fair", "bad"]}


def test_trying_an_edit_writes_nothing_but_the_draft(in_use, vera_of_work):
    before = (Question.objects.count(), Category.objects.count(), current_number(in_use.project))

    Editor(in_use.project, vera_of_work).create_question(key="sure", categories=[{"key": "no"}])

    assert (Question.objects.count(), Category.objects.count(), current_number(in_use.project)) == before
    assert list(Event.objects.filter(kind__startswith="codebook").values_list("kind", flat=True)) == [
        "codebook_drafted"
    ]


def test_moving_and_ordering_go_by_the_draft(in_use, vera_client):
    slug = in_use.project.slug
    post(vera_client, "codebook_question_new", slug, **NEW)
    sure = next(each for each in draft_context(in_use.project).questions if each.key == "sure")
    bad = in_use.question.categories.get(key="bad")

    post(vera_client, "codebook_question_move", slug, sure.pk, to="up")
    post(vera_client, "codebook_category_move", slug, bad.pk, to="up")

    shown = draft_context(in_use.project)
    assert [each.key for each in shown.questions] == ["sure", "tone"]
    assert [each.key for each in shown.questions[1].categories.all()] == ["good", "bad", "fair"]
    assert stands(in_use.project) == {"tone": ["good", "fair", "bad"]}


def test_a_template_and_a_copy_go_to_the_draft(in_use, vera_client, vera_of_work):
    other = cast.new_project("Other", unique=True)
    Membership.objects.create(project=other, user=vera_of_work, role=Membership.Role.LEAD)
    create_question(other, by=vera_of_work, key="length", kind="number", level="ratio")

    post(vera_client, "codebook_copy", in_use.project.slug, source=other.pk)

    assert [each.key for each in draft_context(in_use.project).questions] == ["tone", "length"]
    assert stands(in_use.project) == {"tone": ["good", "fair", "bad"]}


def test_the_reach_names_rounds_and_what_is_done(in_use, vera_client):
    rater = new_rater(in_use.project)
    Assignment.objects.create(
        rater=rater,
        item=Item.objects.filter(project=in_use.project).first(),
        round=in_use.round,
        state="done",
    )
    post(vera_client, "codebook_question_new", in_use.project.slug, **NEW)

    page = text(vera_client.get(reverse("codebook_draft", args=[in_use.project.slug])))

    assert (
        '<th scope="row">round 1</th><td>Open</td><td class="number">6</td><td class="number">1</td>' in page
    )
    assert "1 labeled assignment in open rounds will be missing an answer." in page


def test_a_round_does_not_open_over_a_question_that_nobody_could_answer(project, vera_of_work):
    create_question(project, by=vera_of_work, key="tone")
    planned = Round.objects.create(project=project, key="one", state="draft")

    with pytest.raises(CodebookRefused, match="“tone” has no categories"):
        open_round(planned, by=vera_of_work)

    planned.refresh_from_db()
    assert planned.state == "draft"
    assert current_number(project) == 0


@pytest.mark.parametrize("role", [Membership.Role.RATER, Membership.Role.AUDITOR])
def test_only_leads_open_what_is_drafted(in_use, vera_client, role):
    project, category = in_use.project, in_use.question.categories.first()
    post(vera_client, "codebook_question_new", project.slug, **NEW)
    assert draft_of(project) is not None

    for person in (cast.member(project, role, username="rob"), cast.person("sam")):
        client = cast.signed_in(person)
        for route, pk in (("codebook_question", in_use.question.pk), ("codebook_category", category.pk)):
            assert client.get(reverse(route, args=[project.slug, pk])).status_code in {403, 404}
