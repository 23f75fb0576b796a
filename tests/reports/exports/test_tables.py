"""Each file of a report, opened by its own kind of reader."""

import csv
import io
import json
import zipfile

import openpyxl
import pytest
from django.urls import reverse

from core.tables.safe_cells import BEGINS_FORMULA, original_cell
from projects.models import Event
from raters.models import Label, Rater
from tests import cast
from tests.finished import finished_report
from tests.labeling import from_table, labeled_project, new_question
from tests.reports.looking import led_by, question_page, text_of
from tests.reports.numbers_and_sets import add_numbers
from tests.sizes import only_in_full

NASTY = [
    '=HYPERLINK("http://x")',
    "+1",
    "-1",
    "@SUM(A1)",
    "'quoted",
    "＝1",
    'a"b,c',
    "<b>&amp;</b>",
    "naïve κ",
]


def taken(client, report, name):
    response = client.get(reverse("report_export", args=[report.project.slug, report.pk, name]))
    assert response.status_code == 200
    return b"".join(response.streaming_content)


def csv_rows(content):
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


def tables_in(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def test_tables_hold_every_figure_of_the_report(client, lead, cats):
    report = finished_report(cats, lead)
    tables = tables_in(taken(client, report, "tables.zip"))

    coefficients = {row["statistic"]: row for row in csv_rows(tables["coefficients.csv"])}
    [pair] = csv_rows(tables["pairs.csv"])
    counts = {(row["category_a"], row["category_b"]): int(row["n"]) for row in csv_rows(tables["counts.csv"])}

    stored = report.questions.get().coefficients
    assert {name: float(row["value"]) for name, row in coefficients.items()} == {
        name: found["value"] for name, found in stored.items()
    }
    assert float(pair["kappa"]) == report.questions.get().pairs.get().kappa
    assert counts == {("cat", "cat"): 22, ("cat", "dog"): 9, ("dog", "cat"): 7, ("dog", "dog"): 13}
    assert "pairs.csv – Cohen's kappa of each pair" in tables["README.txt"].decode()
    assert report.digest in tables["README.txt"].decode()


def test_tables_say_which_intervals_were_cut(client, lead, mixed):
    report = finished_report(mixed, lead)

    tables = tables_in(taken(client, report, "tables.zip"))

    cut = {
        (row["question"], row["statistic"]): row["is_clipped"] for row in csv_rows(tables["coefficients.csv"])
    }
    stored = {
        (agreement.question.key, name): str(int(found["is_clipped"]))
        for agreement in report.questions.all()
        for name, found in agreement.coefficients.items()
    }
    assert {key[0].removeprefix("'"): None for key in cut} == {key[0]: None for key in stored}
    assert sorted(cut.values()) == sorted(stored.values())
    assert set(cut.values()) == {"0", "1"}


def test_the_figures_of_pairs_are_those_of_the_pair_page(client, lead, cats):
    report = finished_report(cats, lead)

    rows = csv_rows(tables_in(taken(client, report, "tables.zip"))["pair_statistics.csv"])

    address = reverse("api_pair", args=[cats.slug, report.pk, "answer", *pair_ids(report)])
    api = client.get(address).json()
    values = {row["statistic"]: float(row["value"]) for row in rows if row["value"]}
    expected = api["statistics"]["values"]
    assert values == {name: found["value"] for name, found in expected.items() if found["value"] is not None}


def pair_ids(report):
    pair = report.questions.get().pairs.get()
    return pair.rater_a_id, pair.rater_b_id


def test_every_table_is_a_csv_without_formulas(client, lead, mixed):
    report = finished_report(mixed, lead)

    tables = tables_in(taken(client, report, "tables.zip"))

    cells = {
        cell
        for name, content in tables.items()
        if name.endswith(".csv")
        for row in csv.reader(io.StringIO(content.decode(), newline=""))
        for cell in row
    }
    texts = {cell for cell in cells if not is_number(cell)}
    assert not {cell for cell in texts if cell[:1] in BEGINS_FORMULA and cell}
    assert set(NASTY) <= {original_cell(cell) for cell in texts}


def is_number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_the_workbook_opens_with_a_sheet_for_each_table_and_no_formula(client, lead, mixed):
    report = finished_report(mixed, lead)

    book = openpyxl.load_workbook(io.BytesIO(taken(client, report, "tables.xlsx")))

    names = [name.removesuffix(".csv") for name in tables_in(taken(client, report, "tables.zip"))]
    assert book.sheetnames == ["about", *names[1:]]
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row if cell.value is not None]
    assert {cell.data_type for cell in cells} == {"s", "n"}
    assert not [
        cell.value for cell in cells if cell.data_type == "s" and str(cell.value)[:1] in BEGINS_FORMULA
    ]
    categories = [
        row[2].value for row in book["categories"].iter_rows(min_row=2) if row[0].value == "'=answer"
    ]
    assert list(map(original_cell, categories)) == NASTY


