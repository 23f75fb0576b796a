"""The pages of adjudication as plain forms, without scripts."""

import re

import pytest
from django.test import Client

from core.numbers import letters
from projects.models import Event, Project, Question, Round
from raters.adjudication.cases import names_of
from raters.adjudication.deciding import NewDecision, current_decision, decide
from raters.labeling.answers import Answer
from raters.models import Assignment, Label, Rater
from tests import cast
from tests.labeling import new_question

pytestmark = pytest.mark.signed_in("adjudicator")


def address(item, question, more=""):
    return f"/p/{item.project.slug}/adjudicate/{item.pk}/{question.pk}/{more}"


def text(response) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", response.content.decode()).split())


def form(question, category="good", *, revision=0, **more):
    return {
        "decision": f"category-{question.categories.get(key=category).pk}",
        "revision": str(revision),
        "reason": "",
        **more,
    }


def test_the_list_shows_disputes_and_how_far_it_has_come(
    client, project, disputed, disputed_tone, adjudicator
):
    decide(
        disputed[2], disputed_tone, NewDecision(Answer(category="bad"), "Rater slip"), seen=0, by=adjudicator
    )

    page = text(client.get(f"/p/{project.slug}/adjudicate/"))

    assert "2 disputes · 1 resolved · 1 open" in page
    assert re.search(r"item-2 tone \w+ 2, \w+ 1 3", page)
    assert "Entropy" not in page
    decided = text(client.get(f"/p/{project.slug}/adjudicate/?state=decided"))
    assert re.search(r"item-3 tone bad Rater slip ada", decided)


@pytest.mark.parametrize("query", ["question=0", "question=x", "round=17", "state=lost"])
def test_an_invalid_filter_is_not_found(client, project, disputed, query):
    assert client.get(f"/p/{project.slug}/adjudicate/?{query}").status_code == 404


def test_the_next_one_is_the_most_disputed(client, project, disputed, disputed_tone):
    response = client.get(f"/p/{project.slug}/adjudicate/next/?question={disputed_tone.pk}")

    assert response["Location"] == address(disputed[2], disputed_tone, f"?question={disputed_tone.pk}")


def test_a_decision_leads_to_the_next_item_at_once(client, disputed, disputed_tone):
    response = client.post(
        address(disputed[2], disputed_tone),
        form(disputed_tone, "fair", reason="Guideline gap", note="A\r\nB", for_guidelines="on"),
        follow=True,
    )

    assert response.redirect_chain == [(address(disputed[1], disputed_tone), 302)]
    assert "Saved the decision on item-3: fair." in text(response)
    now = current_decision(disputed[2], disputed_tone)
    assert (now.label.category.key, now.label.reason, now.label.note) == ("fair", "Guideline gap", "A\nB")
    assert now.is_for_guidelines


def test_what_was_skipped_is_still_open_after_the_last_one(client, disputed, disputed_tone):
    # The order is known from the page before, and the first of the two was skipped.
    client.get(address(disputed[1], disputed_tone))
    response = client.post(address(disputed[1], disputed_tone), form(disputed_tone), follow=True)

    assert "1 dispute is still open." in text(response)


def test_after_the_last_one_comes_the_list(client, project, disputed, disputed_tone):
    client.post(address(disputed[2], disputed_tone), form(disputed_tone))

    response = client.post(address(disputed[1], disputed_tone), form(disputed_tone), follow=True)

    assert response.redirect_chain == [(f"/p/{project.slug}/adjudicate/", 302)]
    assert "All disputes are resolved." in text(response)
    assert "All disputes are resolved" in text(response)


