"""Agreement of numbers and of sets over time."""

from projects.models import Round
from raters.models import Label
from tests.finished import finished_report
from tests.reports.looking import question_page
from tests.reports.numbers_and_sets import add_numbers, add_sets
from tests.reports.pages.test_over_time import found_of, n_listed, page_of


def test_numbers_have_their_primary_coefficient_over_time(client, numbers, lead):
    for place, key in enumerate(("pilot", "main")):
        round_ = Round.objects.create(project=numbers.project, key=key)
        values = [[item, item + (4 - 3 * place) * (item % 3), item] for item in range(12)]
        add_numbers(numbers, values, round=round_, pass_number=place + 1)
    report = finished_report(numbers.project, lead)

    found = found_of(client, report)

    alone = finished_report(numbers.project, lead, rounds=["main"]).questions.get()
    own = alone.coefficients["icc_a_1"]
    figure = found["windows"][1]["figure"]
    assert [figure[name] for name in ("value", "ci_low", "ci_high")] == [
        own[name] for name in ("value", "ci_low", "ci_high")
    ]
    overview = question_page(client, report).context["rounds_overview"]
    assert overview.now.startswith("In “main”, ICC(A,1) is ")
    assert (
        found_of(client, report, coefficient="krippendorff_alpha")["windows"][1]["figure"]["value"]
        == (alone.coefficients["krippendorff_alpha"]["value"])
    )
    assert found["windows"][1]["percent_agreement"] is None
    assert n_listed(client, report, "round") == {12}
    assert page_of(client, report).context["title"] == "ICC(A,1)"


def test_sets_have_alpha_over_time(client, sets, lead):
    add_sets(sets, [["A", "AB", "A"], ["B", "B", "BC"], ["C", "C", "C"], ["AB", "A", "AB"]])
    for key, name in (("pilot", "__lt"), ("main", "__gte")):
        round_ = Round.objects.create(project=sets.project, key=key)
        Label.objects.filter(question=sets, **{f"item__key{name}": "i002"}).update(round=round_)
    report = finished_report(sets.project, lead)

    found = found_of(client, report)

    for window in found["windows"]:
        alone = finished_report(sets.project, lead, rounds=[window["name"]]).questions.get()
        assert window["figure"]["value"] == alone.coefficients["krippendorff_alpha"]["value"]
    assert page_of(client, report, coefficient="mean_masi").status_code == 200
