"""The pages that add, rename, order, merge and delete a category."""

import pytest
from django.urls import reverse

from projects.codebook import categories
from projects.models import Project
from tests import cast
from tests.labeling import new_question
from tests.projects.visiting import page, send, told


def test_add_a_category(project, labeled_tone, client):
    data = {"new-key": "fair", "new-shortcut": "K", "new-color": "sky", "new-examples": "a\r\nb"}

    response = send(client, "codebook_category_add", project.slug, labeled_tone.pk, **data)

    made = labeled_tone.categories.get(key="fair")
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
def test_a_category_that_is_refused_is_shown_again(project, labeled_tone, client, wrong, words):
    response = send(client, "codebook_category_add", project.slug, labeled_tone.pk, **wrong)

    assert response.status_code == 400
    assert words in response.content.decode()
    assert labeled_tone.categories.count() == 2


def test_a_value_is_asked_for_where_it_means_something(project, labeled_tone, client):
    stars = new_question(project, key="stars", level="interval", categories=("few", "many"))

    assert "new-value" not in page(client, "codebook_question", project.slug, labeled_tone.pk)
    assert "new-value" in page(client, "codebook_question", project.slug, stars.pk)
    for value in ("nan", "inf", "1e101", "x"):
        first = stars.categories.first()
        assert send(client, "codebook_category", project.slug, first.pk, value=value).status_code == 400
    assert send(client, "codebook_category", project.slug, first.pk, value="2.5").status_code == 302
    assert stars.categories.first().value == 2.5
    assert "= 2.5" in page(client, "codebook", project.slug)


def test_rename_a_category_with_labels(project, labeled_tone, client):
    good = labeled_tone.categories.first()
    assert "Rename it, or merge it" in page(client, "codebook_category", project.slug, good.pk)

    response = send(client, "codebook_category", project.slug, good.pk, name="Fine")

    assert (response.status_code, str(labeled_tone.categories.first())) == (302, "Fine")


def test_a_shortcut_in_use_is_reported_at_the_field(project, labeled_tone, client):
    good, bad = labeled_tone.categories.all()
    categories.change_category(good, by=None, shortcut="1")

    response = send(client, "codebook_category", project.slug, bad.pk, shortcut="1")

    assert response.status_code == 400
    assert "“good” already uses this shortcut" in str(response.context["form"].errors["shortcut"])


def test_a_category_is_deleted_or_the_reason_shown(project, labeled_tone, client):
    good, bad = labeled_tone.categories.all()

    assert "delete “good” because" in told(send(client, "codebook_category_delete", project.slug, good.pk))
    assert "Deleted “bad”" in told(send(client, "codebook_category_delete", project.slug, bad.pk))
    assert list(labeled_tone.categories.all()) == [good]


def test_a_single_category_is_not_offered_to_be_merged(project, labeled_tone, client):
    good, bad = labeled_tone.categories.all()
    assert "Merge…" in page(client, "codebook_category", project.slug, good.pk)
    bad.delete()

    assert "Merge…" not in page(client, "codebook_category", project.slug, good.pk)


def test_merge_a_category(project, labeled_tone, client, rita):
    good, bad = labeled_tone.categories.all()
    assert "1 label will change to the other category" in page(
        client, "codebook_category_merge", project.slug, good.pk
    )
    assert "No labels use this category now" in page(client, "codebook_category_merge", project.slug, bad.pk)

    response = send(client, "codebook_category_merge", project.slug, good.pk, into=bad.pk)

    assert told(response) == "Merged “good” into “bad”: 1 label changed."
    assert "“good” was merged into “bad”" in page(cast.signed_in(rita), "codebook", project.slug)
    assert client.get(reverse("codebook_category", args=[project.slug, good.pk])).status_code == 404


def test_a_category_is_not_merged_into_itself_or_into_nothing(project, labeled_tone, client):
    good = labeled_tone.categories.first()

    for into in (good.pk, "", 10**18):
        response = send(client, "codebook_category_merge", project.slug, good.pk, into=into)
        assert response.status_code == 400


def test_a_merge_into_a_closed_codebook_is_refused_in_words(project, labeled_tone, client):
    good, bad = labeled_tone.categories.all()
    Project.objects.update(is_codebook_closed=True)

    response = send(client, "codebook_category_merge", project.slug, good.pk, into=bad.pk)

    assert response.status_code == 400
    assert "The codebook is closed" in response.content.decode()


@pytest.mark.parametrize("to", ["up", "down", "sideways", ""])
def test_move_a_category(project, labeled_tone, client, to):
    bad = labeled_tone.categories.last()

    response = send(client, "codebook_category_move", project.slug, bad.pk, to=to)

    wanted = ["bad", "good"] if to == "up" else ["good", "bad"]
    assert [category.key for category in labeled_tone.categories.all()] == wanted
    assert ("Choose up or down." in told(response)) == (to in {"sideways", ""})


def test_order_categories(project, labeled_tone, client):
    good, bad = labeled_tone.categories.all()

    send(client, "codebook_category_order", project.slug, labeled_tone.pk, id=[bad.pk, good.pk])

    assert list(labeled_tone.categories.all()) == [bad, good]


def test_add_several_categories_at_once(project, labeled_tone, client):
    lines = "fair: Fairly good\r\n\r\nodd\tOdd one\r\nso:so\r\n"

    response = send(client, "codebook_category_add", project.slug, labeled_tone.pk, lines=lines)

    assert (response.status_code, told(response)) == (302, "Added 3 categories.")
    found = labeled_tone.categories.order_by("position").values_list("key", "name")
    assert list(found)[2:] == [("fair", "Fairly good"), ("odd", "Odd one"), ("so:so", "")]


def test_several_categories_are_added_or_none_with_what_is_wrong_by_line(project, labeled_tone, client):
    lines = f"fair\ngood: Again\nfair: Twice\n{'x' * 201}\n: nameless"

    response = send(client, "codebook_category_add", project.slug, labeled_tone.pk, lines=lines)

    assert response.status_code == 400
    shown = response.content.decode()
    for words in (
        "Line 2: a category with the key “good” can’t be added, because there is one already.",
        "Line 3: a category with the key “fair” can’t be added, because line 1 has it.",
        "Line 4: Ensure this value has at most 200 characters",
        "Line 5: This field is required.",
        "nameless</textarea>",
    ):
        assert words in shown
    assert labeled_tone.categories.count() == 2


def test_what_the_codebook_refuses_is_also_reported_by_line(project, labeled_tone, client):
    stars = new_question(project, key="stars", level="interval", categories=("1",))
    stars.categories.update(value=1)

    response = send(client, "codebook_category_add", project.slug, stars.pk, lines="2: Two\n1.0: One")

    assert response.status_code == 400
    assert "Line 2: “1” already has this value." in response.content.decode()
    assert stars.categories.count() == 1
