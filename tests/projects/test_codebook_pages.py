"""The pages of the codebook and the guidelines: what they show to whom, and what they refuse in words."""

import re

import pytest
from django.contrib.messages import get_messages
from django.urls import reverse

from projects.codebook import categories, questions
from projects.codebook.guidelines import write_guidelines
from projects.models import Category, GuidelinesVersion, Project, Question
from raters.merging.actions import merge_category
from tests import cast
from tests.labeling import add_labels, new_question


@pytest.fixture
def tone(project) -> Question:
    question = new_question(project, key="tone", categories=("good", "bad"))
    add_labels(question, [("i", "r", "good")])
    return question


def told(response) -> str:
    """The last message: those before it wait for the next page, which most tests never ask for."""
    messages = list(get_messages(response.wsgi_request))
    return str(messages[-1]) if messages else ""


def page(client, name, *args) -> str:
    """A page without its CSRF token, which is masked anew each time."""
    text = client.get(reverse(name, args=args)).content.decode()
    return re.sub(r'(name="csrfmiddlewaretoken" value=)"\w+"', r"\1", text)


def send(client, name, /, *args, **data):
    return client.post(reverse(name, args=args), data)


def test_every_member_reads_and_only_a_lead_is_offered_changes(project, tone, rita, client):
    read, changed = (
        page(cast.signed_in(rita), "codebook", project.slug),
        page(client, "codebook", project.slug),
    )

    for text in ("tone", "good", "required", "“cannot tell” allowed"):
        assert text in read
    for control in ("New question", "Edit tone", "Move tone up", "Add questions"):
        assert control in changed
        assert control not in read


def test_a_rater_sees_the_same_page_whatever_others_have_said(project, tone, rita):
    rater = cast.signed_in(rita)
    before = page(rater, "codebook", project.slug)

    add_labels(tone, [("j", "s", "bad")])

    assert page(rater, "codebook", project.slug) == before


def test_an_empty_codebook_says_what_to_do(project, client, rita):
    assert "start from a template" in page(client, "codebook", project.slug)
    assert "A project lead can add them." in page(cast.signed_in(rita), "codebook", project.slug)


def test_a_closed_codebook_offers_no_change(project, tone, client):
    Project.objects.update(is_codebook_closed=True)

    text = page(client, "codebook", project.slug)

    assert "The codebook is closed." in text
    assert "Edit tone" not in text


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
        ({"kind": "essay"}, "Select a valid choice"),
        ({"level": "cardinal"}, "Select a valid choice"),
    ],
)
def test_a_question_that_is_refused_is_shown_again(project, tone, client, wrong, words):
    response = send(client, "codebook_question_new", project.slug, **{**NEW, **wrong})

    assert response.status_code == 400
    assert words in response.content.decode()
    assert project.questions.count() == 1


def test_change_a_question(project, tone, client):
    response = send(client, "codebook_question", project.slug, tone.pk, **{**NEW, "prompt": "How?"})

    tone.refresh_from_db()
    assert (response.status_code, told(response)) == (302, "Saved.")
    assert (tone.prompt, tone.level, tone.allows_abstention) == ("How?", "ordinal", False)


def test_what_labels_forbid_is_said_beside_the_field(project, tone, client):
    response = send(client, "codebook_question", project.slug, tone.pk, **{**NEW, "kind": "multiple"})

    assert response.status_code == 400
    assert "change the answer type of “tone” because it has labels" in str(
        response.context["form"].errors["kind"]
    )


def test_a_question_with_labels_offers_no_deletion_and_refuses_it(project, tone, client):
    assert "Delete question" not in page(client, "codebook_question", project.slug, tone.pk)

    response = send(client, "codebook_question_delete", project.slug, tone.pk)

    assert "has labels" in told(response)
    assert Question.objects.filter(pk=tone.pk).exists()


def test_delete_a_question(project, client):
    spare = new_question(project, key="spare")
    assert "Delete question" in page(client, "codebook_question", project.slug, spare.pk)

    response = send(client, "codebook_question_delete", project.slug, spare.pk)

    assert response.headers["Location"] == reverse("codebook", args=[project.slug])
    assert not Question.objects.exists()


def test_a_question_for_a_number_shows_no_categories(project, client):
    size = new_question(project, key="size", kind="number", categories=())

    assert "New category" not in page(client, "codebook_question", project.slug, size.pk)


def test_add_a_category(project, tone, client):
    data = {"new-key": "fair", "new-shortcut": "K", "new-color": "sky", "new-examples": "a\r\nb"}

    response = send(client, "codebook_category_add", project.slug, tone.pk, **data)

    made = tone.categories.get(key="fair")
    assert (response.status_code, told(response)) == (302, "Added “fair”.")
    assert (made.shortcut, made.color, made.examples, made.position) == ("k", "sky", "a\nb", 2)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"new-key": "good"}, "A category with the key &#x27;good&#x27; already exists"),
        ({"new-key": "x\ty"}, "This can’t contain control characters"),
        ({"new-key": "x", "new-name": "a\nb"}, "This can’t contain control characters"),
        ({"new-key": "x", "new-shortcut": "é"}, "a digit or a letter from a to z"),
        ({"new-key": "x", "new-color": "beige"}, "Select a valid choice"),
    ],
)
def test_a_category_that_is_refused_is_shown_again(project, tone, client, wrong, words):
    response = send(client, "codebook_category_add", project.slug, tone.pk, **wrong)

    assert response.status_code == 400
    assert words in response.content.decode()
    assert tone.categories.count() == 2