def test_the_second_adjudicator_sees_the_decision_and_keeps_their_choice(
    client, disputed, disputed_tone, other_adjudicator
):
    decide(disputed[2], disputed_tone, NewDecision(Answer(category="bad")), seen=0, by=other_adjudicator)

    response = client.post(address(disputed[2], disputed_tone), form(disputed_tone, "fair", note="Mine."))

    page = text(response)
    assert response.status_code == 409
    assert "This was decided by abe since you opened it." in page
    assert "Current decision: bad" in page
    assert "Mine." in page
    fair = disputed_tone.categories.get(key="fair").pk
    assert re.search(rf'value="category-{fair}"[^>]*checked', response.content.decode())
    assert 'name="revision" value="1"' in response.content.decode()


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({}, "Give one answer"),
        ({"decision": "category-1"}, "has no category"),
        ({"decision": "category-x"}, "has no category"),
        ({"decision": "set-1"}, "Give one answer"),
        ({"decision": "cannot-tell"}, "Choose a reason"),
        ({"decision": "cannot-tell", "reason": "Mood"}, "Choose a reason from the list"),
    ],
)
def test_an_invalid_decision_is_reported_and_nothing_saved(client, disputed, disputed_tone, sent, sentence):
    response = client.post(address(disputed[2], disputed_tone), {"revision": "0", **sent})

    assert response.status_code == 400
    assert sentence in text(response)
    assert current_decision(disputed[2], disputed_tone).label is None


def test_a_set_is_adopted_or_put_together(client, project, disputed):
    many = new_question(project, key="many", kind="multiple", categories=("a", "b", "c"))
    first, second, third = (many.categories.get(key=key).pk for key in "abc")
    for rater, chosen in (("ann", []), ("bob", sorted([first, second]))):
        Label.objects.create(
            item=disputed[0], question=many, rater=Rater.objects.get(key=rater), category_set=chosen
        )
    page = client.get(address(disputed[0], many)).content.decode()

    client.post(address(disputed[0], many), {"decision": "set-", "revision": "0"})
    empty = current_decision(disputed[0], many).label.category_set
    client.post(
        address(disputed[0], many),
        {
            "decision": "other",
            "other_category": [str(third), str(first)],
            "revision": "1",
            "reason": "Rater slip",
        },
    )

    assert f'value="set-{first}.{second}"' in page
    assert empty == []
    assert current_decision(disputed[0], many).label.category_set == sorted([first, third])


def test_none_of_these_is_offered_and_an_empty_choice_is_refused(client, project, disputed):
    many = new_question(project, key="many", kind="multiple", categories=("a", "b"))
    for rater, key in (("ann", "a"), ("bob", "b")):
        Label.objects.create(
            item=disputed[0],
            question=many,
            rater=Rater.objects.get(key=rater),
            category_set=[many.categories.get(key=key).pk],
        )
    page = client.get(address(disputed[0], many)).content.decode()
    sent = {"revision": "0", "reason": "Rater slip"}

    nothing = client.post(address(disputed[0], many), {"decision": "other", **sent})
    untouched = client.post(address(disputed[0], many), sent)
    client.post(address(disputed[0], many), {"decision": "set-", **sent})

    assert "None of these</span>" in page
    assert (nothing.status_code, untouched.status_code) == (400, 400)
    assert "Choose at least one category for “many”, or choose “None of these”." in text(nothing)
    assert current_decision(disputed[0], many).label.category_set == []


@pytest.mark.parametrize(("sent", "number"), [("number-2.5", 2.5), ("other", -0.5)])
def test_a_number_is_adopted_or_written(client, project, disputed, sent, number):
    size = Question.objects.create(project=project, key="size", kind="number")
    for rater, value in (("ann", 2.5), ("bob", 3.0)):
        Label.objects.create(
            item=disputed[0], question=size, rater=Rater.objects.get(key=rater), number=value
        )

    client.post(
        address(disputed[0], size),
        {"decision": sent, "other_number": "−0,5", "revision": "0", "reason": "Rater slip"},
    )

    assert current_decision(disputed[0], size).label.number == number


def test_an_invalid_number_is_refused_by_name(client, project, disputed):
    size = Question.objects.create(project=project, key="size", kind="number")

    response = client.post(
        address(disputed[0], size), {"decision": "other", "other_number": "ten", "revision": "0"}
    )

    assert response.status_code == 400
    assert "“ten” is not a number" in text(response)


