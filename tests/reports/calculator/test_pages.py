"""The calculator in a browser without scripts: a file, pasted text, a typed matrix; nothing of it is stored."""

import base64
import csv
import io
import json
import re
import zlib

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from projects.models import Membership
from raters.models import CachedValue, LabelImport
from reports.pages.calculator import isolation, limits, rate_limits
from reports.pages.calculator.answering import answer_of
from tests import cast
from tests.files import confirm, run_queued
from tests.reading import only_reads
from tests.reports.looking import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.signed_in(None)]

TEXT = "item\tanna\tben\n" + "".join(
    f"{n}\t{'yes' if n % 3 else 'no'}\t{'yes' if n % 4 else 'no'}\n" for n in range(1, 41)
)
NUMBERS = "item\tanna\tben\n" + "".join(f"{n}\t{n / 7:.2f}\t{n / 7 + n % 3:.2f}\n" for n in range(1, 31))
SETS = "item\tanna\tben\n" + "".join(
    f"{n}\t{('a;b', 'b', 'a')[n % 3]}\t{('a;b', 'a')[n % 2]}\n" for n in range(1, 31)
)
MATRIX = {
    "way": "matrix", "size": "2", "level": "nominal", "rater_a": "Ann", "rater_b": "Ben",
    "name-0": "yes", "name-1": "no", "n-0-0": "20", "n-0-1": "5", "n-1-0": "10", "n-1-1": "15",
}  # fmt: skip


@pytest.fixture
def computed_here(monkeypatch):
    """In the test itself: a process for each calculation takes a second to start."""

    def response(told: bytes) -> bytes:
        asked, _, content = told.partition(b"\n")
        return json.dumps(answer_of(json.loads(asked), content)).encode()

    monkeypatch.setattr(isolation, "_subprocess_output", response)


here = pytest.mark.usefixtures("computed_here")


def post(client: Client, **data):
    return client.post("/calculate/", data)


def hidden(response) -> dict[str, str]:
    """What the form of a page carries on."""
    page = response.content.decode()
    found = re.search(r'name="carried" value="([^"]+)"', page)
    return {"carried": found[1]} if found else {}


def calculated(client: Client, response, **data):
    return post(client, **hidden(response), do="calculate", **data)


def test_the_page_is_for_everyone_and_writes_nothing(client):
    with only_reads():
        response = client.get("/calculate/")

    assert response.status_code == 200
    assert "not stored" in text_of(response)
    assert response["Cache-Control"] == "no-store"


def test_it_can_be_switched_off(client, settings):
    settings.CALCULATOR = False

    assert client.get("/calculate/").status_code == 404
    assert post(client, way="example").status_code == 404
    assert "/calculate/" not in client.get("/accounts/login/").content.decode()


def test_pasted_labels_are_previewed_and_calculated(client):
    preview = post(client, way="labels", text=TEXT)
    result = calculated(client, preview)

    assert preview.status_code == result.status_code == 200
    assert preview.context["questions"] == [{"key": "label", "kind": "single", "n_raters": 2, "n_labels": 80}]
    text = text_of(result)
    assert "2 raters · 40 items · 80 labels" in text
    assert "Landis & Koch 1977" in text.replace("&amp;", "&")
    for name in ("Krippendorff’s α", "Gwet’s AC1", "PABAK", "prevalence index", "bias index", "maximum κ"):
        assert name in text
    assert "40 items" in "".join(result.context["prose"].methods)


@here
@pytest.mark.parametrize(("text", "pair_figure"), [(TEXT, "cohen_kappa"), (NUMBERS, "lin_concordance")])
def test_the_figures_can_be_exported(client, text, pair_figure):
    page = calculated(client, post(client, way="labels", text=text))

    sent = post(client, carried=page.context["carried"], do="download", confidence="90")
    rows = list(csv.DictReader(io.StringIO(sent.content.decode())))

    assert sent["Content-Type"].startswith("text/csv")
    assert sent["Cache-Control"] == "no-store"
    assert "attachment" in sent["Content-Disposition"]
    overall = {row["statistic"]: row for row in rows if not row["rater_a"]}
    assert float(overall["krippendorff_alpha"]["value"]) == pytest.approx(
        page.context["agreement"].coefficients["krippendorff_alpha"]["value"]
    )
    assert {row["confidence"] for row in rows} == {"0.9"}
    [pair] = [row for row in rows if row["statistic"] == pair_figure and row["rater_a"]]
    assert float(pair["ci_low"]) < float(pair["value"]) < float(pair["ci_high"])


