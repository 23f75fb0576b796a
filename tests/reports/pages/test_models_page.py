"""The page of a model against people, its file, its API and its picture."""

import csv
import io
import re
from functools import cache

import pytest
from django.urls import reverse

from projects.models import Event, Item, Membership, Project, Round
from raters.models import Label, Rater
from reports.analysis import models_against_people
from reports.models import Report
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, new_question
from tests.reports.computing.test_model_prevalence import PEOPLE, PLAN, project_of, with_reference
from tests.reports.computing.test_models_versus_people import with_model
from tests.reports.computing.test_subgroups import describe, question_of, random_rows
from tests.reports.drawn import marks
from tests.reports.looking import led_by, text_of
from tests.sizes import some


@cache
def the_report() -> Report:
    """One for all tests that only look."""
    lead = cast.person("mona", unique=True)
    project = with_model(lead)
    for item in Item.objects.filter(project=project):
        item.attributes = {"site": "Bern" if item.key < "i20" else "Chur"}
        item.save()
    return finished_report(project, lead)


@pytest.fixture
def models_report(lead) -> Report:
    found = the_report()
    led_by(lead, found.project)
    return found


def address(report: Report, name: str = "report_models", *more: str) -> str:
    agreement = report.questions.get()
    last = agreement.question.key if name.startswith("api_") else agreement.question_id
    return reverse(name, args=[report.project.slug, report.pk, last, *more])


def row_of(rows, name: str):
    return next(each for each in rows if each.name == name)


def test_the_reference_table_is_shown(client, models_report):
    response = client.get(address(models_report), {"epsilon": "0.2"})

    context = response.context
    assert (context["winning"], context["advantage"][0], context["smallest"]) == ("1.00", "0.950", "0.06")
    assert (context["difference"][0], context["with_people"][0]) == ("+0.100", "0.600")
    assert context["passes"] is True
    h2 = row_of(context["rows"], "h2")
    assert (h2.with_model[0], h2.in_place, h2.difference) == ("0.553", "0.574", "−0.100")
    assert (h2.own_wins, h2.model_wins, h2.p_value, h2.outcome) == ("85.0%", "95.0%", "< 0.001", "yes")
    text = text_of(response)
    assert "can stand in for 3 of 3 people" in text
    assert "passes the test" in text


def test_with_too_many_people_the_page_says_what_is_too_large_and_where_to_look(client, lead, monkeypatch):
    monkeypatch.setattr(models_against_people, "MOST_PEOPLE", 2)
    report = finished_report(with_model(lead), lead)

    response = client.get(address(report))

    assert (response.context["difference"], response.context["most_people"]) == (("–", "too large"), 100)
    text = text_of(response)
    assert "are only computed for up to 100 people; 3 labeled these items" in text
    assert f'<a href="{address(report, "report_question")}#models">' in response.content.decode()
    methods = " ".join(response.context["methods"])
    assert (
        "The difference in Cohen’s κ was not computed: more than 100 people labeled these items." in methods
    )
    assert "resamples of items" not in methods


def test_epsilon_is_the_readers_choice(client, models_report):
    strict, nonsense = (
        client.get(address(models_report), {"epsilon": each}).context for each in ("0.1", "5")
    )

    assert (strict["epsilon"], nonsense["epsilon"]) == ("0.1", "0.15")
    assert row_of(strict["rows"], "h2").p_value == "0.003"
    assert [share for _, share in strict["curve"]] == ["0.00", "0.00", *["1.00"] * 5]


def test_the_tab_is_there_where_there_are_models(client, lead, models_report):
    overview = client.get(address(models_report, "report_question")).content.decode()
    plain = finished_report(with_model(lead, models=()), lead)

    without = client.get(address(plain, "report_question")).content.decode()

    assert f'href="{address(models_report)}"' in overview
    assert address(plain) not in without
    refused = client.get(address(plain))
    assert refused.status_code == 400
    assert "with the rater type Model" in text_of(refused)


def test_the_pairs_of_the_person_table_open(client, models_report):
    rows = client.get(address(models_report)).context["rows"]

    for row in rows:
        response = client.get(row.pair)
        assert response.status_code == 200
        assert row.name in text_of(response)