def test_a_value_is_asked_for_where_it_means_something(project, tone, client):
    stars = new_question(project, key="stars", level="interval", categories=("few", "many"))

    assert "new-value" not in page(client, "codebook_question", project.slug, tone.pk)
    assert "new-value" in page(client, "codebook_question", project.slug, stars.pk)
    for value in ("nan", "inf", "1e101", "x"):
        first = stars.categories.first()
        assert send(client, "codebook_category", project.slug, first.pk, value=value).status_code == 400
    assert send(client, "codebook_category", project.slug, first.pk, value="2.5").status_code == 302
    assert stars.categories.first().value == 2.5
    assert "= 2.5" in page(client, "codebook", project.slug)


def test_rename_a_category_with_labels(project, tone, client):
    good = tone.categories.first()
    assert "Rename it, or merge it" in page(client, "codebook_category", project.slug, good.pk)

    response = send(client, "codebook_category", project.slug, good.pk, name="Fine")

    assert (response.status_code, str(tone.categories.first())) == (302, "Fine")


def test_a_shortcut_that_is_taken_is_said_beside_the_field(project, tone, client):
    good, bad = tone.categories.all()
    categories.change_category(good, by=None, shortcut="1")

    response = send(client, "codebook_category", project.slug, bad.pk, shortcut="1")

    assert response.status_code == 400
    assert "“good” already uses this shortcut" in str(response.context["form"].errors["shortcut"])


def test_delete_a_category_or_be_told_why_not(project, tone, client):
    good, bad = tone.categories.all()

    assert "delete “good” because" in told(send(client, "codebook_category_delete", project.slug, good.pk))
    assert "Deleted “bad”" in told(send(client, "codebook_category_delete", project.slug, bad.pk))
    assert list(tone.categories.all()) == [good]


def test_a_single_category_is_not_offered_to_be_merged(project, tone, client):
    good, bad = tone.categories.all()
    assert "Merge…" in page(client, "codebook_category", project.slug, good.pk)
    bad.delete()

    assert "Merge…" not in page(client, "codebook_category", project.slug, good.pk)


def test_merge_a_category(project, tone, client, rita):
    good, bad = tone.categories.all()
    assert "1 label will change to the other category" in page(
        client, "codebook_category_merge", project.slug, good.pk
    )
    assert "No labels use this category now" in page(client, "codebook_category_merge", project.slug, bad.pk)

    response = send(client, "codebook_category_merge", project.slug, good.pk, into=bad.pk)

    assert told(response) == "Merged “good” into “bad”: 1 label changed."
    assert "“good” was merged into “bad”" in page(cast.signed_in(rita), "codebook", project.slug)
    assert client.get(reverse("codebook_category", args=[project.slug, good.pk])).status_code == 404


def test_a_category_is_not_merged_into_itself_or_into_nothing(project, tone, client):
    good = tone.categories.first()

    for into in (good.pk, "", 10**18):
        response = send(client, "codebook_category_merge", project.slug, good.pk, into=into)
        assert response.status_code == 400


def test_a_merge_into_a_closed_codebook_is_refused_in_words(project, tone, client):
    good, bad = tone.categories.all()
    Project.objects.update(is_codebook_closed=True)

    response = send(client, "codebook_category_merge", project.slug, good.pk, into=bad.pk)

    assert response.status_code == 400
    assert "The codebook is closed" in response.content.decode()


@pytest.mark.parametrize("to", ["up", "down", "sideways", ""])
def test_move_a_category(project, tone, client, to):
    bad = tone.categories.last()

    response = send(client, "codebook_category_move", project.slug, bad.pk, to=to)

    wanted = ["bad", "good"] if to == "up" else ["good", "bad"]
    assert [category.key for category in tone.categories.all()] == wanted
    assert ("Choose up or down." in told(response)) == (to in {"sideways", ""})


def test_move_and_order_questions(project, tone, client):
    other = questions.create_question(project, by=None, key="other")

    send(client, "codebook_question_move", project.slug, other.pk, to="up")
    assert list(project.questions.all()) == [other, tone]
    send(client, "codebook_order", project.slug, id=[tone.pk, other.pk])
    assert list(project.questions.all()) == [tone, other]
    refused = send(client, "codebook_order", project.slug, id=[tone.pk, "x", "9" * 30, "²"])

    assert "List every question exactly once" in told(refused)


def test_order_categories(project, tone, client):
    good, bad = tone.categories.all()

    send(client, "codebook_category_order", project.slug, tone.pk, id=[bad.pk, good.pk])

    assert list(tone.categories.all()) == [bad, good]


