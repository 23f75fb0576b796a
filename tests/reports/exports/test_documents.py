"""Texts, tables, documents and scripts of a report, each opened by its own kind of reader."""

import io
import re
from typing import Any

import docx
import pytest
from django.urls import reverse
from lxml import html
from pypdf import PdfReader

from projects.models import Question
from reports.drawing import typeset
from reports.drawing.typeset import pdf_of
from reports.exports import pdf
from reports.exports.markup import latex_text
from reports.exports.recomputing import r_string
from reports.results.paper import table_of, text_of
from reports.results.prose import Style
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, labeled_project, new_question
from tests.reports.exports.test_tables import taken
from tests.reports.looking import led_by

ODD = '#panic("x") $x$ \\ "quoted" <b>&amp; ] [ * _ @a `raw` \u202e κ 漢 ~ % { } ^ ’'


@pytest.fixture
def odd(lead):
    """Names with every mark that some format takes for its own."""
    project = led_by(lead, cast.new_project("Odd", unique=True))
    project.name = ODD
    project.save(update_fields=["name"])
    question = new_question(project, key=ODD, categories=(ODD, "no"))
    add_labels(
        question,
        [
            (f"i{n}", rater, [ODD, "no"][n * k % 3 % 2])
            for n in range(9)
            for k, rater in ((1, ODD), (2, "B"), (4, "C"))
        ],
    )
    return project


def test_the_text_tells_the_figures_that_were_computed(client, lead, cats):
    report = finished_report(cats, lead)
    text = taken(client, report, "methods-apa.txt").decode()

    assert (
        "For “answer” (single choice among two categories, nominal scale), two raters labeled 51 items, yielding"
        " 102 labels. Both labeled every item (fully crossed design), so no labels were missing."
    ) in text
    assert (
        "Cohen’s κ (Cohen, 1960) as the primary coefficient; percent agreement was computed as well." in text
    )
    assert "Cohen’s κ was .35, 95% CI [" in text
    assert f"Interrater (Version {report.code_version}" in text
    assert report.digest[:16] in text
    assert "(Donner & Eliasziw, 1992)" in text


def test_the_plain_text_has_no_symbols(client, lead, cats):
    report = finished_report(cats, lead)
    text = taken(client, report, "methods-plain.txt").decode()

    assert "the two raters gave an item the same label 68.6% of the time (95% confidence interval: 5" in text
    assert "Cohen’s kappa was 0.35 (95% confidence interval: " in text
    assert "κ" not in text.partition("References")[0]


def test_missing_labels_and_cannot_tell_are_reported(client, lead, own_cats):
    own_cats.raters.get(key="A").labels.filter(item__key__in=["item-00001", "item-00002"]).delete()
    label = own_cats.raters.get(key="B").labels.order_by("pk").last()
    type(label).objects.filter(pk=label.pk).update(category=None, is_abstention=True)
    report = finished_report(own_cats, lead)

    text = taken(client, report, "methods-apa.txt").decode()

    assert "The raters overlapped on 48 of the 51 items (94.1%); each of the other three items was" in text
    assert "“Cannot tell” answers were treated as missing (n = 1). Missing labels were not imputed." in text


def test_weights_and_resampling_are_reported(client, lead):
    project = led_by(lead, labeled_project("Weighted"))
    Question.objects.filter(project=project).update(level="ordinal")
    report = finished_report(project, lead, weights="quadratic", interval="bca", replicates=1000, seed=7)

    text = taken(client, report, "methods-apa.txt").decode()

    assert "Krippendorff’s α (Krippendorff, 2004, 2011) with the ordinal metric as the primary" in text
    # A usual criterion is no decision of the authors.
    assert "criterion" not in text
    assert "AC2 used quadratic weights." in taken(client, report, "table.html").decode()
    assert "bootstrap (Efron, 1987), with 1,000 resamples of the items (random seed 7)." in text
    assert "Efron, B. (1987). Better bootstrap confidence intervals." in text


def test_text_and_table_give_the_same_percent_agreement(lead):
    project = led_by(lead, labeled_project("Weighted"))
    Question.objects.filter(project=project).update(level="ordinal")
    report = finished_report(project, lead, weights="quadratic")

    in_table = {row[1]: row[2:4] for row in table_of(report).rows}

    value, interval = in_table["Percent agreement"]
    low_and_high = interval.replace("%", "")
    assert f"percent agreement was {value}, 95% CI {low_and_high}" in text_of(report, Style.APA)
    assert in_table["Weighted percent agreement"] != in_table["Percent agreement"]


def test_an_undefined_figure_is_reported_as_undefined(client, lead):
    project = led_by(lead, cast.new_project("One category", unique=True))
    add_labels(new_question(project), [(f"i{n}", rater, "yes") for n in range(5) for rater in "AB"])
    report = finished_report(project, lead)

    text = taken(client, report, "methods-apa.txt").decode()

    assert "Cohen’s κ was undefined (all labels were the same); " in text
    # Wilson for 5 of 5.
    assert "; percent agreement was 100.0%, 95% CI [56.6, 100.0] (N = 5 items)." in text
    assert "None" not in text