def test_weights_are_those_of_the_scale_unless_others_are_chosen(client):
    ordinal = post(client, **{**MATRIX, "level": "ordinal"})
    again = {"carried": ordinal.context["carried"], "do": "calculate"}
    plain = post(client, **again, weights="unweighted")
    nominal = post(client, **MATRIX)

    assert ordinal.context["measure"].key == "krippendorff_alpha", "the primary coefficient, as in a report"
    assert ("", "Quadratic weights (default)", True) in ordinal.context["weightings"]
    assert plain.context["measure"].title == "Cohen’s κ, unweighted"
    assert ("unweighted", "Unweighted", True) in plain.context["weightings"]
    assert nominal.context["weightings"] == [("", "Unweighted (default)", True)]


@here
def test_nothing_is_stored_but_how_often_an_address_calculates(client):
    with only_reads(but_for=frozenset({CachedValue._meta.db_table})):
        preview = post(client, way="labels", text=TEXT)
        calculated(client, preview)
        post(client, **MATRIX)

    values = "".join(str(row.value) for row in CachedValue.objects.all())
    assert "anna" not in values
    assert "yes" not in values


@here
def test_a_typed_matrix_gives_kappa_of_its_counts(client):
    result = post(client, **MATRIX)

    # Of 50 items 35 agree; expected are (25 × 30 + 25 × 20) / 50² = .5.
    section = result.context["sections"][0]
    assert section.kappa.observed == pytest.approx(0.7)
    assert section.kappa.expected == pytest.approx(0.5)
    assert section.kappa.kappa == pytest.approx(0.4)
    assert section.pair.rater_a.key == "Ann"
    assert "items/?" not in result.content.decode(), "what is not stored has no pages"
    assert [row.total.count for row in section.counts.rows] == [25, 25]


def value_of(result, name):
    """The value of an overall statistic on the page of a result."""
    return result.context["sections"][0].pair.agreement.coefficients[name]["value"]


@here
def test_a_category_that_nobody_chose_counts_if_it_was_typed(client):
    three = MATRIX | {
        "size": "3", "name-2": "maybe", "n-0-0": "40", "n-0-1": "5", "n-1-0": "5", "n-1-1": "50"
    }  # fmt: skip

    result = post(client, **three)
    again = post(client, carried=result.context["carried"], do="calculate", confidence="90")

    # pi = .45, .55, 0: expected are sum pi (1 - pi) / 2 = .2475; observed are .9.
    for page in (result, again):
        assert value_of(page, "gwet_ac1") == pytest.approx((0.9 - 0.2475) / (1 - 0.2475))
        assert value_of(page, "brennan_prediger") == pytest.approx((0.9 - 1 / 3) / (1 - 1 / 3))
        assert [row.total.count for row in page.context["sections"][0].counts.rows] == [45, 55, 0]


@here
def test_agreement_on_one_of_the_typed_categories_is_complete(client):
    result = post(client, **MATRIX | {"n-0-1": "0", "n-1-0": "0", "n-1-1": "0"})

    assert value_of(result, "gwet_ac1") == 1
    assert value_of(result, "brennan_prediger") == 1


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"n-0-1": "a"}, "whole number"),
        ({"n-0-1": "-1"}, "whole number"),
        ({"n-0-0": "20001"}, "whole number"),
        ({"n-0-0": "20000", "n-1-1": "20000"}, "add up"),
        ({"n-0-0": "", "n-0-1": "", "n-1-0": "0", "n-1-1": ""}, "Enter how many"),
        ({"name-0": ""}, "Name all categories"),
        ({"name-0": "no"}, "different names"),
        ({"rater_b": "Ann"}, "different names"),
        ({"rater_b": "x" * 61}, "60 characters"),
        ({"rater_b": "x\ny"}, "line breaks"),
    ],
)
def test_an_invalid_matrix_says_why_and_keeps_what_was_typed(client, changed, word):
    response = post(client, **MATRIX | changed)

    assert response.status_code == 400
    assert any(word in error for error in response.context["matrix"].errors)
    assert 'value="15"' in response.content.decode() or changed.get("n-1-1") is not None