def test_a_decision_is_withdrawn(client, disputed, disputed_tone, adjudicator):
    decide(disputed[2], disputed_tone, NewDecision(Answer(category="bad")), seen=0, by=adjudicator)

    response = client.post(address(disputed[2], disputed_tone, "withdraw/"), {"revision": "1"}, follow=True)

    assert "Withdrew the decision on item-3." in text(response)
    assert "Earlier decisions (2)" in text(response)
    assert current_decision(disputed[2], disputed_tone).label is None


def test_withdrawing_what_was_revised_says_so(client, disputed, disputed_tone, other_adjudicator):
    decide(disputed[2], disputed_tone, NewDecision(Answer(category="bad")), seen=0, by=other_adjudicator)

    response = client.post(address(disputed[2], disputed_tone, "withdraw/"), {"revision": "0"}, follow=True)

    assert "This was decided by abe since you opened it." in text(response)
    assert current_decision(disputed[2], disputed_tone).revision == 1


def test_a_closed_project_says_so(client, disputed, disputed_tone, project):
    Project.objects.filter(pk=project.pk).update(state=Project.State.CLOSED)

    response = client.post(address(disputed[2], disputed_tone), form(disputed_tone))

    assert response.status_code == 409
    assert "This project is closed" in text(response)


def test_names_are_hidden_unless_the_project_shows_them(client, disputed, disputed_tone, project):
    hidden = text(client.get(address(disputed[1], disputed_tone)))
    Project.objects.filter(pk=project.pk).update(adjudicators_see_names=True)
    shown = text(client.get(address(disputed[1], disputed_tone)))

    assert "Surely." in hidden
    assert not re.search(r"\b(ann|bob|cem)\b", hidden)
    assert all(f"Rater {letter}" in hidden for letter in "ABC")
    assert {"ann", "bob", "cem"} <= set(re.findall(r"\w+", shown))


def test_the_letter_of_a_rater_changes_from_item_to_item(say, project, disputed_tone):
    raters = [Rater.objects.create(project=project, key=f"r{n}") for n in range(6)]
    labels = [say(f"item-{n}", "r0", "good") for n in range(8)]

    orders = {tuple(names_of(project, label.item, raters).values()) for label in labels}

    assert len(orders) > 1
    assert all(sorted(order) == [f"Rater {letter}" for letter in "ABCDEF"] for order in orders)


@pytest.mark.parametrize(("place", "name"), [(0, "A"), (25, "Z"), (26, "AA"), (51, "AZ"), (702, "AAA")])
def test_letters_never_run_out(place, name):
    assert letters(place) == name


def test_the_reference_is_named_and_comes_last(client, say, disputed, disputed_tone):
    say("item-2", "gold", "fair", kind=Rater.Kind.REFERENCE)

    page = text(client.get(address(disputed[1], disputed_tone)))

    assert re.search(r"Rater C .* Reference fair", page)
    assert "gold" not in page


@pytest.mark.parametrize("more", ["", "whole"])
def test_the_reference_is_shown_only_to_those_who_ask(client, say, disputed, disputed_tone, more):
    """Its answer is in a closed part of the page, and neither a choice of its own nor the final label in words."""
    say("item-2", "gold", "fair", kind=Rater.Kind.REFERENCE)
    at = f"/p/{disputed[1].project.slug}/adjudicate/items/{disputed[1].pk}/" if more else ""
    page = client.get(at or address(disputed[1], disputed_tone)).content.decode()
    closed = re.search(r"<details data-references>.*?</details>", page, re.DOTALL)

    assert "Reference" in closed[0]
    assert "fair" in closed[0]
    rest = page.replace(closed[0], "")
    assert ">Reference<" not in rest
    # Only as the category that no rater gave.
    fair = disputed_tone.categories.get(key="fair").pk
    assert rest.index('class="other-decision"') < rest.index(f'value="category-{fair}"')
    assert not re.search(r"<b>fair|now: *fair|fair \(reference", rest)