def test_one_rater_and_a_reference_are_reported_as_two(client, lead, own_cats):
    own_cats.raters.filter(key="B").update(kind="reference")

    text = taken(client, finished_report(own_cats, lead), "methods-plain.txt").decode()

    assert "agreement was computed between the human rater and the reference “B”." in text
    assert "Cohen’s kappa was 0.35 (95% confidence interval: " in text
    assert "compute a report" not in text


def test_sets_have_their_distance(client, lead, mixed):
    text = taken(client, finished_report(mixed, lead), "methods-apa.txt").decode()

    assert " with the MASI distance for sets of categories (Passonneau, 2006) as the primary " in text
    assert "percent agreement on identical sets was computed as well." in text


def test_raters_excluded_from_every_question_are_reported_once(client, lead):
    project = led_by(lead, cast.new_project("Two questions", unique=True))
    for key in ("one", "two"):
        labels = [(f"i{n}", rater, ("yes", "no")[n % 2]) for n in range(6) for rater in "ABC"]
        add_labels(new_question(project, key=key), labels)
    project.raters.filter(key="C").update(kind="reference")

    text = taken(client, finished_report(project, lead), "methods-apa.txt").decode()

    assert text.count("Labels by the reference (“C”) did not enter the coefficients.") == 1
    assert text.count("For each of “one” and “two” (single choice among two categories") == 1


def test_the_latex_table_has_balanced_braces_and_no_bare_marks(client, lead, odd):
    report = finished_report(odd, lead)
    table = taken(client, report, "table.tex").decode()

    body = [line for line in table.splitlines() if not line.startswith("%")]
    text = "\n".join(body)
    bare = re.sub(r"\\[\\{}$&#_%]", "", text)
    assert bare.count("{") == bare.count("}")
    assert r"\toprule" in text
    assert "#" not in bare
    assert "_" not in bare


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("50% of $x_1$ & #2", r"50\% of \$x\_1\$ \& \#2"),
        ("a\\b{c}^~", r"a\textbackslash{}b\{c\}\textasciicircum{}\textasciitilde{}"),
        ("−.35 κ", r"$-$.35 $\kappa$"),
    ],
)
def test_latex_text_sets_every_mark_as_it_is(text, expected):
    assert latex_text(text) == expected


def test_the_html_table_is_read_as_text(client, lead, odd):
    report = finished_report(odd, lead)
    page = html.fromstring(taken(client, report, "table.html").decode())

    cells = [cell.text_content() for cell in page.iter("td")]

    assert ODD in cells
    assert next(page.iter("caption")).text_content() == f"Interrater Agreement: {ODD}"
    assert list(page.iter("b")) == []


def test_the_word_document_opens_with_text_and_table(client, lead, odd):
    report = finished_report(odd, lead)
    document = docx.Document(io.BytesIO(taken(client, report, "report.docx")))

    [table] = document.tables
    headings = [p.text for p in document.paragraphs if p.style.name.startswith(("Heading", "Title"))]

    assert headings == [f"Interrater Agreement: {ODD}", "Method", "Results", "References"]
    assert table.rows[0].cells[0].text == "Question"
    assert table.rows[1].cells[0].text == ODD
    assert document.core_properties.language == "en"


def test_the_pdf_is_tagged_titled_and_says_the_figures(client, lead, odd):
    report = finished_report(odd, lead)
    reader = PdfReader(io.BytesIO(taken(client, report, "report.pdf")))

    text = " ".join(page.extract_text() for page in reader.pages)

    assert reader.metadata.title == f"Interrater Agreement: {ODD}"
    root: dict[str, Any] = dict(reader.root_object)
    assert root["/Lang"] == "en"
    assert root["/MarkInfo"].get_object() == {"/Marked": True, "/Suspects": False}
    assert "#panic" in text
    assert f"{report.questions.get().n_labels}" in text


def test_the_first_page_of_the_pdf_is_the_summary(client, lead):
    project = led_by(lead, labeled_project("Twelve", n_raters=12))
    report = finished_report(project, lead)
    pages = PdfReader(io.BytesIO(taken(client, report, "report.pdf"))).pages

    first, second = (pages[place].extract_text() for place in (0, 1))

    kappas = [f"{pair.kappa:.2f}" for pair in report.questions.get().pairs.all()]
    assert "Fleiss’ κ = " in first
    assert all(first.count(kappa) >= 2 for kappa in kappas)
    assert "Share of all disagreement: " in first
    assert "Summary" not in second


