"""Pictures as files of their own, the bars of the raters, and their network."""

import re
from functools import cache

import pytest
from django.urls import reverse

from core.templatetags.shown import in_percent
from projects.models import Event, Question
from reports.drawing import typeset
from reports.drawing.palette import (
    ORDERED,
    contrast,
    ink_on,
    named_colors,
    ordered_colors,
    other_color,
)
from reports.drawing.vega import svg_of
from reports.pictures import network_plot as network_page
from reports.pictures.bars import bars_of
from reports.pictures.network_plot import groups_of, network_of, usual_cut
from reports.pictures.spots import HEIGHT, WIDTH, AgreementLink, on_paper, spread
from reports.results.question_pairs import Pair
from reports.store.agreements import ReportRater
from reports.store.stored_result import StoredResult
from tests import cast
from tests.finished import World, finished_report, new_world
from tests.labeling import add_labels, from_table, new_question
from tests.reports.drawn import box, marks, parsed, words
from tests.reports.looking import led_by, text_of
from tests.reports.numbers_and_sets import add_numbers


@cache
def drawn() -> World:
    """Made once: no test of this module changes it."""
    return new_world("drawn", n_raters=5)


@pytest.fixture
def drawn_report(lead):
    led_by(lead, drawn().project)
    return drawn().report


def picture_of(client, report, file, pair=False, **query):
    agreement = report.questions.first()
    args = [report.project.slug, report.pk, agreement.question_id]
    if pair:
        two = agreement.pairs.first()
        args += [two.rater_a_id, two.rater_b_id]
    return client.get(reverse("pair_picture" if pair else "report_picture", args=[*args, file]), query)


def network_of_report(client, report, **query):
    args = [report.project.slug, report.pk, report.questions.first().question_id]
    return client.get(reverse("report_network", args=args), query)


@pytest.mark.parametrize(
    ("file", "pair"),
    [("forest.svg", False), ("distribution.svg", False), ("network.svg", False), ("prevalence.svg", True)],
)
def test_a_picture_is_a_file_with_its_own_colors_and_title(client, drawn_report, file, pair):
    answer = picture_of(client, drawn_report, file, pair)

    assert answer["Content-Type"] == "image/svg+xml; charset=utf-8"
    assert re.match(r'attachment; filename="drawn-.*\.svg"', answer["Content-Disposition"])
    title, about = words(answer.content)[-2:]
    assert title
    assert f"report {drawn_report.pk} of" in about
    assert re.findall(r"var\(|href|style=|inherit", answer.content.decode()) == []


def test_the_forest_of_a_file_has_the_pairs_of_the_page(client, drawn_report):
    whole, one = (
        picture_of(client, drawn_report, "forest.svg", **query).content.decode()
        for query in ({}, {"q": "rater-004"})
    )

    assert (len(marks(whole, "dots")), len(marks(one, "dots"))) == (10, 4)
    assert "AC1" in picture_of(client, drawn_report, "forest.svg", coefficient="gwet_ac1").content.decode()


@pytest.mark.parametrize(("file", "pair"), [("forest.png", False), ("prevalence.png", True)])
def test_a_picture_is_saved_as_png_with_two_dots_to_each_unit(client, drawn_report, file, pair):
    answer = picture_of(client, drawn_report, file, pair)

    assert answer["Content-Type"] == "image/png"
    assert answer.content.startswith(b"\x89PNG\r\n")
    width = int.from_bytes(answer.content[16:20], "big")
    svg = picture_of(client, drawn_report, file.replace("png", "svg"), pair).content
    assert width == pytest.approx(2 * float(parsed(svg).get("width")), abs=2)


def test_what_a_picture_is_drawn_from_is_saved_too(client, drawn_report):
    svg, specification = (picture_of(client, drawn_report, f"forest.{kind}") for kind in ("svg", "json"))

    assert specification["Content-Type"] == "application/json"
    assert svg_of(specification.json()) == svg.content.decode()


def test_a_png_that_cannot_be_made_leads_back_with_a_sentence(client, drawn_report, monkeypatch):
    monkeypatch.setattr(typeset, "SECONDS", 0.001)

    answer = picture_of(client, drawn_report, "forest.png")

    assert answer.status_code == 302
    assert "The table has the same data." in text_of(client.get(answer["Location"]))


