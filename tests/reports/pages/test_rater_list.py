"""The page of a question's raters: its filter, and intervals that end at the range of a difference."""

import pytest
from django.test import Client
from django.urls import reverse

from raters.models import Rater, User
from reports.analysis.catalog import title_of
from reports.models import Report
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, new_question
from tests.reports.looking import led_by, text_of
from tests.reports.numbers_and_sets import add_numbers, add_sets


def report_of(lead: User, **labels: str) -> Report:
    """labels: of each rater, one letter per item; raters called gpt are models."""
    project = led_by(lead, cast.new_project("Listed", unique=True))
    rows = [(f"i{place}", rater, label) for rater, own in labels.items() for place, label in enumerate(own)]
    add_labels(new_question(project, categories="ab"), rows)
    Rater.objects.filter(project=project, key__startswith="gpt").update(kind="model")
    return finished_report(project, lead)


def page_args(report: Report) -> list:
    return [report.project.slug, report.pk, report.questions.get().question_id]


def raters_page(client: Client, report: Report, **query):
    return client.get(reverse("report_raters", args=page_args(report)), query)


def test_the_interval_of_a_difference_ends_at_100_points(client, lead):
    """Differences of cleo: −.5 and 0, so −.25 ± 12.7 × .25."""
    report = report_of(lead, ana="aa", ben="aa", cleo="ba")

    page = raters_page(client, report)

    cleo = next(line.versus_others for line in page.context["page"] if line.rater.key == "cleo")
    assert (cleo.gap, cleo.gap_interval) == ("−25.0", "[−100.0, 100.0]")
    assert cleo.clipped == "truncated at −100 and 100"
    assert "the CI is limited to the range of the difference" in text_of(page)


def test_an_interval_within_the_range_is_not_marked(client, lead):
    report = report_of(lead, ana="ab" * 20, ben="ab" * 20, cleo="aa" * 20)

    page = raters_page(client, report)

    assert not page.context["has_cut"]
    assert "†" not in page.content.decode()


def weighted_report(lead: User) -> Report:
    """Near misses of gpt-near, and fewer but far ones of gpt-far, against gold."""
    project = led_by(lead, cast.new_project("Weighted", unique=True))
    question = new_question(project, categories="abcde", level="ordinal")
    gold = "abcde" * 8
    near = "bbdde" * 8
    far = gold[:31] + "eaaaeeaaa"
    people = {"ana": gold, "ben": near}
    labels = {**people, "gold": gold, "gpt-near": near, "gpt-far": far}
    add_labels(question, [(f"i{n:02}", rater, own[n]) for rater, own in labels.items() for n in range(40)])
    Rater.objects.filter(project=project, key__startswith="gpt").update(kind="model")
    Rater.objects.filter(project=project, key="gold").update(kind="reference")
    return finished_report(project, lead, weights="linear")


def test_weighted_and_unweighted_kappa_with_the_reference_are_distinguished(client, lead):
    report = weighted_report(lead)
    args = page_args(report)

    page = raters_page(client, report)
    models = {
        key: client.get(reverse("report_models", args=args), {"model": key}).context["against"]
        for key in ("gpt-near", "gpt-far")
    }

    titles = list(page.context["columns"])
    assert titles[2:5] == ["κ, weighted", "κ, unweighted", "κ max, unweighted"]
    cells = {line.rater.key: [cell.value for cell in line.cells] for line in page.context["page"]}
    for key, against in models.items():
        shown = {title: figure[0] for title, figure in against.figures}
        assert [shown["κ, weighted"], shown["κ, unweighted"]] == cells[key][2:4]
        values = client.get(against.pair).context
        weighted = next(row.value for row in values["all_rows"] if row.name == "cohen_kappa_weighted")
        assert shown["κ, weighted"] == weighted
    # The two coefficients rank the models differently.
    assert float(cells["gpt-near"][2]) > float(cells["gpt-far"][2])
    assert float(cells["gpt-near"][3]) < float(cells["gpt-far"][3])
    near = Rater.objects.get(project=report.project, key="gpt-near")
    own = client.get(reverse("report_rater", args=[*args, near.pk])).context["reference"]
    rows = {row.name: (row.title, row.value) for row in own.against.rows}
    assert rows["kappa_weighted"][1] == cells["gpt-near"][2]
    assert rows["kappa"] == ("Cohen’s κ with the reference, unweighted", cells["gpt-near"][3])


def test_without_weights_there_is_one_kappa(client, lead):
    report = report_of(lead, ana="ab" * 20, ben="ab" * 20, cleo="aa" * 20)

    page = raters_page(client, report, reference="ana")

    assert "κ" in page.context["columns"]
    assert not any("weighted" in title for title in page.context["columns"])


@pytest.mark.parametrize("kind", ["number", "multiple"])
def test_raters_of_numbers_and_sets_have_the_figures_of_their_pair_with_the_reference(
    client, lead, numbers, sets, kind
):
    if kind == "number":
        question, columns = numbers, ["lin_concordance", "bland_altman_bias"]
        add_numbers(numbers, [(n, n + 1.0 + n % 3, n - 0.5) for n in range(20)])
    else:
        question, columns = sets, ["masi", "identical_sets"]
        add_sets(sets, [("AB", "A" if n % 2 else "AB", "C") for n in range(20)])
    # The reference is the rater in the middle, whose pairs have it on either side.
    Rater.objects.filter(project=question.project, key="r1").update(kind="reference")
    report = finished_report(question.project, lead)

    page = raters_page(client, report)

    lines = {line.rater.key: line for line in page.context["page"]}
    assert page.context["reference"].key == "r1"
    places = [page.context["columns"].index(title_of(name)) for name in columns]
    for key in ("r0", "r2"):
        assert (lines[key].n, len(lines[key].cells)) == (20, len(page.context["columns"]))
        own = client.get(reverse("report_rater", args=[*page_args(report), lines[key].rater.id])).context[
            "reference"
        ]
        shown = {row.name: row.value for row in own.rows}
        assert [lines[key].cells[place].value for place in places] == [shown[name] for name in columns]
        assert client.get(lines[key].items).status_code == 200


def test_raters_of_numbers_are_compared_with_any_of_them(client, lead, numbers):
    add_numbers(numbers, [(n, n + 1.0, None if n else 3) for n in range(20)])
    report = finished_report(numbers.project, lead)

    without, chosen = raters_page(client, report), raters_page(client, report, reference="r0")

    assert without.context["reference"] is None
    assert not any(line.cells for line in without.context["page"])
    bias = chosen.context["columns"].index(title_of("bland_altman_bias"))
    cells = {line.rater.key: line.cells[bias].value for line in chosen.context["page"]}
    assert cells["r1"] == "1"


def test_raters_are_filtered_by_type_and_name(client, lead):
    report = report_of(lead, **{"ana": "ab" * 9, "ben": "ab" * 9, "gpt-1": "aa" * 9, "gpt-2": "bb" * 9})

    def listed(**query) -> list[str]:
        return sorted(line.rater.key for line in raters_page(client, report, **query).context["page"])

    assert listed() == ["ana", "ben", "gpt-1", "gpt-2"]
    assert listed(kind="model") == ["gpt-1", "gpt-2"]
    assert listed(kind=["human", "model"], named=" 2 ") == ["gpt-2"]
    assert listed(kind="nonsense", named="AN") == ["ana"]
    nobody = raters_page(client, report, named="zoe", reference="ana")
    assert "No rater matches." in text_of(nobody)
    assert nobody.context["kept"] == [("reference", "ana")]
    assert '<input type="hidden" name="named" value="zoe">' in nobody.content.decode()
