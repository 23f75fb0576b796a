"""The matrix of pairs: any coefficient, its order, its filters, its row of means."""

import gzip
import re
from statistics import mean

import pytest

from projects.models import Round
from raters.models import Label, Rater
from reports.pages.question.pair_matrix import PairMatrix, cluster_order
from reports.results.question_pairs import Pair
from reports.store.agreements import ReportRater
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, labeled_project, new_question
from tests.reports import gallery
from tests.reports.gallery import on_show
from tests.reports.looking import led_by, question_page, text_of

CELL = (
    r'<td class="[^"]*"><a href="(\d+)/(\d+)/[^"]*"(?: title="[^"]*")?><b>([^<]*)</b>'
    r"<small>([^<]*)(?:<abbr[^>]*>†</abbr>)?</small></a>"
    r'(?:<a class="n" href="\1/\2/items/"><small>n [^<]*</small></a>)?</td>'
)


def pair_of(a: int, b: int, value: float | None) -> Pair:
    return Pair(a, b, 10, None, value, None, None, None, "")


@pytest.fixture
def five_raters_report(lead):
    with on_show(gallery.five_raters, lead) as report:
        yield report


def cells_of(response) -> dict[tuple[str, str], tuple[str, str]]:
    found = re.findall(CELL, response.content.decode())
    return {(a, b): (value, interval) for a, b, value, interval in found}


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("krippendorff_alpha", "Krippendorff’s α"),
        ("gwet_ac1", "Gwet’s AC1"),
        ("scott_pi", "Scott’s π"),
        ("brennan_prediger", "Brennan–Prediger"),
        ("percent_agreement", "Percent agreement"),
    ],
)
def test_the_matrix_shows_any_coefficient_as_the_page_of_the_pair_does(
    client, five_raters_report, name, title
):
    page = question_page(client, five_raters_report, coefficient=name)
    (a, b), (value, _) = next(iter(cells_of(page).items()))
    address = page.request["PATH_INFO"]

    shown = text_of(client.get(f"{address}{a}/{b}/"))
    own = re.search(
        rf"{title} (?:unweighted|nominal) ([−\d.]+)(%)?", shown[shown.index("Both raters Statistic") :]
    )

    assert own is not None
    assert float(value.split()[0].rstrip("%")) == pytest.approx(float(own[1]), abs=0.51 if own[2] else 0.0051)
    assert f"Pairwise {title}" in text_of(page)


def test_the_page_is_sent_compressed_to_whom_can_read_that(client, five_raters_report):
    address = question_page(client, five_raters_report).request["PATH_INFO"]

    answer = client.get(address, headers={"accept-encoding": "gzip"})

    assert answer.headers["Content-Encoding"] == "gzip"
    assert b'data-matrix="grid"' in gzip.decompress(answer.content)


def test_the_weights_of_old_addresses_still_hold(client, lead):
    project = led_by(lead, labeled_project("addresses"))
    project.questions.update(level="ordinal")
    report = finished_report(project, lead)
    old, new = (
        question_page(client, report, weights="linear"),
        question_page(client, report, coefficient="linear"),
    )

    assert cells_of(old) == cells_of(new)
    assert cells_of(old) != cells_of(question_page(client, report))


def test_an_ordered_scale_leads_with_ordinal_alpha_and_weights_are_offered(client, lead):
    project = led_by(lead, labeled_project("ordered"))
    project.questions.update(level="ordinal")

    page = question_page(client, finished_report(project, lead))

    assert page.context["measure"].key == "krippendorff_alpha"
    assert {"unweighted", "linear", "ordinal"} < set(page.context["measures"])
    assert "ratio" not in page.context["measures"]


def test_categories_without_an_order_are_offered_no_weights(client, five_raters_report):
    measures = question_page(client, five_raters_report).context["measures"]

    assert {"linear", "quadratic", "circular"}.isdisjoint(measures)


def test_raters_are_filtered_by_kind_and_marked(client, five_raters_report):
    Rater.objects.filter(project=five_raters_report.project, key__in=["rater-001", "rater-003"]).update(
        kind="model"
    )
    again = finished_report(five_raters_report.project, five_raters_report.asked_by, confidence=0.9)

    every, models = question_page(client, again), question_page(client, again, kind="model")

    assert len(cells_of(every)) == 10
    assert len(cells_of(models)) == 1
    assert "rater-001 model" in text_of(every)
    assert [rater.kind for rater in every.context["matrix"].raters] == ["human"] * 3 + ["model"] * 2


def test_pairs_with_few_items_are_left_out_of_cells_and_means(client, lead):
    project = led_by(lead, cast.new_project("Few", unique=True))
    rows = [(f"i{n}", rater, "yes" if n % 3 else "no") for n in range(12) for rater in ("A", "B")]
    rows += [(f"i{n}", "C", "no" if n % 2 else "yes") for n in range(4)]
    add_labels(new_question(project), rows)

    page = question_page(client, finished_report(project, lead), least=10)

    assert len(cells_of(page)) == 1
    assert page.content.decode().count('<td class="absent">few</td>') == 4
    assert "few: fewer than 10 shared items" in text_of(page)