def test_numbers_of_errors_are_as_long_as_their_lists(client, models_report):
    context = client.get(address(models_report)).context
    lists = {context["different"]: context["error_different"]}
    for row in context["categories"]:
        lists |= {row.missed[1]: row.missed[0], row.false_ones[1]: row.false_ones[0]}
    [(name, values, _)] = context["attributes"]
    for value in values:
        lists |= {value.items: value.n_items, value.different: value.n_different}

    assert name == "site"
    assert sum(lists.values()) > 0
    for listed, n in lists.items():
        shown = client.get(listed)
        assert shown.status_code == 200
        assert shown.context["page"].paginator.count == n


@pytest.mark.parametrize("kind", some(["ordinal", "interval", "multiple"], every=3))
def test_every_kind_of_question_has_the_page(client, lead, kind):
    project = led_by(lead, cast.new_project("Kinds", unique=True))
    question_of(project, kind, random_rows(kind, 41))
    describe(project)
    Rater.objects.filter(project=project, key="r3").update(kind="model")
    report = finished_report(project, lead)

    response = client.get(address(report))

    assert response.status_code == 200
    assert response.context["is_number"] == (kind == "interval")
    # How many numbers equal a mean says nothing.
    assert ("Other label" in response.content.decode()) == (kind != "interval")
    lists = {}
    for row in response.context["categories"]:
        lists |= {row.missed[1]: row.missed[0], row.false_ones[1]: row.false_ones[0]}
    for _, values, _ in response.context["attributes"]:
        for value in values:
            lists |= {value.items: value.n_items, value.different: value.n_different}
    for listed, n in lists.items():
        assert client.get(listed).context["page"].paginator.count == n


def test_where_models_count_too_there_are_no_lists(client, lead):
    report = finished_report(with_model(lead), lead, counted=["human", "model"])

    context = client.get(address(report)).context

    # The lists would be of another consensus, in which the model has a say about others.
    assert context["different"] != ""
    other = finished_report(with_model(lead, models=("model", "h3")), lead, counted=["human", "model"])
    assert client.get(address(other)).context["different"] == ""


def test_several_models_are_chosen_from_and_compared(client, lead):
    report = finished_report(with_model(lead, models=("model", "h3")), lead)

    first, second = (client.get(address(report), {"model": key}).context for key in ("h3", "model"))

    assert (first["name"], second["name"]) == ("h3", "model")
    assert first["names"] == ["h3", "model"]
    [row] = first["compared"]
    assert {row.first, row.second} == {"h3", "model"}
    assert second["compared"] == first["compared"]


def test_with_too_few_items_it_says_what_is_missing(client, lead):
    report = finished_report(_small(lead), lead)

    plain, few = (client.get(address(report), {"least": each}) for each in ("30", "10"))

    assert plain.context["passes"] is None
    assert plain.context["plot"] is None
    assert "each person needs at least 30 items" in text_of(plain)
    assert few.context["plot"] is not None
    assert "signed-rank test" in text_of(few)


def _small(lead):
    project = led_by(lead, cast.new_project("Few", unique=True))
    question = new_question(project, categories="ab")
    add_labels(
        question,
        [(f"i{i}", key, "ab"[i % 2]) for i in range(12) for key in ("h1", "h2", "model")],
    )
    Rater.objects.filter(project=project, key="model").update(kind="model")
    return project


def test_the_file_has_the_figures_of_the_api(client, models_report):
    found = client.get(address(models_report, "api_report_models")).json()

    response = client.get(address(models_report, "report_models_file"))

    assert Event.objects.filter(
        project_id=models_report.project.pk, kind=Event.Kind.EXPORTED, about="models.csv"
    ).exists()
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    [model] = found["models"]
    told = {
        (row["row"], row["other"], row["statistic"], row["epsilon"]): row
        for row in rows
        if not row["attribute"]
    }
    difference = told["model", "", "difference", ""]
    assert float(difference["value"]) == model["difference"]["value"]
    assert float(difference["ci_low"]) == model["difference"]["ci_low"]
    assert float(told["model", "", "winning rate", "0.1"]["value"]) == model["winning"]["0.1"]
    for person in model["people"]:
        tested = told["person", person["person"], "own wins - model wins", "0.15"]
        assert float(tested["p_value"]) == person["test"]["p_values"]["0.15"]
        assert tested["rejected"] == str(person["rejected"]["0.15"]).lower()
        in_place = told["person", person["person"], "krippendorff_alpha with the model in place", ""]
        assert float(in_place["value"]) == person["in_place"]["value"]