def test_copy_the_codebook_of_another_project(project, client, lead):
    source = cast.new_project("Source")
    source.memberships.create(user=lead, role="rater")
    new_question(source, key="tone")
    foreign = cast.new_project("Foreign")
    new_question(foreign, key="secret")

    offered = page(client, "codebook", project.slug)
    response = send(client, "codebook_copy", project.slug, source=source.pk)
    again = send(client, "codebook_copy", project.slug, source=source.pk)
    stolen = send(client, "codebook_copy", project.slug, source=foreign.pk)

    assert "Source" in offered
    assert "Foreign" not in offered
    assert (response.status_code, again.status_code, stolen.status_code) == (302, 400, 400)
    assert "Nothing was copied" in again.content.decode()
    assert [question.key for question in project.questions.all()] == ["tone"]


def test_start_from_a_codebook_of_ours(project, client):
    response = send(client, "codebook_start", project.slug, starter="entailment")
    again = send(client, "codebook_start", project.slug, starter="entailment")

    assert [question.key for question in project.questions.all()] == ["relation", "confidence"]
    assert (response.status_code, again.status_code) == (302, 400)
    assert send(client, "codebook_start", project.slug, starter="none").status_code == 400


def test_a_new_project_starts_from_a_codebook_of_ours(client):
    client.post(reverse("project_new"), {"name": "Started", "starter": "screening"})

    made = Project.objects.get(name="Started")
    assert [question.key for question in made.questions.all()] == ["decision", "reason"]
    assert made.guidelines.startswith("# Title and abstract screening")


def test_what_was_deleted_meanwhile_is_not_found(project, tone, client, monkeypatch):
    def gone(*args, **kwargs):
        raise Question.DoesNotExist

    monkeypatch.setattr(questions, "change_question", gone)

    assert send(client, "codebook_question", project.slug, tone.pk, **NEW).status_code == 404


@pytest.mark.parametrize("name", ["project_new", "project_edit"])
def test_the_name_of_a_project_is_one_plain_line(project, client, name):
    args = [project.slug] if name == "project_edit" else []
    data = {"name": "a\x1bb", "state": "open", "reading_scale": "none", "thresholds_for": "kappa"}

    response = client.post(reverse(name, args=args), data)

    assert response.status_code == 400
    assert "This can’t contain control characters" in response.content.decode()


def test_write_guidelines_and_look_back(project, client, lead, rita):
    first = send(client, "guidelines_edit", project.slug, text="# Look\r\n\r\nRead *once*.", seen=0)
    second = send(client, "guidelines_edit", project.slug, text="# Look\n\nRead *twice*.", seen=1)
    third = send(client, "guidelines_edit", project.slug, text="# Look\n\nRead *twice*.", seen=2)

    reader = cast.signed_in(rita)
    assert [told(response) for response in (first, second, third)] == [
        "Saved.",
        "Saved.",
        "No changes.",
    ]
    assert GuidelinesVersion.objects.get(number=1).text == "# Look\n\nRead *once*."
    listed = page(reader, "guidelines", project.slug)
    assert "<h2>Look</h2>" in listed
    assert "Version 2" in listed
    assert "Edit" not in listed.partition("<main")[2]
    changed = page(reader, "guidelines_version", project.slug, 2)
    assert "<del>once</del>" in changed
    assert "<ins>twice</ins>" in changed
    assert "current version" in changed
    assert "Changes since" not in page(reader, "guidelines_version", project.slug, 1)
    assert reader.get(reverse("guidelines_version", args=[project.slug, 10**10])).status_code == 404


def test_guidelines_that_somebody_else_changed_are_not_written_over(project, client, lead):
    write_guidelines(project, "Theirs.", by=lead)

    response = send(client, "guidelines_edit", project.slug, text="Mine.", seen=0)
    again = send(
        client, "guidelines_edit", project.slug, text="Mine.", seen=response.context["form"]["seen"].value()
    )

    assert response.status_code == 409
    assert "Mine." in response.content.decode()
    assert "The current version is now 1" in response.content.decode()
    assert (again.status_code, GuidelinesVersion.objects.count()) == (302, 2)


def test_guidelines_do_no_harm(project, client, lead):
    write_guidelines(project, "<script>alert(1)</script>", by=lead)
    write_guidelines(project, "<img src=x onerror=alert(2)>", by=lead)

    for text in (
        page(client, "guidelines", project.slug),
        page(client, "guidelines_version", project.slug, 2),
    ):
        assert "<script>alert" not in text
        assert "<img src=x" not in text


def test_pages_ask_the_database_as_often_for_many_as_for_few(
    project, tone, client, django_assert_max_num_queries
):
    for place in range(12):
        question = new_question(project, key=f"q{place}", position=place + 1, categories=("a", "b", "c"))
        merge_category(question.categories.last(), question.categories.first(), by=cast.person(f"p{place}"))

    with django_assert_max_num_queries(14):
        page(client, "codebook", project.slug)

    assert Category.with_merged.filter(merged_into__isnull=False).count() == 12
