"""The page of the codebook: what it shows to whom, how it is copied, and what it refuses in words."""

import pytest
from django.urls import reverse

from projects.models import Category, Project
from raters.merging.actions import merge_category
from tests import cast
from tests.labeling import add_labels, new_question
from tests.projects.visiting import page, send


def test_every_member_reads_and_only_a_lead_is_offered_changes(project, labeled_tone, rita, client):
    read, changed = (
        page(cast.signed_in(rita), "codebook", project.slug),
        page(client, "codebook", project.slug),
    )

    for text in ("tone", "good", "required", "“cannot tell” allowed"):
        assert text in read
    for control in ("New question", "Edit tone", "Move tone up", "Add questions"):
        assert control in changed
        assert control not in read


def test_a_rater_sees_the_same_page_whatever_others_answered(project, labeled_tone, rita):
    rater = cast.signed_in(rita)
    before = page(rater, "codebook", project.slug)

    add_labels(labeled_tone, [("j", "s", "bad")])

    assert page(rater, "codebook", project.slug) == before


def test_an_empty_codebook_says_what_to_do(project, client, rita):
    assert "start from a template" in page(client, "codebook", project.slug)
    assert "A project lead can add them." in page(cast.signed_in(rita), "codebook", project.slug)


def test_a_closed_codebook_offers_no_change(project, labeled_tone, client):
    Project.objects.update(is_codebook_closed=True)

    text = page(client, "codebook", project.slug)

    assert "The codebook is closed." in text
    assert "Edit tone" not in text


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


@pytest.mark.parametrize("name", ["project_new", "project_edit"])
def test_the_name_of_a_project_is_one_plain_line(project, client, name):
    args = [project.slug] if name == "project_edit" else []
    data = {
        "name": "a\x1bb",
        "state": "open",
        "reading_scale": "none",
        "thresholds_for": "kappa",
        "one_key_saving": "on",
    }

    response = client.post(reverse(name, args=args), data)

    assert response.status_code == 400
    assert "This can’t contain control characters" in response.content.decode()


def test_pages_ask_the_database_as_often_for_many_as_for_few(
    project, labeled_tone, client, django_assert_max_num_queries
):
    for place in range(12):
        question = new_question(project, key=f"q{place}", position=place + 1, categories=("a", "b", "c"))
        merge_category(question.categories.last(), question.categories.first(), by=cast.person(f"p{place}"))

    with django_assert_max_num_queries(14):
        page(client, "codebook", project.slug)

    assert Category.with_merged.filter(merged_into__isnull=False).count() == 12