def test_who_took_a_picture_is_in_the_log(client, drawn_report, lead):
    picture_of(client, drawn_report, "network.svg")

    event = Event.objects.filter(kind=Event.Kind.EXPORTED, project_id=drawn_report.project.pk).latest("id")
    assert event.about == "answer-network.svg"


@pytest.mark.parametrize("file", ["forest.gif", "forest", "other.svg", ".svg", "prevalence.svg"])
def test_there_is_no_other_picture(client, drawn_report, file):
    assert picture_of(client, drawn_report, file).status_code == 404


def test_differences_are_a_picture_of_numbers_alone(client, lead, drawn_report, numbers):
    add_numbers(numbers, [[1.0, 2.0], [3.0, 3.5], [5.0, 5.0]])
    of_numbers = finished_report(numbers.project, lead)

    drawn = picture_of(client, of_numbers, "differences.svg", pair=True)

    assert len(marks(drawn.content, "dots")) == 3
    assert picture_of(client, drawn_report, "differences.svg", pair=True).status_code == 404
    assert picture_of(client, of_numbers, "prevalence.svg", pair=True).status_code == 404
    assert picture_of(client, of_numbers, "forest.svg").status_code == 404


def test_the_curve_of_a_plan_is_saved_too(client):
    query = {"statistic": "cohen_kappa", "value": "0.6", "shares": "0.8, 0.2"}

    drawn = client.get(reverse("plan_picture", args=["prevalence.svg"]), query)

    assert drawn.status_code == 200
    assert len(marks(drawn.content, "lines")) == 4
    assert client.get(reverse("plan_picture", args=["prevalence.svg"]), {"value": "x"}).status_code == 404


def test_bars_have_a_part_for_each_category_that_leads_to_its_items(client, lead):
    project = led_by(lead, cast.new_project("Bars", unique=True))
    names = ("apple", "pear", "plum")
    add_labels(
        new_question(project, categories=names), from_table([[40, 20, 2], [5, 30, 1], [1, 1, 50]], names)
    )
    found = finished_report(project, lead)
    args = [project.slug, found.pk, found.questions.first().question_id]

    html = client.get(reverse("report_categories", args=args)).content.decode()

    start = html.index('<svg class="picture bars')
    bars = html[start : html.index("</svg>", start) + len("</svg>")]
    parts = marks(bars, "parts")
    assert len(parts) == 9
    assert f"A: {in_percent('41')} “apple”, 62 labels" in bars
    assert 'href="../items/?rater=A&amp;label=apple"' in bars
    assert 'href="../items/?has=plum"' in bars
    assert sum(box(part)[2] for part in parts) == pytest.approx(3 * 620, abs=0.5)


def test_categories_beyond_the_colors_are_one_part(client, lead):
    project = led_by(lead, cast.new_project("Many", unique=True))
    names = tuple("abcdefghij")
    add_labels(
        new_question(project, categories=names),
        [(f"i{n}", rater, name) for n, name in enumerate("aabbccddeeffgghij") for rater in "AB"],
    )
    found = finished_report(project, lead)

    names = words(picture_of(client, found, "distribution.svg").content)

    assert "3 others" in names
    assert len({*names} & {*"abcdefg"}) == 7
    assert not {*names} & {*"hij"}


def test_the_legend_names_every_category_of_a_long_scale(client, lead):
    project = led_by(lead, cast.new_project("Long", unique=True))
    # The engine that draws knows some of these words too, and by itself it names 30 categories at most.
    names = ("constructor", "toString", "__proto__", "it's \\", *(f"step {n}" for n in range(30)))
    scale = new_question(project, categories=names, level=Question.Level.ORDINAL)
    add_labels(scale, [(name, rater, name) for name in names for rater in "AB"])
    found = finished_report(project, lead)

    shown = words(picture_of(client, found, "distribution.svg").content)

    assert [shown.count(name) for name in names] == [1] * len(names)
    assert "“step 29”, 1 label<" in bars_of(StoredResult.of(found.questions.first()), address="items/").inline


def test_a_long_name_takes_several_lines_of_the_legend(client, lead):
    project = led_by(lead, cast.new_project("Long names", unique=True))
    names = (
        "Supported by the cited evidence in full",
        " ".join(["Partly supported, with one claim too many"] * 4),
    )
    add_labels(new_question(project, categories=names), [(name, who, name) for name in names for who in "AB"])
    found = finished_report(project, lead)

    svg = picture_of(client, found, "distribution.svg").content

    lines = [[line.text for line in text] for text in parsed(svg).iter("text") if len(text)]
    assert " ".join(lines[0]) == names[0]
    assert lines[1][-1].endswith("…")
    assert float(parsed(svg).get("width")) < 800
    assert f"“{names[1]}”, 1 label<" in svg.decode()


