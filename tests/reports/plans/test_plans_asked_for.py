"""Plans by page, API, and command."""

import io
import json
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.core.management import CommandError, call_command
from django.urls import reverse
from lxml import html

from core.templatetags.shown import in_percent
from reports.plans import form
from reports.plans.answer import POWER, STATISTICS, WIDTH, takes_weights
from reports.plans.form import PlanForm
from tests.reports.plans.test_plans import OF_SETS, items_by_test


def test_the_page_takes_error_rates_of_more_categories(client, admin_user):
    client.force_login(admin_user)
    rates = {"shares": "0.3, 0.3, 0.4", "confusion_a": "0.8, 0.1, 0.1; 0.1, 0.8, 0.1; 0.1, 0.1, 0.8"}

    plain, known, wrong = (
        client.get(reverse("plan_items"), asked)
        for asked in ({}, rates, rates | {"confusion_a": "1, 0; 0, 1"})
    )

    def is_open(page):
        [details] = html.fromstring(page.content).xpath("//details[.//*[@name='confusion_a']]")
        return "open" in details.attrib

    assert not is_open(plain)
    assert is_open(known)
    assert "The error rates of rater A must be 3 rows of 3 numbers" in wrong.content.decode()


@pytest.mark.parametrize(
    ("statistic", "aim"),
    [*((each, WIDTH) for each in STATISTICS), ("cohen_kappa", POWER), ("gwet_ac1", POWER)],
)
def test_the_page_refuses_nothing_that_it_left_from_another_coefficient(
    client, admin_user, monkeypatch, statistic, aim
):
    """Everything that any coefficient uses is sent, as where a browser hides fields."""
    monkeypatch.setattr(form, "WEB_REPLICATES", 50)
    client.force_login(admin_user)
    shown = {
        "weights": "linear",
        "raters": "3",
        "sets": "",
        "shares_b": "0.4, 0.6",
        "sides": "1",
        "value": "0.75",
    }
    fitting = {"shares": "0.5, 0.5", "half_width": "0.3", "null": "0.3", "aim": aim, "statistic": statistic}
    if statistic == OF_SETS["statistic"]:
        shown["sets"] = "a, b"

    page = client.get(reverse("plan_items"), shown | fitting)

    assert page.status_code == 200, page.context["form"].errors


@pytest.mark.parametrize("statistic", STATISTICS)
def test_a_style_hides_the_fields_that_a_coefficient_does_not_use(client, admin_user, statistic):
    client.force_login(admin_user)
    page = html.fromstring(client.get(reverse("plan_items"), {"statistic": statistic}).content)

    css = Path(finders.find("css/parts.css")).read_text(encoding="utf-8")
    used = {
        name
        for name in PlanForm.base_fields
        if all(
            statistic in each.split()
            for each in page.xpath(f"//form[@data-study-plan]//*[@name='{name}']/ancestor::*/@data-of")
        )
    }
    assert f'[data-of]:not([data-of~="{statistic}"]' in css
    assert ("weights" in used) is takes_weights(statistic)
    assert ("sets" in used) is (statistic == OF_SETS["statistic"])
    assert {"statistic", "value", "aim", "confidence", "half_width"} <= used


def test_page_api_and_command_plan_numbers_and_sets(client):
    numbers = {"statistic": "icc_agreement", "raters": "5", "value": "0.8", "rater_share": "0.02"}
    [expected] = PlanForm(numbers).answer().items

    page = client.get(reverse("plan_items"), numbers)
    api = client.get(reverse("api_plan_items"), numbers).json()
    sets = client.get(reverse("api_plan_items"), OF_SETS).json()

    assert f"<dd>{expected.n_items}<small>" in page.content.decode()
    assert [each["n_items"] for each in api["items"]] == [expected.n_items]
    assert api["plan"]["rater_share"] == 0.02
    assert sets["plan"]["sets"] == [["joy"], ["anger"], ["joy", "anger"], []]
    as_command = ["--statistic", "icc_agreement", "--raters", "5", "--value", "0.8", "--rater-share", "0.02"]
    assert run(*as_command).startswith(f"{expected.n_items} items ")


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"raters": "1"}, "raters"),
        ({"raters": "2.5"}, "raters"),
        ({"shares": "a, b"}, "shares"),
        ({"value": "nan"}, "value"),
        ({"value": "2"}, "value"),
        ({"confidence": "0.5"}, "confidence"),
        ({"statistic": "luck"}, "statistic"),
        ({"seed": "-1"}, "seed"),
        ({"shares": "0.5"}, "__all__"),
        ({"raters": "3"}, "__all__"),
    ],
)
def test_bad_addresses_have_an_error_at_their_field(asked, field):
    plan = PlanForm(asked)

    assert plan.answer() is None
    assert list(plan.errors) == [field]