@pytest.mark.parametrize("nonsense", ["x", "-1", "0", "9" * 40, "1e3", "٣"])
def test_an_invalid_least_number_means_all(client, five_raters_report, nonsense):
    page = question_page(client, five_raters_report, least=nonsense)

    assert page.status_code == 200
    assert len(cells_of(page)) == 10


def test_raters_who_agree_stand_together():
    pairs = [pair_of(a, b, 0.9 if a % 2 == b % 2 else 0.1) for a in range(6) for b in range(a + 1, 6)]

    order = cluster_order(list(range(6)), pairs)

    assert sorted(order) == list(range(6))
    assert len({rater % 2 for rater in order[:3]}) == len({rater % 2 for rater in order[3:]}) == 1


def test_pairs_without_a_value_do_not_stop_the_order():
    assert sorted(cluster_order([7, 8, 9], [pair_of(7, 8, None)])) == [0, 1, 2]
    assert cluster_order([7, 8], []) == [0, 1]


def test_the_order_by_likeness_is_on_the_page(client, five_raters_report):
    html = question_page(client, five_raters_report, order="cluster").content.decode()

    assert sorted(re.findall(r'<th scope="row" title="(rater-\d+)"', html)) == [
        f"rater-{n:03}" for n in range(5)
    ]
    assert '<option value="cluster" selected>' in html


def test_the_last_column_has_the_means(client, five_raters_report):
    page = question_page(client, five_raters_report, coefficient="gwet_ac1")

    shown = re.findall(r'<td class="mean"><a [^>]*>([^<]*)</a></td></tr>', page.content.decode())
    values: dict[str, list[float]] = {}
    for (a, b), (value, _) in cells_of(page).items():
        for rater in (a, b):
            values.setdefault(rater, []).append(float(value))
    means = [mean(values[str(rater.id)]) for rater in page.context["matrix"].raters]
    assert [float(each) for each in shown] == pytest.approx(means, abs=0.011)


def test_many_raters_are_a_heat_map_whose_values_are_heard(client, lead, monkeypatch):
    monkeypatch.setattr("reports.pages.question.pair_matrix.MANY", 4)
    project = led_by(lead, labeled_project("heat", n_raters=5))
    project.questions.update(level="ordinal")

    page = question_page(client, finished_report(project, lead), weights="linear")
    html = page.content.decode()

    rows = re.findall(r'<th scope="row" title="rater-\d+">.*?</th>(.*?)<td class="mean">', html)
    cell = r'<td class=[sb]\d><a href="\d+/\d+/\?weights=linear" title="[^"]+, n \d+">0\.\d\d</a>'
    assert [len(re.findall(cell, row)) for row in rows] == [4] * 5
    assert [row.count("<td class=self>") for row in rows] == [1] * 5
    assert (page.context["matrix"].heat, page.context["matrix"].order) == ("large", "cluster")
    assert "data-matrix-details" in html


@pytest.mark.parametrize(
    ("n", "heat"), [(12, ""), (13, "large"), (25, "medium"), (41, "small"), (81, "tiny")]
)
def test_cells_of_more_raters_are_smaller(n, heat):
    raters = [ReportRater(place, f"r{place}", "human", 1) for place in range(n)]

    matrix = PairMatrix(raters, [], n)

    assert (matrix.heat, matrix.has_names) == (heat, heat not in ("small", "tiny"))


def test_of_many_raters_empty_cells_say_why(client, lead, monkeypatch):
    monkeypatch.setattr("reports.pages.question.pair_matrix.MANY", 2)
    project = led_by(lead, cast.new_project("Apart", unique=True))
    rows = [(f"i{n}", rater, "yes" if n % 3 else "no") for n in range(12) for rater in ("A", "B")]
    rows += [("i0", "C", "no"), ("i99", "D", "no")]
    add_labels(new_question(project), rows)

    html = question_page(client, finished_report(project, lead), least=2).content.decode()

    assert html.count("<td class=absent>none") == 6
    assert html.count("<td class=absent>few") == 4


def test_raters_are_found_by_a_part_of_their_names(client, five_raters_report):
    some, one = (question_page(client, five_raters_report, named=words) for words in ("-00", "RATER-001"))

    assert len(cells_of(some)) == 10
    assert len(cells_of(one)) == 0
    assert [rater.key for rater in one.context["matrix"].raters] == ["rater-001"]


def test_other_rounds_of_the_question_are_one_click_away(client, lead):
    project = led_by(lead, labeled_project("rounds"))
    pilot = Round.objects.create(project=project, key="pilot")
    Label.objects.filter(question__project=project).update(round=pilot)
    of_one_round = finished_report(project, lead, pooled=True)
    alone = question_page(client, of_one_round).content.decode()
    assert 'aria-label="Round"' not in alone
    assert "data-pooled" not in alone
    of_one_round.delete()
    Round.objects.create(project=project, key="main")
    whole = finished_report(project, lead, pooled=True)
    assert "data-pooled" in question_page(client, whole).content.decode()
    one = finished_report(project, lead, rounds=["pilot"], pooled=True)

    page = question_page(client, whole).content.decode()

    switch = page[page.index('aria-label="Round"') :]
    assert f"/{one.pk}/" in switch[: switch.index("</span>")]
    assert "all labels" in switch[: switch.index("</span>")]