def test_the_api_says_what_a_paper_would(client, models_report):
    found = client.get(address(models_report, "api_report_models"), {"epsilon": "0.2"}).json()

    method, results = found["models"][0]["methods"]
    assert "alternative-annotator test (Calderon et al., 2025) at ε = 0.2" in method
    assert "ω = 1.00" in results
    refused = client.get(address(models_report, "api_report_models"), {"epsilon": "7"})
    assert refused.status_code == 400


def test_the_picture_can_be_saved(client, models_report):
    response = client.get(address(models_report, "report_picture", "winning.svg"))

    assert response.status_code == 200
    assert "Alternative-annotator test of model" in response.content.decode()


def test_the_curve_has_a_step_for_each_epsilon(client, models_report):
    plot = client.get(address(models_report)).context["plot"]

    [course] = marks(plot, "course")
    assert re.match("M0,200", course.get("d"))


def test_shares_among_all_items_are_on_the_page_and_in_the_file(client, lead):
    report = finished_report(project_of(lead, PLAN), lead)
    found = client.get(address(report, "api_report_models")).json()["models"][0]["prevalence"]

    response = client.get(address(report))

    assert [row.name for row in response.context["shares"]] == ["n", "y"]
    assert response.context["model"].prevalence.n_others == found["n_others"] == 180
    planned = client.get(response.context["shares"][1].plan)
    assert planned.context["of_people"].cleaned_data["items"] == 240
    rows = list(
        csv.DictReader(io.StringIO(client.get(address(report, "report_models_file")).content.decode()))
    )
    [estimate] = [
        row
        for row in rows
        if row["row"] == "share" and row["other"] == "y" and row["statistic"] == "estimate from both"
    ]
    assert float(estimate["value"]) == found["rows"][1]["estimate"]["value"]


def test_shares_corrected_by_a_reference_say_what_they_assume(client, lead):
    report = finished_report(with_reference(lead, PEOPLE[:100, 0], 100), lead)

    response = client.get(address(report))

    assert (response.context["reference"], len(response.context["corrected"])) == ("gold", 2)
    assert "isn’t known how their items were chosen" in text_of(response)
    api = client.get(address(report, "api_report_models")).json()["models"][0]["prevalence"]["by_class"]
    assert (api["reference"], api["n_others"]) == ("gold", 140)


def test_a_model_in_no_round_says_how_to_compare_it(client, lead):
    project = with_model(lead)
    question = project.questions.get()
    round_ = Round.objects.create(project=project, key="pilot", state=Round.State.CLOSED)
    Label.objects.filter(question=question, rater__kind="human").update(round=round_)

    apart = client.get(address(finished_report(project, lead)))
    pooled = client.get(address(finished_report(project, lead, pooled=True)))

    assert apart.status_code == 400
    assert "about round “pilot”, in which no model has labels" in text_of(apart)
    assert pooled.context["model"].n_items == 40


def test_where_names_are_hidden_it_is_withheld(client, models_report):
    adjudicator = cast.member(models_report.project, Membership.Role.ADJUDICATOR, username="ada", unique=True)
    client.force_login(adjudicator)

    Project.objects.filter(pk=models_report.project.pk).update(adjudicators_see_names=False)
    withheld = [
        client.get(address(models_report, name)).status_code
        for name in ("report_models", "report_models_file", "api_report_models")
    ]
    Project.objects.filter(pk=models_report.project.pk).update(adjudicators_see_names=True)

    assert withheld == [403, 403, 403]
    assert client.get(address(models_report)).status_code == 200


def test_the_page_begins_with_accuracy_and_agreement_against_the_reference(client, lead):
    project = with_reference(lead, PEOPLE[:100, 0], 100)
    report = finished_report(project, lead)
    agreement = report.questions.get()
    raters = client.get(reverse("report_raters", args=[project.slug, report.pk, agreement.question_id]))

    page = client.get(address(report))

    against, text = page.context["against"], text_of(page)
    model = page.context["name"]
    of_raters = next(row for row in raters.context["page"] if row.rater.key == model)
    assert (against.key, against.n_items) == ("gold", 100)
    assert [title for title, _ in against.figures][:2] == ["Accuracy", "κ"]
    assert [shown[0] for _, shown in against.figures][:2] == [
        of_raters.cells[0].value,
        of_raters.cells[2].value,
    ]
    assert text.index("Accuracy, against gold") < text.index("Agreement with people") < text.index("ω =")
    assert client.get(against.pair).status_code == 200


def test_without_a_reference_it_begins_with_agreement(client, models_report):
    page = client.get(address(models_report))

    assert page.context["against"] is None
    assert "Alternative-annotator test : At ε = 0.15" in text_of(page)