def test_a_workbook_says_which_sheets_are_cut(monkeypatch, client, lead, cats):
    monkeypatch.setattr("reports.exports.workbook.MAX_ROWS", 3)

    book = openpyxl.load_workbook(io.BytesIO(taken(client, finished_report(cats, lead), "tables.xlsx")))

    about = dict(book["about"].iter_rows(values_only=True))
    assert book["counts"].max_row == book["report"].max_row == 4
    assert "Limited to the first 3 rows; the CSV files contain all rows." in about["counts"]
    assert "Limited to" not in about["raters"]


def test_the_workbook_keeps_numbers_as_numbers(client, lead, cats):
    report = finished_report(cats, lead)

    book = openpyxl.load_workbook(io.BytesIO(taken(client, report, "tables.xlsx")))

    header, row = book["pairs"].iter_rows(values_only=True)
    # Excel keeps 15 to 17 digits of a number.
    assert row[header.index("kappa")] == pytest.approx(report.questions.get().pairs.get().kappa, abs=1e-15)


def test_everything_is_json_with_all_that_is_stored(client, lead, mixed):
    report = finished_report(mixed, lead)

    found = json.loads(taken(client, report, "results.json"))

    assert found["digest"] == report.digest
    assert [question["key"] for question in found["questions"]] == ["=answer", "score", "topics"]
    for question in found["questions"]:
        stored = report.questions.get(question__key=question["key"])
        assert question["coefficients"] == stored.coefficients
        assert question["statistics"] == stored.statistics
        assert [pair["counts"] for pair in question["pairs"]] == list(
            stored.pairs.order_by("rater_a_id", "rater_b_id").values_list("counts", flat=True)
        )


def test_long_labels_are_those_of_the_report_even_after_a_change(client, lead, own_cats):
    report = finished_report(own_cats, lead)
    before = taken(client, report, "labels-long.csv")
    label = Label.objects.filter(question__project=own_cats).order_by("pk").first()
    label.category = label.question.categories.get(key="dog")
    label.save(update_fields=["category"])
    Label.objects.filter(question__project=own_cats).order_by("-pk").first().delete()

    after = taken(client, report, "labels-long.csv")

    def confusion_in(content):
        return [(row["item"], row["rater"], row["label"]) for row in csv_rows(content)]

    assert confusion_in(after) == confusion_in(before) == from_table([[22, 9], [7, 13]], ["cat", "dog"])


