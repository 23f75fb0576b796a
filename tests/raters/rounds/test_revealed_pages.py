"""A revealed round for its raters: before the reveal nothing of it exists."""

import re

import pytest
from django.test import Client

from projects.models import Event, Project, Question, Round
from raters.labeling.answers import Answer
from raters.models import Assignment, Label, Rater
from tests.working import answer, new_rater


def client_of(work, rater=0):
    opened = Client()
    opened.force_login(work.user(rater))
    return opened


def address(work):
    return f"/p/{work.project.slug}/rounds/{work.round.pk}/revealed/"


def text(response):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def reveal():
    Round.objects.update(state="closed", revealed_at="2026-01-01T00:00Z")


@pytest.mark.parametrize("state", ["draft", "open", "closed"])
def test_before_the_reveal_nothing_exists(agreed_on_three, state):
    Round.objects.update(state=state)

    assert client_of(agreed_on_three).get(address(agreed_on_three)).status_code == 404


def test_who_labeled_nothing_in_it_sees_nothing(agreed_on_three):
    reveal()
    other = new_rater(agreed_on_three.project)
    client = Client()
    client.force_login(other.user)

    assert client.get(address(agreed_on_three)).status_code == 404


def test_own_labels_are_shown_next_to_those_of_others(agreed_on_three):
    reveal()

    page = text(client_of(agreed_on_three).get(address(agreed_on_three)))

    assert "You labeled 4 items in this round. Other raters gave different labels on 1 of them" in page
    # 3 of 4: Wilson 30% to 95%; kappa (0.75 - 0.3125) / (1 - 0.3125).
    assert re.search(r"Rater [AB] 4 3 75% \[30%, 95%\] 0.64 \[0", page)
    assert re.search(r"item-4 Text 4 tone good Rater [AB]: bad different", page)
    assert "item-1" not in page
    assert "item-1" in text(client_of(agreed_on_three).get(address(agreed_on_three) + "?show=all"))


@pytest.mark.parametrize("level", Question.Level.values)
def test_kappa_is_called_unweighted_where_categories_are_ordered(agreed_on_three, level):
    reveal()
    Question.objects.update(level=level)

    page = client_of(agreed_on_three).get(address(agreed_on_three)).content.decode()

    assert ("κ, unweighted</th>" in page) == (level != "nominal")


def test_the_items_lead_to_the_own_places_alone(agreed_on_three):
    reveal()

    for rater in (0, 1):
        page = client_of(agreed_on_three, rater).get(address(agreed_on_three) + "?show=all").content.decode()

        own = Assignment.objects.filter(rater=agreed_on_three.raters[rater]).values_list("pk", flat=True)
        assert {int(pk) for pk in re.findall(r"/label/(\d+)/", page)} == set(own)


def test_the_letters_tell_nothing_of_raters_of_other_rounds(agreed_on_three):
    reveal()
    other = Round.objects.create(project=agreed_on_three.project, key="other", state="open")
    known = {
        "item": agreed_on_three.items[0],
        "question": agreed_on_three.question,
        "category": agreed_on_three.question.categories.first(),
    }
    for number in range(12):
        rater = Rater.objects.create(project=agreed_on_three.project, key=f"r-{number}")
        Label.objects.create(rater=rater, round=other, **known)

    pages = [text(client_of(agreed_on_three, rater).get(address(agreed_on_three))) for rater in (0, 1)]

    assert sorted(set(re.findall(r"Rater ([A-Z])\b", page)).pop() for page in pages) == ["A", "B"]


def test_names_and_notes_stay_hidden(agreed_on_three):
    reveal()

    page = text(client_of(agreed_on_three).get(address(agreed_on_three) + "?show=all"))

    assert "yves" not in page
    assert "for the lead" not in page


def test_a_project_may_show_the_names(agreed_on_three):
    reveal()
    Project.objects.update(shows_names=True)

    assert re.search(r"yves 4 3 75%", text(client_of(agreed_on_three).get(address(agreed_on_three))))


def test_everyone_is_called_the_same_by_everyone(agreed_on_three):
    reveal()
    third = new_rater(agreed_on_three.project)
    Label.objects.create(
        item=agreed_on_three.items[0],
        rater=third,
        question=agreed_on_three.question,
        round=agreed_on_three.round,
        category=agreed_on_three.question.categories.first(),
    )

    names = [
        set(
            re.findall(
                r"Rater [A-Z]\b", text(client_of(agreed_on_three, rater).get(address(agreed_on_three)))
            )
        )
        for rater in (0, 1)
    ]

    assert [len(found) for found in names] == [2, 2]
    assert len(names[0] | names[1]) == 3


def test_the_reference_stays_hidden(agreed_on_three):
    reveal()
    reference = Rater.objects.create(project=agreed_on_three.project, key="gold", kind=Rater.Kind.REFERENCE)
    Label.objects.create(
        item=agreed_on_three.items[0],
        rater=reference,
        question=agreed_on_three.question,
        round=agreed_on_three.round,
        category=agreed_on_three.question.categories.get(key="bad"),
    )

    page = text(client_of(agreed_on_three).get(address(agreed_on_three) + "?show=all"))

    assert page.count("4 3 75%") == 1
    assert "item-1 Text 1 tone good Rater" in page
    assert len(re.findall(r"item-1 Text 1 tone good Rater [A-Z]: good item-2", page)) == 1


def test_cannot_tell_is_shown_and_not_compared(agreed_on_three):
    answer(agreed_on_three, {"tone": Answer(is_abstention=True)}, place=3, rater=1, seen={"tone": 1})
    reveal()

    page = text(client_of(agreed_on_three).get(address(agreed_on_three) + "?show=all"))

    assert re.search(r"Rater [AB] 3 3 100% \[44%, 100%\] 1.00", page)
    assert re.search(r"item-4 Text 4 tone good Rater [AB]: cannot tell", page)


def test_a_look_is_logged(agreed_on_three):
    reveal()

    client_of(agreed_on_three).get(address(agreed_on_three))

    event = Event.objects.get(kind=Event.Kind.LABELS_SEEN)
    assert (event.user_id, event.about) == (agreed_on_three.user().pk, "round 1")


def test_more_items_take_no_more_queries(agreed_on_three, django_assert_max_num_queries):
    reveal()
    client = client_of(agreed_on_three)

    with django_assert_max_num_queries(24):
        client.get(address(agreed_on_three) + "?show=all")


def test_an_item_that_is_still_labeled_elsewhere_stays_hidden(agreed_on_three):
    reveal()
    again = Round.objects.create(project=agreed_on_three.project, key="round 2", state="open")
    Assignment.objects.create(
        rater=agreed_on_three.raters[0], item=agreed_on_three.items[3], round=again, pass_number=2
    )

    page = text(client_of(agreed_on_three).get(address(agreed_on_three) + "?show=all"))

    assert "item-4" not in page
    assert re.search(r"Rater [AB] 3 3 100%", page)