def test_who_labels_an_item_may_not_adjudicate_it_until_the_round_is_closed(
    client, disputed, disputed_tone, project, adjudicator
):
    mine = Rater.objects.create(project=project, key="ada", user=adjudicator)
    open_round = Round.objects.create(project=project, key="round 2", state=Round.State.OPEN)
    Assignment.objects.create(item=disputed[2], round=open_round, rater=mine)

    page = client.get(f"/p/{project.slug}/adjudicate/")
    item = client.get(address(disputed[2], disputed_tone))
    decision = client.post(address(disputed[2], disputed_tone), form(disputed_tone))
    following = client.get(f"/p/{project.slug}/adjudicate/next/")
    Round.objects.update(state=Round.State.CLOSED)

    assert "assignments in round 2" in text(page)
    assert "item-3" not in text(page)
    assert (item.status_code, decision.status_code) == (403, 403)
    assert "assignments in round 2" in text(item)
    assert following["Location"] == address(disputed[1], disputed_tone)
    assert client.get(address(disputed[2], disputed_tone)).status_code == 200


def test_every_look_of_one_who_also_rates_is_logged(client, disputed, disputed_tone, project, adjudicator):
    mine = Rater.objects.create(project=project, key="ada", user=adjudicator)
    Label.objects.create(
        item=disputed[0], question=disputed_tone, rater=mine, category=disputed_tone.categories.first()
    )

    client.get(f"/p/{project.slug}/adjudicate/")
    client.get(address(disputed[2], disputed_tone))
    client.get(f"/p/{project.slug}/items/final/")

    looks = Event.objects.filter(kind=Event.Kind.LABELS_SEEN, project_id=project.pk).order_by("id")
    assert [(look.user_name, look.about) for look in looks] == [
        ("ada", "disputes"),
        ("ada", "item-3"),
        ("ada", "final labels"),
    ]


@pytest.mark.parametrize("way", ["page", "api"])
def test_the_item_and_its_history_hide_names_from_adjudicators_alone(
    client, project, disputed, disputed_tone, adjudicator, lead, way
):
    decide(disputed[1], disputed_tone, NewDecision(Answer(category="good")), seen=0, by=adjudicator)
    names = re.compile(r"\b(ann|bob|cem)\b")
    page, api = (f"/p/{project.slug}/items/{disputed[1].pk}/", "history/")
    at = page if way == "page" else f"/api/v1{page.replace('/p/', '/projects/')}{api}"
    hidden = client.get(at).content.decode()
    of_lead = Client()
    of_lead.force_login(lead)
    Project.objects.filter(pk=project.pk).update(adjudicators_see_names=True)
    shown = client.get(at).content.decode()
    Project.objects.filter(pk=project.pk).update(adjudicators_see_names=False)

    assert not names.search(hidden)
    assert all(f"Rater {letter}" in hidden for letter in "ABC")
    # Who decided is no secret.
    assert "ada" in hidden
    assert names.search(shown)
    assert names.search(of_lead.get(at).content.decode())


def test_pages_say_that_models_count_like_people(client, project, say, disputed, disputed_tone, lead):
    root, item, question = f"/p/{project.slug}", disputed[1], disputed_tone.pk
    pages = {
        f"{root}/adjudicate/": client,
        f"{root}/adjudicate/bulk/": client,
        f"{root}/adjudicate/items/{item.pk}/": client,
        address(item, disputed_tone): client,
        f"{root}/items/final/": client,
        f"{root}/items/final/rules/{question}/": cast.signed_in(lead),
    }
    without = [which.get(at).content.decode() for at, which in pages.items()]
    say("item-2", "gpt", "bad", kind=Rater.Kind.MODEL)
    say("item-2", "gold", "bad", kind=Rater.Kind.REFERENCE)
    counted = [which.get(at).context["voters"] for at, which in pages.items()]

    assert not any("data-voters" in page for page in without)
    assert {found.words for found in counted} == {"3 people and 1 model"}
    assert all("data-voters" in which.get(at).content.decode() for at, which in pages.items())
    assert "5 labels" not in (shown := text(client.get(f"{root}/items/{item.pk}/")))
    assert "4 labels by 3 people and 1 model" in shown