def test_what_adjudicators_decided_is_no_label_of_the_report(client, lead, own_cats):
    label = Label.objects.filter(question__project=own_cats).order_by("pk").first()
    decider = Rater.objects.create(project=own_cats, key="consensus", kind=Rater.Kind.CONSENSUS)
    Label.objects.create(item=label.item, question=label.question, rater=decider, category=label.category)
    report = finished_report(own_cats, lead)

    long = csv_rows(taken(client, report, "labels-long.csv"))
    wide = csv_rows(taken(client, report, "labels-wide.csv"))

    assert {row["rater"] for row in long} == {"A", "B"}
    assert set(wide[0]) == {"item", "A", "B"}
    assert "consensus" not in tables_in(taken(client, report, "recal.zip"))["README.txt"].decode()
    assert "decided in adjudication were not included" in taken(client, report, "methods-apa.txt").decode()


def test_long_labels_have_a_value_of_each_kind(client, lead, mixed):
    report = finished_report(mixed, lead)

    rows = csv_rows(taken(client, report, "labels-long.csv"))

    numbers = [float(row["label"]) for row in rows if row["question"] == "score"]
    topics = [row["label"] for row in rows if row["question"] == "topics"]
    assert sorted(numbers) == [-3.25, -3, 0, 1e-9, 1, 1.5, 2, 2]
    assert sorted(topics) == ["", "A", "A|B", "B", "B", "C"]
    assert {row["counts"] for row in rows} == {"1"}


def test_an_abstention_is_distinguished_from_a_label(client, lead, own_cats):
    label = Label.objects.filter(question__project=own_cats).order_by("pk").first()
    Label.objects.filter(pk=label.pk).update(category=None, is_abstention=True, reason="=too dark")
    report = finished_report(own_cats, lead)

    first = csv_rows(taken(client, report, "labels-long.csv"))[0]

    assert (first["label"], first["cannot_tell"], first["counts"]) == ("", "1", "0")
    assert first["reason"] == "'=too dark"


def test_wide_labels_have_a_row_for_each_item_and_a_column_for_each_rater(client, lead, mixed):
    report = finished_report(mixed, lead)

    rows = csv_rows(taken(client, report, "labels-wide.csv"))

    assert len(rows) == mixed.items.count()
    by_item = {row["item"]: row for row in rows}
    assert float(by_item["i001"]["score: r1"]) == -3.25
    assert by_item["i000"]["score: r2"] == ""
    assert by_item["i000"]["topics: r1"] == "A|B"
    assert "'=answer: +1" in rows[0]


def test_recal_gets_whole_numbers_of_complete_items(client, lead, own_cats):
    Label.objects.filter(question__project=own_cats, item__key="item-00001", rater__key="B").delete()
    report = finished_report(own_cats, lead)

    files = tables_in(taken(client, report, "recal.zip"))

    lines = files["01_answer.csv"].decode().splitlines()
    assert lines[0] == "1,1"
    assert sorted(set(lines)) == ["1,1", "1,2", "2,1", "2,2"]
    assert len(lines) == 50
    assert "50 items; 1 excluded because not every rater labeled them" in files["README.txt"].decode()
    assert "2 = dog" in files["README.txt"].decode()


def test_recal_marks_what_is_missing_of_a_number(client, lead, numbers):
    add_numbers(numbers, [[1.5, 2, None], [-3, 4, 1e-9]])
    report = finished_report(numbers.project, lead)

    files = tables_in(taken(client, report, "recal.zip"))

    assert files["01_score.csv"].decode().splitlines() == ["1.5,2,#", "-3,4,0.000000001"]


def test_the_page_names_every_file_with_what_it_is_for(client, lead, cats):
    report = finished_report(cats, lead)

    response = client.get(reverse("report_exports", args=[cats.slug, report.pk]))
    listed = client.get(reverse("api_exports", args=[cats.slug, report.pk])).json()

    assert response.status_code == 200
    for file in listed:
        assert f'href="{file["name"]}"' in response.content.decode()
        assert file["what"].replace("’", "'") in text_of(response).replace("’", "'").replace("&#x27;", "'")


