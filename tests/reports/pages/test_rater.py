"""The page of one rater: for whoever sees labels, and for the rater alone where the lead allows it."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from projects.models import Event, Item, Project, Round
from raters.models import Assignment, Label, Rater
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels
from tests.reports.drawn import words
from tests.reports.looking import text_of
from tests.reports.numbers_and_sets import add_numbers, add_sets
from tests.reports.rated import START, Rated


@pytest.fixture
def allowed(world):
    Project.objects.filter(pk=world.project.pk).update(shows_own_figures=True)
    return world


def get(world: Rated, who: str, address: str, **query):
    client = Client()
    client.force_login(world.users[who])
    return client.get(address, query)


def shown(world: Rated, who: str, tail: str = "", rater: str = "ann", **query) -> str:
    response = get(world, who, world.address(rater, tail), **query)
    assert response.status_code == 200
    return text_of(response)


def test_a_lead_sees_everything_of_a_rater(world):
    page = shown(world, "lead")

    assert "ann on tone" in page
    assert "4 raters share items" in page
    assert "ann uses “good” significantly more and “fair” significantly less often than the others" in page
    assert "Agreement changes significantly over time" in page
    assert "Comparison with the reference gold" in page
    assert "all raters" in page
    assert "10 repeats" in page
    assert "Median time per label 6.5 s" in page
    assert "How ann labels items of each estimated true category" in page


def test_others_are_searched_and_sorted(world):
    found = shown(world, "lead", q="MOD")
    named = get(world, "lead", world.address(), sort="name").content.decode()
    none = shown(world, "lead", q="nobody")

    assert re.search(r"Rater κ Agreement Shared items model model \d", found)
    keys = re.findall(r'<th scope="row"><a href="[^"]*/agreement/\d+/\d+/\d+/\d+/">(\w+)</a>', named)
    assert keys == ["bob", "cy", "dee", "model"]
    assert "No rater’s name contains “nobody”" in none


def test_another_can_be_taken_as_right(world):
    page = shown(world, "lead", reference="bob")

    assert "Comparison with the reference bob" in page
    assert "Accuracy of ann, with bob as the reference" in page


@pytest.mark.parametrize(
    ("query", "title", "n"),
    [
        ({}, "All labeled items", 60),
        ({"in": "dispute"}, "Items where the label differs from most others", None),
        ({"in": "agreement", "window": 1}, "Items where the label matches most others, of window 1", None),
        ({"row": "good", "column": "fair"}, "Items labeled “good”, with “fair” as the other answer", None),
        ({"repeat": "all"}, "Items labeled twice", 10),
        ({"repeat": "changed"}, "Items labeled differently the second time", 3),
        ({"in": "alone"}, "Items that no one else labeled", 0),
    ],
)
def test_the_items_behind_a_number(world, query, title, n):
    page = shown(world, "lead", "items/", **query)

    assert title in page
    found = int(re.search(r"(\d+) (item|repeat)s? · ann", page).group(1))
    assert found == n if n is not None else found > 0


def test_the_numbers_of_the_table_are_the_lengths_of_their_lists(world):
    content = get(world, "lead", world.address()).content.decode()
    cells = re.findall(r'<a href="(items/\?[^"]*in=compared)">(?:<b>)?(\d+)(?:<| *<small>)', content)
    cells = [(address.replace("&amp;", "&"), int(n)) for address, n in cells if "repeat" not in address]

    lengths = [
        int(re.search(r"(\d+) items? · ann", shown(world, "lead", address)).group(1)) for address, _ in cells
    ]

    # Cells and the totals of rows, of columns and of all.
    of_table = [address for address, _ in cells if "row=" in address or "column=" in address]
    assert len(of_table) == 9 + 3 + 3
    assert len(cells) > len(of_table)
    assert lengths == [n for _, n in cells]


def test_figures_of_a_peer_and_of_the_reference_lead_to_their_items(world):
    page = get(world, "lead", world.address())
    content = page.content.decode()

    pair = re.search(r'<a href="([^"]*/items/)">0\.\d+</a><small>', content).group(1)
    assert f'<a href="{pair}?in=agreement">' in content
    rows = page.context["reference"].against.rows
    assert {row.left_address.rpartition("?")[2] for row in rows} == {"one_of=ann&one_of=gold"}


@pytest.mark.parametrize(
    "query", [{"in": "x"}, {"window": "99"}, {"window": "-1"}, {"row": "x"}, {"repeat": "x"}]
)
def test_a_list_that_there_is_not_is_not_found(world, query):
    assert get(world, "lead", world.address(tail="items/"), **query).status_code == 404


@pytest.mark.parametrize("tail", ["", "items/", "items/?in=dispute"])
def test_a_rater_sees_the_own_page_only_if_the_lead_allows_it(world, tail):
    before = get(world, "ann", world.address(tail=tail)).status_code
    Project.objects.filter(pk=world.project.pk).update(shows_own_figures=True)
    after = [
        get(world, who, world.address(tail=tail)).status_code for who in ("ann", "bob", "lead", "auditor")
    ]
    others = get(world, "ann", world.address("bob", tail)).status_code

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


def test_a_lead_who_still_labels_an_item_of_the_report_does_not_see_the_list(world):
    round_ = Round.objects.create(project=world.project, key="round 2", state="open")
    item = Item.objects.get(project=world.project, key="item-14")
    mine = Rater.objects.create(project=world.project, key="lena", user=world.users["lead"])
    Assignment.objects.create(rater=mine, item=item, round=round_)

    hidden = get(world, "lead", world.address(tail="items/"))
    Round.objects.filter(pk=round_.pk).update(state="closed")
    listed = get(world, "lead", world.address(tail="items/"))

    assert (hidden.status_code, listed.status_code) == (403, 200)
    assert "item-14" in listed.content.decode()


@pytest.mark.parametrize(("file", "kind"), [("drift.svg", "image/svg+xml"), ("drift.png", "image/png")])
def test_the_picture_is_saved_by_whoever_may_see_it(world, file, kind):
    address = world.address(tail=f"pictures/{file}")
    before = get(world, "ann", address).status_code
    Project.objects.filter(pk=world.project.pk).update(shows_own_figures=True)

    answers = {who: get(world, who, address) for who in ("ann", "bob", "auditor")}

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


@pytest.mark.parametrize("file", ["drift.gif", "forest.svg", "drift"])
def test_a_picture_that_there_is_not_is_not_found(world, file):
    assert get(world, "lead", world.address(tail=f"pictures/{file}")).status_code == 404


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


def test_the_pages_of_raters_are_linked(allowed):
    slug, report, question = allowed.project.slug, allowed.report.pk, allowed.question.pk
    address = allowed.address()

    for who, name, args in (
        ("lead", "progress", [slug]),
        ("lead", "report_question", [slug, report, question]),
        ("lead", "report_raters", [slug, report, question]),
        ("ann", "revealed", [slug, allowed.round.pk]),
    ):
        assert f'href="{address}"' in get(allowed, who, reverse(name, args=args)).content.decode()


def test_without_the_setting_the_revealed_round_has_no_link(world):
    page = get(world, "ann", reverse("revealed", args=[world.project.slug, world.round.pk]))

    assert world.address() not in page.content.decode()


def test_the_api_gives_the_figures_of_the_page(allowed):
    lead, own = (get(allowed, who, allowed.api()).json() for who in ("lead", "ann"))

    assert (lead["rater"], lead["is_own"], own["is_own"]) == ("ann", False, True)
    assert lead["consensus"]["reason"] is None
    assert (
        lead["reference"]["values"]["accuracy"]["value"] == lead["reference"]["values"]["accuracy"]["value"]
    )
    assert lead["consensus"] == own["consensus"]
    assert own["dawid_skene"]["reason"] == "hidden"
    assert lead["drift"]["windows"][0]["from"].startswith("2026-03-02T09:")


def test_the_api_refuses_a_reference_that_it_does_not_know(allowed):
    assert get(allowed, "lead", allowed.api(), reference="nobody").status_code == 400
    assert get(allowed, "ann", allowed.api(), reference="gold").status_code == 400
    assert get(allowed, "lead", allowed.api(), reference="bob").json()["reference"]["reference"] == "bob"


def test_more_raters_and_items_take_no_more_queries(client, lead, own_cats, django_assert_max_num_queries):
    rows = [
        (f"item-{n:05}", f"more-{r}", "cat" if (n + r) % 5 else "dog") for n in range(51) for r in range(9)
    ]
    few = finished_report(own_cats, lead)
    add_labels(own_cats.questions.get(), rows)
    many = finished_report(own_cats, lead)

    for report in (few, many):
        agreement = report.questions.get()
        args = [own_cats.slug, report.pk, agreement.question_id, agreement.raters[0]["id"]]
        for name in ("report_rater", "report_rater_items"):
            client.get(reverse(name, args=args))
            with django_assert_max_num_queries(24):
                assert client.get(reverse(name, args=args)).status_code == 200


def rater_address(report, place: int = 0, tail: str = "") -> str:
    agreement = report.questions.get()
    args = [report.project.slug, report.pk, agreement.question_id, agreement.raters[place]["id"]]
    return reverse("report_rater", args=args) + tail


def test_numbers_are_compared_with_the_mean_of_the_others(client, lead, numbers):
    add_numbers(numbers, [(1, 2, 4), (2, 2, 3), (5, 4, 5), (9, 6, 7), (3, None, None)])
    report = finished_report(numbers.project, lead)

    page = text_of(client.get(rater_address(report)))
    listed = text_of(client.get(rater_address(report, tail="items/?in=compared")))
    overview = text_of(client.get(rater_address(report).rsplit("/", 2)[0] + "/"))

    # r0 less the means 3, 2.5, 4.5 and 6.5: -2, -0.5, 0.5, 2.5.
    assert "The consensus on an item is the mean of the other raters’ numbers" in page
    assert re.search(r"Bias 0\.125 ", page)
    assert (
        "On average, the numbers of r0 are 0.125 higher than the mean of the others, over the 4 items" in page
    )
    assert "Available for single-choice questions only." in page
    assert re.search(r"i003 9 6\.5 .*i000 1 3 ", listed)
    assert "r0 5 r1 4 r2 4" in overview


def test_the_difference_to_another_is_seen_from_the_rater(client, lead, numbers):
    add_numbers(numbers, [(1, 2), (2, 4), (5, 6)])
    report = finished_report(numbers.project, lead)

    first, second = (client.get(rater_address(report, place)) for place in (0, 1))

    assert "−1.333" in text_of(first)
    assert re.search(r'<a href="/p/[^"]*/#items">−1\.333</a>', first.content.decode())
    assert re.search(r"[^−]1\.333", text_of(second))


def test_sets_are_compared_with_what_most_others_chose(client, lead, sets):
    rows = [("A", "A", "A"), ("AB", "A", "AB"), ("C", "B", "B"), ("", "", "A")]
    add_sets(sets, rows * 3)
    report = finished_report(sets.project, lead)

    page = text_of(client.get(rater_address(report)))
    listed = text_of(client.get(rater_address(report, tail="items/?in=dispute")))
    with_c = text_of(client.get(rater_address(report, tail="items/?row=C")))

    assert "chooses exactly the same categories" in page
    assert "Use of the categories" in page
    # AB where the other two have A in common, and C where they say B.
    assert "6 items · r0" in listed
    assert "3 items · r0" in with_c


def test_numbers_over_time_are_drawn_on_an_axis_of_their_own(client, lead, numbers):
    add_numbers(numbers, [(place / 10, 2, 3) for place in range(45)])
    for place, pk in enumerate(
        Item.objects.filter(project=numbers.project).order_by("key").values_list("pk")
    ):
        Label.objects.filter(item=pk).update(labelled_at=START + timedelta(hours=place))
    report = finished_report(numbers.project, lead)

    response = client.get(rater_address(report))

    page = text_of(response)
    # The first 22 of 0 to 4.4 in tenths have the mean 1.05, the others 3.3, less 2.5.
    assert re.search(r"1 2 Mar 2026, 09:00 .* 22 −1\.45 .* 2 3 Mar 2026, 07:00 .* 23 0\.8 ", page)
    assert "The difference from the others’ mean changes significantly over time" in page
    assert '<svg class="picture timeline"' in response.content.decode()


def test_a_report_of_a_round_that_is_not_revealed_opens_no_own_page(allowed):
    other = Round.objects.create(project=allowed.project, key="other", state="closed")
    Label.objects.filter(rater=allowed.ann, pass_number=2).update(round=other)
    codebook = allowed.report.codebook | {"rounds": [{"id": other.pk, "key": "other"}]}
    type(allowed.report).objects.filter(pk=allowed.report.pk).update(codebook=codebook)

    assert get(allowed, "ann", allowed.address()).status_code == 404
    assert get(allowed, "lead", allowed.address()).status_code == 200


def test_a_weighted_report_shows_weighted_kappa(client, lead, cats):
    report = finished_report(cats, lead, weights="linear")

    page = text_of(client.get(rater_address(report)))

    assert "Cohen’s κ, weighted with the consensus of the others 0.353" in page
    assert "κ, weighted Agreement Shared items B 0.35" in page
