"""Plans of audits: what is answered, what is refused, and how page, API and command say it."""

import io
import json

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from scipy import stats

from reports.pictures.acceptance_plot import acceptance_picture
from reports.plans.audit import DECIDE, ESTIMATE, AuditPlan, audit_answer
from reports.plans.audit_form import AuditPlanForm
from reports.plans.audit_plan_tables import estimated_percent, look_rows, percent, rate_rows, sentences
from tests.reports.drawn import marks


def test_a_plan_for_an_estimate():
    found = audit_answer(AuditPlan(aim=ESTIMATE, share=0.5, margin=0.05, size=1000))

    assert found.n_labels == 278
    assert found.expected.value == pytest.approx(0.5)
    assert found.expected.high - found.expected.low == pytest.approx(0.1, abs=0.01)
    assert found.plan is None


def test_a_plan_for_a_decision_keeps_its_risks():
    found = audit_answer(AuditPlan(acceptable=0.02, rejectable=0.08, size=4212))

    look = found.plan.looks[0]
    good, bad = (stats.hypergeom(4212, wrong, look.n).cdf(look.accept) for wrong in (84, 337))
    assert found.risks.acceptance == pytest.approx([good, bad])
    assert good >= 0.95
    assert bad <= 0.10
    assert f"{look.n} of 4,212 labels" in sentences(found)[0]


@pytest.mark.parametrize("sampling", ["double", "sequential"])
def test_plans_with_several_looks_say_when_to_stop(sampling):
    found = audit_answer(AuditPlan(sampling=sampling))

    rows = look_rows(found)
    assert rows[-1].n == found.n_labels
    assert int(rows[-1].reject) == int(rows[-1].accept) + 1
    assert "average number" in sentences(found)[-1]


def test_the_table_has_every_limit_of_a_long_plan():
    # As rates come closer, limits change more often: 72 wrong labels are accepted by the single plan of these.
    found = audit_answer(AuditPlan(sampling="sequential", acceptable=0.05, rejectable=0.07))

    rows = look_rows(found)

    assert len(rows) > 100
    places = np.searchsorted([row.n for row in rows], [look.n for look in found.plan.looks], side="right") - 1
    assert [(rows[at].accept, rows[at].reject) for at in places.tolist()] == [
        ("–" if look.accept < 0 else str(look.accept), str(look.reject)) for look in found.plan.looks
    ]


@pytest.mark.parametrize(
    ("share", "margin", "n_sentences"), [(0.05, 0.02, 2), (0.5, 0.05, 2), (0.001, 0.02, 3)]
)
def test_a_margin_that_few_wrong_labels_do_not_keep_is_pointed_out(share, margin, n_sentences):
    # Cochran's 10 labels for 0.1% ± 2 points: none is wrong, and Clopper and Pearson's upper limit is 31%.
    found = audit_answer(AuditPlan(aim=ESTIMATE, share=share, margin=margin))

    assert len(sentences(found)) == n_sentences


def test_the_curve_falls_from_certainty():
    curve = audit_answer(AuditPlan()).curve

    assert curve.acceptance[0] == pytest.approx(1.0)
    assert (curve.acceptance[1:] <= curve.acceptance[:-1] + 1e-12).all()
    assert rate_rows(curve)[0].acceptance == "100%"


def test_the_picture_shows_the_curve_and_both_rates():
    asked = AuditPlan()
    found = audit_answer(asked)

    drawn = acceptance_picture(found.curve, asked)

    assert len(marks(drawn, "risks")) == 2
    assert marks(drawn, "acceptance")


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0, "0%"),
        (1, "100%"),
        (0.0025, "0.25%"),
        (0.02, "2%"),
        (0.065, "6.5%"),
        (0.9739, "97.4%"),
        (0.1, "10%"),
    ],
)
def test_rates_keep_their_digits(share, words):
    assert percent(share) == words


def test_estimated_rates_have_the_same_number_of_digits():
    assert [estimated_percent(rate) for rate in (0.28, 0.267, 1.0, 0.0025)] == [
        "28.0%",
        "26.7%",
        "100.0%",
        "0.25%",
    ]


def test_page(client):
    page = client.get(reverse("plan_audit"), {"sampling": "double", "size": "5000"})

    assert page.status_code == 200
    assert page.context["found"].asked == AuditPlan(sampling="double", size=5000)
    assert b'id="looks"' in page.content
    assert b'id="rates"' in page.content