@only_in_full
def test_the_stated_sizes_are_of_the_right_order(client, lead, cats):
    report = finished_report(cats, lead)

    listed = client.get(reverse("api_exports", args=[cats.slug, report.pk])).json()

    for file in listed:
        size = len(taken(client, report, file["name"]))
        assert size / 6 < file["n_bytes_about"] < size * 6, file["name"]


def test_the_api_sends_the_same_bytes(client, lead, cats):
    report = finished_report(cats, lead)

    response = client.get(reverse("api_export", args=[cats.slug, report.pk, "labels-long.csv"]))

    assert b"".join(response.streaming_content) == taken(client, report, "labels-long.csv")
    assert response["Content-Disposition"] == (
        f'attachment; filename="{cats.slug}-report-{report.pk}-labels-long.csv"'
    )


def test_taking_a_file_is_in_the_log(client, lead, cats):
    report = finished_report(cats, lead)

    taken(client, report, "tables.zip")

    [event] = Event.objects.filter(project_id=cats.pk, kind="exported")
    assert (event.user_id, event.about, event.detail) == (lead.pk, "tables.zip", {"report": report.pk})


def test_an_unfinished_report_has_nothing_to_take(client, lead, cats):
    from reports.store.requests import request_report

    report = request_report(cats, by=lead)

    page = client.get(reverse("report_exports", args=[cats.slug, report.pk]))
    file = client.get(reverse("report_export", args=[cats.slug, report.pk, "tables.zip"]))

    assert page.status_code == 302
    assert file.status_code == 404


def test_an_unknown_file_is_not_found(client, lead, cats):
    report = finished_report(cats, lead)

    assert client.get(reverse("report_export", args=[cats.slug, report.pk, "x.exe"])).status_code == 404
    assert client.get(reverse("api_export", args=[cats.slug, report.pk, "x.exe"])).status_code == 404


def test_a_question_without_labels_has_empty_tables(client, lead):
    project = led_by(lead, cast.new_project("Empty", unique=True))
    new_question(project)
    report = finished_report(project, lead)

    tables = tables_in(taken(client, report, "tables.zip"))

    assert csv_rows(tables["pairs.csv"]) == []
    assert csv_rows(taken(client, report, "labels-long.csv")) == []
    assert csv_rows(taken(client, report, "labels-wide.csv")) == []


@pytest.mark.parametrize(("weights", "is_named"), [("linear", True), ("unweighted", False)])
def test_the_mean_of_weighted_pairs_is_named_so_on_the_page_and_in_files(client, lead, weights, is_named):
    project = led_by(lead, labeled_project("Weighted mean"))
    project.questions.update(level="ordinal")
    report = finished_report(project, lead, weights=weights)

    [on_page] = [
        row.title
        for row in question_page(client, report).context["all_rows"]
        if row.name == "mean_pairwise_kappa"
    ]
    [in_file] = [
        row["title"]
        for row in csv_rows(tables_in(taken(client, report, "tables.zip"))["coefficients.csv"])
        if row["statistic"] == "mean_pairwise_kappa"
    ]

    assert on_page == in_file
    assert on_page.endswith(", weighted") is is_named


@pytest.mark.parametrize("style", ["apa", "plain"])
def test_what_adjudicators_decide_later_is_not_in_the_text_of_a_report(client, lead, own_cats, style):
    first = Label.objects.filter(question__project=own_cats).order_by("pk").first()
    decider = Rater.objects.create(project=own_cats, key="consensus", kind=Rater.Kind.CONSENSUS)
    early = Label.objects.create(
        item=first.item, question=first.question, rater=decider, category=first.category
    )
    report = finished_report(own_cats, lead)
    methods = taken(client, report, f"methods-{style}.txt")

    early.delete()
    for label in Label.objects.filter(item__project=own_cats, rater__key="A").exclude(item=first.item)[:3]:
        Label.objects.create(item=label.item, question=label.question, rater=decider, category=label.category)

    assert b"adjudication" in methods
    assert taken(client, report, f"methods-{style}.txt") == methods