def run(*arguments):
    out = io.StringIO()
    call_command("plan_agreement", *arguments, stdout=out)
    return out.getvalue()


def test_the_command():
    text = run("--aim", "power", "--value", "0.6", "--shares", "0.3,0.7", "--curve")

    assert "191 items (goodness-of-fit test of kappa)" in text
    assert (
        f"if the true Cohen's kappa is 0.60, {in_percent('80.1')} of studies will distinguish it from 0.40"
        in text
    )
    assert "By share of the first category:" in text


def test_the_command_takes_two_raters_apart():
    out = io.StringIO()
    asked = [
        "--aim",
        "power",
        "--shares",
        "0.3,0.7",
        "--shares-b",
        "0.4,0.6",
        "--value",
        "0.5",
        "--null",
        "0.3",
    ]
    rates = ["--confusion-a", "0.9,0.1;0.2,0.8", "--confusion-b", "0.8,0.2;0.1,0.9"]

    call_command("plan_agreement", *asked, *rates, "--sides", "1", "--json", stdout=out)

    found = json.loads(out.getvalue())
    assert found["plan"]["shares_b"] == [0.4, 0.6]
    assert found["plan"]["confusion_b"] == [[0.8, 0.2], [0.1, 0.9]]
    assert [each["method"] for each in found["items"]] == ["large-sample test of kappa"]
    # At a half: .5 (.9 x .8 + .1 x .2) + .5 (.2 x .1 + .8 x .9).
    assert found["curve"]["points"][49]["percent_agreement"] == pytest.approx(0.74)


def test_the_api_takes_two_raters_apart(client):
    query = "?aim=power&shares=0.3,0.7&shares_b=0.4,0.6&value=0.5&null=0.3&sides=1"
    found = client.get(reverse("api_plan_items") + query).json()
    refused = client.get(reverse("api_plan_items") + "?confusion_a=0.9,0.1;x")

    assert found["plan"]["n_sides"] == 1
    assert found["curve"] is None
    assert len(found["items"]) == 1
    assert refused.status_code == 400
    assert refused.json()["errors"][0]["field"] == "confusion_a"


def test_the_command_for_programs():
    found = json.loads(run("--json", "--statistic", "gwet_ac1", "--replicates", "100"))

    assert found["items"][0]["method"] == "simulation, 100 studies of each size"
    assert len(found["curve"]["points"]) == 99


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--raters", "one"], "--raters: Enter a whole number"),
        (["--half-width", "2"], "--half-width: "),
        (["--shares", "0.5"], "shares of categories must be 2 to 30"),
        (["--statistic", "gwet_ac1", "--replicates", "2"], "replicates must be"),
    ],
)
def test_the_command_refuses_in_a_sentence(arguments, message):
    with pytest.raises(CommandError, match=message):
        run(*arguments)


def test_the_page(client):
    page = client.get(reverse("plan_items"), {"value": "0.6", "shares": "0.3,0.7", "aim": "power"})

    text = page.content.decode()
    assert page.status_code == 200
    assert "<dd>191<small>goodness-of-fit test of kappa</small></dd>" in text
    assert '<svg class="picture curve" ' in text
    assert 'value="0.3,0.7"' in text


def test_the_page_says_what_is_wrong_and_keeps_what_was_typed(client):
    page = client.get(reverse("plan_items"), {"shares": "0.5,0.6"})

    assert page.status_code == 400
    assert "Shares of categories must sum to 1" in page.content.decode()
    assert 'value="0.5,0.6"' in page.content.decode()


def test_the_api(client):
    found = client.get(reverse("api_plan_items"), {"value": "0.6", "shares": "0.3,0.7", "aim": "power"})

    body = found.json()
    assert [needed["n_items"] for needed in body["items"]] == [items_by_test(), 191]
    assert body["plan"]["shares"] == [0.3, 0.7]
    assert body["curve"]["points"][29]["cohen_kappa"] == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("query", "code"),
    [({"raters": "x"}, "invalid_parameter"), ({"luck": "1"}, "unknown_parameter")],
)
def test_the_api_refuses_with_the_field(client, query, code):
    refused = client.get(reverse("api_plan_items"), query)

    assert (refused.status_code, refused.json()["error"]) == (400, code)
    if code == "invalid_parameter":
        assert refused.json()["errors"][0]["field"] == "raters"
