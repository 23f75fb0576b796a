"""The page of one rater and its API, for whoever sees labels."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse

from projects.models import Item, Round
from raters.models import Assignment, Label, Rater
from tests.finished import finished_report
from tests.labeling import add_labels
from tests.reports.looking import text_of
from tests.reports.numbers_and_sets import add_numbers, add_sets
from tests.reports.pages.rater_page import get, shown
from tests.reports.rated import START


def test_a_lead_sees_everything_of_a_rater(rated_round):
    page = shown(rated_round, "lead")

    assert "ann on tone" in page
    assert "4 raters share items" in page
    assert "ann uses “good” significantly more and “fair” significantly less often than the others" in page
    assert "Agreement changes significantly over time" in page
    assert "Comparison with the reference gold" in page
    assert "all raters" in page
    assert "10 repeats" in page
    assert "Median time per label 6.5 s" in page
    assert "How ann labels items of each estimated true category" in page


def test_others_are_searched_and_sorted(rated_round):
    found = shown(rated_round, "lead", q="MOD")
    named = get(rated_round, "lead", rated_round.address(), sort="name").content.decode()
    none = shown(rated_round, "lead", q="nobody")

    assert re.search(r"Rater κ Agreement Shared items model model \d", found)
    keys = re.findall(r'<th scope="row"><a href="[^"]*/agreement/\d+/\d+/\d+/\d+/">(\w+)</a>', named)
    assert keys == ["bob", "cy", "dee", "model"]
    assert "No rater’s name contains “nobody”" in none


def test_another_can_be_taken_as_right(rated_round):
    page = shown(rated_round, "lead", reference="bob")

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
def test_the_items_behind_a_number(rated_round, query, title, n):
    page = shown(rated_round, "lead", "items/", **query)

    assert title in page
    found = int(re.search(r"(\d+) (item|repeat)s? · ann", page).group(1))
    assert found == n if n is not None else found > 0


def test_the_numbers_of_the_table_are_the_lengths_of_their_lists(rated_round):
    content = get(rated_round, "lead", rated_round.address()).content.decode()
    cells = re.findall(r'<a href="(items/\?[^"]*in=compared)">(?:<b>)?(\d+)(?:<| *<small>)', content)
    cells = [(address.replace("&amp;", "&"), int(n)) for address, n in cells if "repeat" not in address]

    lengths = [
        int(re.search(r"(\d+) items? · ann", shown(rated_round, "lead", address)).group(1))
        for address, _ in cells
    ]

    # Cells and the totals of rows, of columns and of all.
    of_table = [address for address, _ in cells if "row=" in address or "column=" in address]
    assert len(of_table) == 9 + 3 + 3
    assert len(cells) > len(of_table)
    assert lengths == [n for _, n in cells]


def test_figures_of_a_peer_and_of_the_reference_lead_to_their_items(rated_round):
    page = get(rated_round, "lead", rated_round.address())
    content = page.content.decode()

    pair = re.search(r'<a href="([^"]*/items/)">0\.\d+</a><small>', content).group(1)
    assert f'<a href="{pair}?in=agreement">' in content
    rows = page.context["reference"].against.rows
    assert {row.left_address.rpartition("?")[2] for row in rows} == {"one_of=ann&one_of=gold"}


@pytest.mark.parametrize(
    "query", [{"in": "x"}, {"window": "99"}, {"window": "-1"}, {"row": "x"}, {"repeat": "x"}]
)
def test_a_list_that_there_is_not_is_not_found(rated_round, query):
    assert get(rated_round, "lead", rated_round.address(tail="items/"), **query).status_code == 404


def test_a_lead_who_still_labels_an_item_of_the_report_does_not_see_the_list(rated_round):
    round_ = Round.objects.create(project=rated_round.project, key="round 2", state="open")
    item = Item.objects.get(project=rated_round.project, key="item-14")
    mine = Rater.objects.create(project=rated_round.project, key="lena", user=rated_round.users["lead"])
    Assignment.objects.create(rater=mine, item=item, round=round_)

    hidden = get(rated_round, "lead", rated_round.address(tail="items/"))
    Round.objects.filter(pk=round_.pk).update(state="closed")
    listed = get(rated_round, "lead", rated_round.address(tail="items/"))

    assert (hidden.status_code, listed.status_code) == (403, 200)
    assert "item-14" in listed.content.decode()


@pytest.mark.parametrize("file", ["drift.gif", "forest.svg", "drift"])
def test_a_picture_that_there_is_not_is_not_found(rated_round, file):
    assert get(rated_round, "lead", rated_round.address(tail=f"pictures/{file}")).status_code == 404


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
    assert "r0 5 1.375" in overview


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


def test_a_weighted_report_shows_weighted_kappa(client, lead, cats):
    report = finished_report(cats, lead, weights="linear")

    page = text_of(client.get(rater_address(report)))

    assert "Weighted Cohen’s κ with the consensus of the others 0.353" in page
    assert "κ, weighted Agreement Shared items B 0.35" in page