def test_an_estimate_has_no_curve(client):
    query = {"aim": ESTIMATE}

    page = client.get(reverse("plan_audit"), query)
    picture = client.get(reverse("audit_plan_picture", args=["acceptance.svg"]), query)

    assert b'id="rates"' not in page.content
    assert picture.status_code == 404


def test_picture_as_a_file(client):
    drawn = client.get(reverse("audit_plan_picture", args=["acceptance.svg"]), {"sampling": "sequential"})

    assert drawn["Content-Type"].startswith("image/svg+xml")
    assert b"Probability of acceptance" in drawn.content


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"acceptable": "0.1", "rejectable": "0.05"}, "rejectable"),
        ({"acceptable": "0.020", "rejectable": "0.021"}, "__all__"),
        ({"producer": "0.6"}, "producer"),
        ({"aim": ESTIMATE, "margin": "0"}, "margin"),
        ({"aim": ESTIMATE, "share": "0"}, "share"),
        ({"aim": ESTIMATE, "share": "0.5", "margin": "0.0001", "size": "1000000000"}, "__all__"),
        ({"size": "0"}, "size"),
        ({"sampling": "triple"}, "sampling"),
        ({"share": "x"}, "share"),
        # What no float or no memory holds, or what would keep a server busy for minutes.
        ({"aim": ESTIMATE, "margin": "1e-300"}, "__all__"),
        ({"aim": ESTIMATE, "margin": "1e-9", "share": "0.5", "size": "1000000000"}, "__all__"),
        ({"aim": ESTIMATE, "margin": "1e-9"}, "__all__"),
        ({"acceptable": "0", "rejectable": "1e-300"}, "__all__"),
        ({"acceptable": "0", "rejectable": "1e-9"}, "__all__"),
        ({"sampling": "double", "acceptable": "0.45", "rejectable": "0.5"}, "__all__"),
        ({"sampling": "sequential", "acceptable": "0", "rejectable": "0.0002"}, "__all__"),
    ],
)
def test_refused_on_page_and_api(client, asked, field):
    form = AuditPlanForm(asked)

    assert form.answer() is None
    assert list(form.errors) == [field]
    assert client.get(reverse("plan_audit"), asked).status_code == 400
    refused = client.get(reverse("api_plan_audit"), asked)
    assert refused.status_code == 400
    assert refused.json()["errors"]


def test_an_error_rate_of_nearly_nothing_takes_one_label():
    found = audit_answer(AuditPlan(aim=ESTIMATE, share=1e-300, margin=0.02, size=1))

    assert found.n_labels == 1
    assert found.expected.high == 0


def test_api_gives_what_the_page_shows(client):
    asked = {"sampling": "double", "acceptable": "0.01", "rejectable": "0.06", "size": "900"}

    found = client.get(reverse("api_plan_audit"), asked).json()

    shown = audit_answer(AuditPlan(aim=DECIDE, sampling="double", acceptable=0.01, rejectable=0.06, size=900))
    assert found["n_labels"] == shown.n_labels
    assert [(look["n"], look["accept"], look["reject"]) for look in found["looks"]] == [
        (look.n, look.accept, look.reject) for look in shown.plan.looks
    ]
    assert [point["acceptance"] for point in found["curve"]] == shown.curve.acceptance.tolist()


def test_command():
    text, programs = io.StringIO(), io.StringIO()

    call_command("plan_audit", "--sampling=double", "--curve", stdout=text)
    call_command("plan_audit", "--json", stdout=programs)

    assert "audited" in text.getvalue()
    assert "accepted" in text.getvalue()
    assert json.loads(programs.getvalue())["looks"]
    with pytest.raises(CommandError, match="--size"):
        call_command("plan_audit", "--size=-1")
    with pytest.raises(CommandError, match="--rejectable"):
        call_command("plan_audit", "--acceptable=0.5", "--rejectable=0.4")


def test_the_average_number_of_labels_is_drawn_for_plans_of_several_looks(client):
    address = reverse("audit_plan_picture", args=["labels-audited.svg"])

    double, single = (client.get(address, {"sampling": sampling}) for sampling in ("double", "single"))

    assert (double.status_code, single.status_code) == (200, 404)
    assert b"labels audited on average" in double.content
    page = client.get(reverse("plan_audit"), {"sampling": "double"})
    assert marks(page.context["numbers"], "sample_number")
    assert client.get(reverse("plan_audit"), {"sampling": "single"}).context["numbers"] is None