def test_several_questions_share_the_first_page_with_their_matrices(client, lead):
    project = led_by(lead, labeled_project("Two questions", n_raters=4))
    level = new_question(project, key="level", categories=("low", "mid", "high"), level="ordinal", position=1)
    rows = [
        (f"j{n}", rater, ("low", "mid", "high")[(n + n % 4 * place) % 3])
        for n in range(40)
        for place, rater in enumerate("AB")
    ]
    add_labels(level, rows)
    report = finished_report(project, lead)
    pages = PdfReader(io.BytesIO(taken(client, report, "report.pdf"))).pages

    first, second = (pages[place].extract_text() for place in (0, 1))

    assert first.count("Cohen’s kappa of each pair") == 2
    assert "of each pair, quadratic weights" in first
    assert "Results" in second


def test_only_tables_that_no_page_can_hold_go_on_on_the_next_one(client, lead):
    project = led_by(lead, cast.new_project("Tables", unique=True))
    for key, n_categories in (("several", 25), ("some", 20), ("very_many_categories_of_a_long_name", 40)):
        question = new_question(project, key=key, categories=[f"{key}-{n:02}" for n in range(n_categories)])
        add_labels(
            question,
            [
                (f"item-{n:03}", rater, f"{key}-{n % n_categories:02}")
                for n in range(2 * n_categories)
                for rater in ("Ann", "Bo")
            ],
        )
    report = finished_report(project, lead)

    pages = [
        page.extract_text().replace("\u200b", "")
        for page in PdfReader(io.BytesIO(taken(client, report, "report.pdf"))).pages
    ]

    for key, n_categories in (("several", 25), ("some", 20)):
        [page] = [page for page in pages if f"Specific agreement by category of {key}" in page]
        assert all(f"{key}-{n:02}" in page for n in range(n_categories))


def test_a_table_that_goes_on_has_its_head_again():
    rows = [(f"row-{n:02}", "words that need a line of their own " * 3) for n in range(38)]
    table = pdf._figure(pdf._table(("First head", "Second head"), rows, n_words=2), "Long")

    document = pdf.HEAD.format(title='"Title"', about='"About"') + table
    pages = [page.extract_text() for page in PdfReader(io.BytesIO(pdf_of(document))).pages]

    assert len(pages) > 1
    assert all("First head" in page for page in pages if "row-" in page)
    assert sorted(re.findall(r"row-\d\d", " ".join(pages))) == [f"row-{n:02}" for n in range(38)]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a short key", ["a short key"]),
        ("question_0_about_something", ["question_", "0_", "about_", "something"]),
        ("a" * 45, ["a" * 20, "a" * 20, "a" * 5]),
    ],
)
def test_long_words_can_be_broken_in_a_cell(text, parts):
    assert pdf._breakable(text).split("\u200b") == parts


def test_the_pdf_of_every_kind_of_question(client, lead, mixed):
    report = finished_report(mixed, lead)

    reader = PdfReader(io.BytesIO(taken(client, report, "report.pdf")))

    assert "ICC(A,1)" in " ".join(page.extract_text() for page in reader.pages)


def test_the_pdf_of_a_report_without_labels(client, lead):
    project = led_by(lead, cast.new_project("Empty", unique=True))
    new_question(project)
    report = finished_report(project, lead)

    reader = PdfReader(io.BytesIO(taken(client, report, "report.pdf")))

    assert len(reader.pages) == 1
    assert "“answer” has no labels, so no statistics were computed." in reader.pages[0].extract_text()


def test_a_document_that_takes_too_long_is_ended(monkeypatch):
    monkeypatch.setattr(typeset, "SECONDS", 0.5)

    with pytest.raises(typeset.TypesettingFailed):
        typeset.pdf_of("#let x = 0\n#while true { x = x + 1 }")


def test_a_pdf_that_cannot_be_made_is_reported(monkeypatch, client, lead, cats):
    report = finished_report(cats, lead)
    monkeypatch.setattr(typeset, "SECONDS", 0)

    page = client.get(reverse("report_export", args=[cats.slug, report.pk, "report.pdf"]), follow=True)
    api = client.get(reverse("api_export", args=[cats.slug, report.pk, "report.pdf"]))

    assert "Creating the PDF took too much time or memory." in page.content.decode()
    assert (api.status_code, api.json()["error"]) == (503, "not_made")


@pytest.mark.parametrize(
    "name", ["methods-apa.txt", "report.docx", "table.tex", "sources.bib", "recompute.R"]
)
def test_small_files_of_every_kind_of_question(client, lead, mixed, name):
    report = finished_report(mixed, lead)

    assert taken(client, report, name)


def test_bibtex_has_one_entry_for_each_work(client, lead, cats):
    report = finished_report(cats, lead)
    entries = taken(client, report, "sources.bib").decode()

    assert re.findall(r"^@article\{(cohen\w+),$", entries, re.MULTILINE) == ["cohen1960", "cohen1968"]
    assert entries.count("{") == entries.count("}")
    assert "doi = {10.1177/001316446002000104}" in entries


def test_r_strings_cannot_be_ended_by_a_name():
    assert r_string('a"b\\c\nκ') == '"a\\"b\\\\c\\U0000000a\\U000003ba"'