@here
def test_the_matrix_grows_with_what_was_typed(client):
    response = post(client, **MATRIX | {"way": "size", "size": "3"})

    assert response.context["matrix"].size == 3
    assert 'name="n-2-2"' in response.content.decode()
    assert 'value="15"' in response.content.decode()


@here
@pytest.mark.parametrize("text", [NUMBERS, SETS], ids=["numbers", "sets"])
def test_numbers_and_sets_are_calculated_too(client, text):
    result = calculated(client, post(client, way="labels", text=text))

    assert result.status_code == 200
    assert result.context["pair_rows"]
    assert result.context["prose"].results


@here
def test_a_value_that_was_misread_is_corrected_where_it_is_shown(client):
    """99 is taken for a missing value: the page says so, and one choice takes it back."""
    labels = "".join(f"{n}\t{n % 5 + 1}\t{99 if n == 3 else n % 4 + 1}\n" for n in range(1, 31))
    preview = post(client, way="labels", text=f"item\tanna\tben\n{labels}")
    question = preview.context["form"].questions()[0]
    flagged = next(each for each in question.values if each.written == "99")

    as_read = calculated(client, preview)
    corrected = calculated(
        client, preview, understood="1", **{f"value-{question.place}-{flagged.place}": flagged.choices[0][0]}
    )

    assert flagged.why
    assert as_read.context["counted"].n_labels == 59
    assert corrected.context["counted"].n_labels == 60


@here
def test_of_several_rounds_one_is_chosen(client):
    text = "item,rater,label,round\n" + "".join(
        f"i{n},{rater},{'ab'[n % 2]},{name}\n"
        for name in ("first", "second")
        for n in range(9)
        for rater in ("anna", "ben")
    )

    preview = post(client, way="labels", text=text)
    chosen = calculated(client, preview, only_round="second")
    both = calculated(client, chosen)

    assert "the file has 2 rounds (first, second)" in text_of(preview)
    assert "choose it under “Round”" in text_of(preview)
    assert preview.context["n_faults"] == 1
    assert "2 raters · 9 items · 18 labels" in text_of(chosen)
    assert ("second", "second", True) in chosen.context["rounds"]
    assert both.context["n_faults"] == 1


def test_faults_say_what_and_where(client):
    response = post(client, way="labels", text="item,rater,label\n1,a,x\n1,a,y\n")

    assert response.context["n_faults"] == 1
    assert response.context["faults"][0]["line"] == 3
    assert "Calculate agreement" not in text_of(response)


def test_counts_of_raters_by_category_are_no_labels(client):
    table = "item\tyes\tno\tmaybe\n" + "".join(f"{n}\t{n % 4}\t{3 - n % 4}\t0\n" for n in range(12))

    response = post(client, way="labels", text=table)

    assert "counts" in {fault["code"] for fault in response.context["faults"]}


def test_what_was_carried_is_not_trusted(client):
    bomb = base64.b64encode(zlib.compress(b"0" * 200_000_000)).decode()

    for carried in ("", "x", "eJw=", bomb, base64.b64encode(zlib.compress(b"9\n{}")).decode()):
        response = post(client, carried=carried, do="calculate")
        assert response.status_code in (400, 413)
        assert response.context["refusal"]


def test_a_file_that_is_too_large_is_refused_before_it_is_read(client):
    large = SimpleUploadedFile("labels.csv", b"x" * (limits.MAX_BYTES + 1024 * 1024))

    response = client.post("/calculate/", {"way": "labels", "file": large})

    assert response.status_code == 413
    assert "project" in response.context["refusal"]


