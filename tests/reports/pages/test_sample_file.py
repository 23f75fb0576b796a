"""The file for dsl and ppi_py: both labels of each item, and the probability with which it was drawn."""

import csv
import io

import numpy as np
import pytest
from django.urls import reverse

from projects.models import Event, Item
from raters.models import Label
from raters.rounds.assigning.assignment_design import AssignmentDesign, Overlap
from raters.rounds.chosen_items import ItemChoice, ItemSource
from raters.rounds.round_plan import RoundPlan
from reports.models import Report
from tests.finished import finished_report
from tests.reports.computing.test_model_decisions import LABELS, SAMPLED, TRUE, N, project_of
from tests.reports.looking import text_of


def address(report: Report, name: str = "report_sample_file") -> str:
    agreement = report.questions.get()
    last = agreement.question.key if name.startswith("api_") else agreement.question_id
    return reverse(name, args=[report.project.slug, report.pk, last])


def rows_of(response) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(response.content.decode())))


def stratified(**more) -> RoundPlan:
    return RoundPlan(
        overlap=Overlap(AssignmentDesign.EVERYONE, 2), seed=1, n_items=SAMPLED, chosen=ItemChoice(**more)
    )


def test_it_has_what_dsl_needs(client, lead):
    report = finished_report(project_of(lead), lead)

    rows = rows_of(client.get(address(report)))

    assert list(rows[0]) == ["item", "model_label", "gold_label", "sampled", "probability"]
    assert [row["item"] for row in rows] == [f"i{number:03}" for number in range(N)]
    assert {row["probability"] for row in rows} == {"0.5"}
    assert [row["gold_label"] for row in rows] == ["ny"[answer] for answer in TRUE[:SAMPLED]] + [""] * (
        N - SAMPLED
    )
    # The mean of design-adjusted labels, f + (Y - f) R / p, of Egami et al. 2023.
    f, y = (np.array([row[name] == "y" for row in rows], float) for name in ("model_label", "gold_label"))
    drawn, p = (np.array([float(row[name]) for row in rows]) for name in ("sampled", "probability"))
    rectified = LABELS.mean() + (TRUE - LABELS)[:SAMPLED].mean()
    assert (f + (y - f) * drawn / p).mean() == pytest.approx(rectified)
    assert Event.objects.filter(project_id=report.project.pk, about="sample.csv").exists()


def test_a_drawn_item_without_a_label_stays_drawn(client, lead):
    project = project_of(lead)
    Label.objects.filter(rater__project=project, rater__kind="human", item__key="i000").delete()

    first = rows_of(client.get(address(finished_report(project, lead))))[0]

    assert (first["gold_label"], first["sampled"], first["probability"]) == ("", "1", "0.5")


def test_each_stratum_has_its_probability(client, lead):
    project = project_of(lead, stratified(stratify_by="site"))
    for item in Item.objects.filter(project=project):
        # 50 of 100 items are drawn at Bern, and 150 of 300 elsewhere, of which 100 are withdrawn below.
        item.attributes = {"site": "Bern" if item.key < "i050" or item.key >= "i350" else "Chur"}
        item.save()
    Item.objects.filter(project=project, key__gte="i250", key__lt="i350").update(
        withdrawn_at="2026-01-01T00:00Z"
    )
    report = finished_report(project, lead)

    rows = rows_of(client.get(address(report)))

    found = {row["item"]: row["probability"] for row in rows}
    assert (found["i000"], found["i399"], found["i100"], found["i249"]) == ("0.5", "0.5", "0.75", "0.75")
    assert len(rows) == 300
    assert client.get(reverse_models(report)).context["sample_file"]


def reverse_models(report: Report) -> str:
    return address(report, "report_models")


@pytest.mark.parametrize("kind", ["single", "multiple"])
def test_the_api_has_the_same_rows(client, lead, kind):
    report = finished_report(project_of(lead, kind=kind), lead)

    page = client.get(address(report, "api_report_sampled_items"), {"page_size": "2", "page": "101"}).json()
    rows = rows_of(client.get(address(report)))

    assert page["count"] == N
    assert [row["item"] for row in page["results"]] == [row["item"] for row in rows[200:202]]
    assert page["results"][0]["gold_label"] is None
    assert (page["results"][0]["model_label"], page["results"][0]["sampled"]) == (rows[200]["model_label"], 0)


@pytest.mark.parametrize(
    ("plan", "words"),
    [(None, "isn’t known how"), (stratified(source=ItemSource.DISPUTED), "were chosen (in dispute)")],
    ids=["imported", "chosen"],
)
def test_without_known_probabilities_there_is_no_file(client, lead, plan, words):
    report = finished_report(project_of(lead, plan), lead)

    response = client.get(address(report), follow=True)

    assert response.redirect_chain[0][0] == reverse_models(report)
    assert words in text_of(response)
    assert response.context["sample_file"] == ""
    assert client.get(address(report, "api_report_sampled_items")).status_code == 400