@pytest.mark.parametrize("n", [2, 5, 9])
def test_colors_carry_words_and_differ(n):
    for colors in (named_colors(n), ordered_colors(n)):
        assert len({color.fill for color in colors}) == min(n, 7 if colors == named_colors(n) else n)
        assert all(contrast(color.fill, color.ink) >= 4.5 for color in [*colors, other_color()])
    assert ordered_colors(n)[-1].fill == ORDERED[-1]
    assert ink_on("#ffffff") != ink_on("#000000")


def raters(n: int) -> list[ReportRater]:
    return [ReportRater(pk, f"r{pk}", "human", 10) for pk in range(n)]


def pair_of(a: int, b: int, value: float | None) -> Pair:
    return Pair(a, b, 10, None, value, None, None, None, "")


def test_raters_above_the_cut_are_joined_in_groups():
    pairs = [
        pair_of(0, 1, 0.9),
        pair_of(1, 2, 0.8),
        pair_of(3, 4, 0.7),
        pair_of(2, 3, 0.2),
        pair_of(4, 5, None),
    ]

    found = network_of(raters(6), pairs, 0.5)

    assert [(link.a, link.b) for link in found.links] == [(0, 1), (1, 2), (3, 4)]
    assert found.groups == [1, 1, 1, 2, 2, 0]
    assert (found.n_groups, found.n_alone) == (2, 1)


def test_the_same_figures_are_drawn_the_same_with_joined_raters_near():
    pairs = [
        pair_of(a, b, 0.9)
        for start in (0, 5)
        for a in range(start, start + 5)
        for b in range(a + 1, start + 5)
    ]

    first, second = network_of(raters(10), pairs, 0.5), network_of(raters(10), list(reversed(pairs)), 0.5)

    assert first == second
    spots = spread(10, first.links)
    gaps = [((spots[a] - spots[b]) ** 2).sum() for a in range(10) for b in range(a + 1, 10)]
    own = [((spots[a] - spots[b]) ** 2).sum() for a in range(5) for b in range(a + 1, 5)]
    assert max(own) < max(gaps) / 4


@pytest.mark.parametrize(("n", "links"), [(0, []), (1, []), (2, [AgreementLink(0, 1, 0.5)]), (3, [])])
def test_few_raters_lie_within_the_drawing(n, links):
    spots = on_paper(spread(n, links))

    assert spots.shape == (n, 2)
    assert ((spots >= 0) & (spots <= [WIDTH, HEIGHT])).all()


def test_the_usual_cut_leaves_some_links_to_each_rater():
    links = [AgreementLink(0, 1, value / 100) for value in range(99, 0, -1)]

    assert usual_cut(links, 20) == 0.7
    assert usual_cut([], 20) == 0
    assert groups_of(0, []) == []


def test_the_page_of_the_network_has_the_same_as_a_table(client, drawn_report):
    shown = text_of(network_of_report(client, drawn_report, cut="0.3", coefficient="percent_agreement"))
    none = text_of(network_of_report(client, drawn_report, cut="1"))

    assert "raters are linked if Percent agreement ≥ 0.30" in shown
    assert "10 pairs reach this threshold and form 1 group." in shown
    assert re.search(r"rater-000 1 4 rater-\d{3} \d\d%", shown)
    assert "rater-004 unlinked 0 none" in none


@pytest.mark.parametrize("nonsense", ["x", "nan", "7", "-1e9", ""])
def test_an_invalid_cut_gives_the_usual_one(client, drawn_report, nonsense):
    page = network_of_report(client, drawn_report, cut=nonsense)

    assert page.status_code == 200
    assert page.context["network"].cut == network_of_report(client, drawn_report).context["network"].cut


def test_beyond_many_links_the_strongest_are_drawn(client, drawn_report, monkeypatch):
    monkeypatch.setattr(network_page, "MAX_LINES", 3)

    page = network_of_report(client, drawn_report, cut="0")

    assert "Showing the 3 strongest of 10 links" in text_of(page)
    assert len(marks(page.context["network"].picture, "strong")) == page.context["network"].n_lines == 3


def test_numbers_have_no_network(client, lead, numbers):
    report = finished_report(numbers.project, lead)

    assert network_of_report(client, report).status_code == 404