@here
def test_more_raters_than_it_takes_are_refused(client):
    head = "\t".join(f"r{n}" for n in range(limits.MAX_RATERS + 1))
    rows = "".join(
        f"{n}\t" + "\t".join("ab"[n % 2] for _ in range(limits.MAX_RATERS + 1)) + "\n" for n in range(9)
    )
    preview = post(client, way="labels", text=f"item\t{head}\n{rows}")

    response = calculated(client, preview)

    assert response.status_code == 413
    assert f"{limits.MAX_RATERS} raters" in response.context["refusal"]


def test_a_calculation_that_takes_too_long_is_ended(client, monkeypatch):
    monkeypatch.setattr(isolation, "SECONDS", 0.05)

    response = post(client, way="labels", text=TEXT)

    assert response.status_code == 413
    assert "longer" in response.context["refusal"]


def test_the_process_that_reads_files_of_strangers_knows_no_secret(settings, tmp_path, monkeypatch):
    monkeypatch.setenv("EMAIL_HOST_PASSWORD", "of the mail")

    told = " ".join(isolation._environment(str(tmp_path)).values())

    assert settings.SECRET_KEY not in told
    assert "of the mail" not in told
    assert str(settings.DATABASES["default"]["PASSWORD"] or "no password") not in told


@here
def test_an_address_that_calculates_too_often_waits(client, settings):
    settings.CALCULATOR_RATE = "2/m/ip"

    statuses = [post(client, **MATRIX).status_code for _ in range(3)]

    assert statuses == [200, 200, 429]


def test_a_limited_number_of_requests_calculate_at_once(client, monkeypatch):
    monkeypatch.setattr(rate_limits, "PATIENCE", 0.01)

    with rate_limits.one_at_a_time():
        response = post(client, way="labels", text=TEXT)

    assert response.status_code == 429
    assert response["Retry-After"] == "10"


@here
def test_a_result_is_saved_into_a_project_as_a_preview_of_its_import():
    lead = cast.person("calculating-lead")
    project = cast.new_project("Kept")
    project.memberships.create(user=lead, role=Membership.Role.LEAD)
    preview = post(Client(), way="labels", text=TEXT)
    client = cast.signed_in(lead)

    asked = client.post("/calculate/save/", hidden(preview))
    kept = client.post("/calculate/save/", {**hidden(preview), "project": project.slug})

    assert [each.slug for each in asked.context["projects"]] == [project.slug]
    draft = LabelImport.objects.get(project=project)
    assert kept.status_code == 302
    assert kept["Location"] == draft.get_absolute_url()
    assert client.get(kept["Location"]).status_code == 200


@here
def test_a_saved_matrix_keeps_categories_that_nobody_chose():
    lead = cast.person("matrix-lead")
    project = cast.new_project("Matrix kept")
    project.memberships.create(user=lead, role=Membership.Role.LEAD)
    unused = {
        "size": "3",
        "name-2": "unused",
        **{f"n-{a}-{b}": "0" for a, b in ("02", "12", "20", "21", "22")},
    }
    result = post(Client(), **MATRIX | unused)
    client = cast.signed_in(lead)

    kept = client.post("/calculate/save/", {**hidden(result), "project": project.slug})
    draft = LabelImport.objects.get(project=project)
    confirm(client, draft)
    run_queued(project)

    assert kept.status_code == 302
    keys = project.questions.get().categories.order_by("position").values_list("key", flat=True)
    assert list(keys) == ["yes", "no", "unused"]


@here
def test_nobody_saves_into_a_project_that_they_may_not_import_to():
    rater = cast.person("calculating-rater")
    project, other = cast.new_project("Labeled"), cast.new_project("Unknown")
    project.memberships.create(user=rater, role=Membership.Role.RATER)
    client = cast.signed_in(rater)
    carried = hidden(post(Client(), way="labels", text=TEXT))

    asked = client.post("/calculate/save/", carried)
    statuses = [
        client.post("/calculate/save/", {**carried, "project": each.slug}).status_code
        for each in (project, other)
    ]

    assert asked.context["projects"] == []
    assert statuses == [403, 404]
    assert not LabelImport.objects.exists()


@here
def test_visitors_sign_in_before_saving(client):
    response = client.post("/calculate/save/", hidden(post(client, way="labels", text=TEXT)))

    assert response.status_code == 302
    assert "sign-in" in response["Location"] or "login" in response["Location"]
