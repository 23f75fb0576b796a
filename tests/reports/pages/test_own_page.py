"""The page of a rater for the rater alone, where the lead allows it: what opens it, and what it keeps hidden."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from projects.models import Event, Item, Project, Round
from raters.models import Assignment, Label
from tests import cast
from tests.reports.drawn import words
from tests.reports.pages.rater_page import get, shown


@pytest.mark.parametrize("tail", ["", "items/", "items/?in=dispute"])
def test_a_rater_sees_the_own_page_only_if_the_lead_allows_it(rated_round, tail):
    before = get(rated_round, "ann", rated_round.address(tail=tail)).status_code
    Project.objects.filter(pk=rated_round.project.pk).update(shows_own_figures=True)
    after = [
        get(rated_round, who, rated_round.address(tail=tail)).status_code
        for who in ("ann", "bob", "lead", "auditor")
    ]
    others = get(rated_round, "ann", rated_round.address("bob", tail)).status_code

    assert (before, after, others) == (404, [200, 404, 200, 200], 404)


def test_a_stranger_and_one_who_left_see_nothing(allowed):
    client = Client()
    client.force_login(cast.person("stella", unique=True))
    stranger = client.get(allowed.address()).status_code
    allowed.project.memberships.filter(user=allowed.users["ann"]).delete()

    assert (stranger, get(allowed, "ann", allowed.address()).status_code) == (404, 404)


@pytest.mark.parametrize("state", ["draft", "open", "closed"])
def test_before_the_reveal_the_own_page_does_not_exist(allowed, state):
    Round.objects.filter(pk=allowed.round.pk).update(state=state, revealed_at=None)

    assert get(allowed, "ann", allowed.address()).status_code == 404
    assert get(allowed, "ann", allowed.address(tail="items/")).status_code == 404
    assert get(allowed, "ann", allowed.api()).status_code == 404


def test_a_round_that_the_report_is_not_about_opens_no_page(allowed):
    later = Round.objects.create(
        project=allowed.project, key="later", state="closed", revealed_at="2026-05-01T00:00Z"
    )
    Label.objects.filter(rater=allowed.ann, pass_number=2).update(round=later)
    Round.objects.filter(pk=allowed.round.pk).update(revealed_at=None)

    page = shown(allowed, "ann")

    # The report saw no label in the later round.
    assert "0 items labeled" in page
    assert "Rater A" not in page


def test_the_own_page_names_nobody_and_tells_nothing_of_the_reference(allowed):
    Project.objects.filter(pk=allowed.project.pk).update(shows_names=True)

    pages = [
        get(allowed, "ann", allowed.address(tail=tail)).content.decode()
        for tail in ("", "?reference=gold", "items/", "items/?in=dispute")
    ]
    pages.append(get(allowed, "ann", allowed.api()).content.decode())

    for page in pages:
        words = set(re.findall(r"[a-z]+", re.sub(r"<[^>]*>", " ", page)))
        assert not words & {"bob", "cy", "dee", "gold"}
    assert "Rater A" in pages[0]
    assert "Comparison with the reference" not in pages[0]
    assert "all raters" not in pages[0]
    assert "estimated true category" not in pages[0]


def test_items_that_the_rater_still_labels_stay_hidden(allowed):
    whole = shown(allowed, "ann")
    again = Round.objects.create(project=allowed.project, key="round 2", state="open")
    item = Item.objects.get(project=allowed.project, key="item-14")
    Assignment.objects.create(rater=allowed.ann, item=item, round=again, pass_number=3)

    page = shown(allowed, "ann")
    listed = shown(allowed, "ann", "items/?page=1")
    lead = shown(allowed, "lead", "items/")

    assert "60 items labeled" in whole
    assert "59 items labeled" in page
    assert ("item-13" in listed, "item-14" in listed) == (True, False)
    assert "item-14" in lead


@pytest.mark.parametrize(("file", "kind"), [("drift.svg", "image/svg+xml"), ("drift.png", "image/png")])
def test_the_picture_is_saved_by_anyone_who_may_see_it(rated_round, file, kind):
    address = rated_round.address(tail=f"pictures/{file}")
    before = get(rated_round, "ann", address).status_code
    Project.objects.filter(pk=rated_round.project.pk).update(shows_own_figures=True)

    answers = {who: get(rated_round, who, address) for who in ("ann", "bob", "auditor")}

    assert (before, answers["bob"].status_code) == (404, 404)
    for who in ("ann", "auditor"):
        assert answers[who]["Content-Type"].startswith(kind)
        assert "tone-ann-drift" in answers[who]["Content-Disposition"]


def test_the_use_of_categories_is_saved_by_those_who_see_everybody(allowed):
    answers = {
        who: get(allowed, who, allowed.address(tail="pictures/distribution.svg")) for who in ("ann", "lead")
    }

    assert answers["ann"].status_code == 404
    assert {"all raters", "ann"} <= {*words(answers["lead"].content)}


def test_a_look_of_the_rater_is_logged(allowed):
    shown(allowed, "ann", "items/")

    looks = Event.objects.filter(kind=Event.Kind.LABELS_SEEN, user_id=allowed.users["ann"].pk)
    assert [look.about for look in looks] == ["items of a rater"]
    assert looks[0].detail.keys() == {"report", "question", "rater"}


def test_the_own_items_lead_to_the_own_places(allowed):
    place = Assignment.objects.filter(rater=allowed.ann).first()
    other = allowed.project.raters.exclude(pk=allowed.ann.pk).first()
    theirs, _ = Assignment.objects.get_or_create(rater=other, item=place.item, round=place.round)

    page = get(allowed, "ann", allowed.address(tail="items/")).content.decode()

    assert reverse("label_item", args=[allowed.project.slug, place.pk]) in page
    assert reverse("label_item", args=[allowed.project.slug, theirs.pk]) not in page
    assert reverse("item", args=[allowed.project.slug, place.item_id]) not in page


def test_without_the_setting_the_revealed_round_has_no_link(rated_round):
    page = get(rated_round, "ann", reverse("revealed", args=[rated_round.project.slug, rated_round.round.pk]))

    assert rated_round.address() not in page.content.decode()


def test_a_report_of_a_round_that_is_not_revealed_opens_no_own_page(allowed):
    other = Round.objects.create(project=allowed.project, key="other", state="closed")
    Label.objects.filter(rater=allowed.ann, pass_number=2).update(round=other)
    codebook = allowed.report.codebook | {"rounds": [{"id": other.pk, "key": "other"}]}
    type(allowed.report).objects.filter(pk=allowed.report.pk).update(codebook=codebook)

    assert get(allowed, "ann", allowed.address()).status_code == 404
    assert get(allowed, "lead", allowed.address()).status_code == 200
