"""Categories and numbers that are treated as missing: left out of every statistic, counted, and told."""

import csv
import io

import pytest

from projects.codebook.categories import change_category
from projects.codebook.questions import change_question
from projects.codebook.refusals import CodebookRefused
from projects.models import Event, Question
from raters.imports.label_options import QuestionOptions
from raters.models import Label, LabelRevision
from raters.reading.values import ValueMeaning
from reports.analysis.equality import same_figures
from reports.exports.label_exports import labels_long
from reports.results.prose import Style, prose_of
from reports.results.report_changes import changes_since
from reports.store.verification import verify
from tests import cast
from tests.files import csv as csv_of
from tests.files import load
from tests.finished import finished_report
from tests.labeling import add_labels, new_question
from tests.reports.looking import led_by
from tests.reports.numbers_and_sets import add_numbers, add_sets

LABELS = ["aab", "bNb", "aaa", "NNa", "bbN", "abb", "NNN", "bba", "aNa", "bbb"]
SETS = [
    ["a", "a", "b"],
    ["ab", "bN", ""],
    ["", "a", "ab"],
    ["N", "b", "a"],
    ["aN", "N", "a"],
    ["b", "ab", "b"],
]
NUMBERS = [[1.0, 2.0, 99.0], [4.0, 4.5, 1.0], [7.0, 99.0, -9.0], [2.0, 3.0, 8.0], [5.0, 5.5, 5.0]]


def single(project, level="nominal", *, without=""):
    categories = [key for key in "Nab" if key not in without]
    question = new_question(project, key="tone", categories=categories, level=level)
    rows = [(f"i{i}", f"r{r}", answer) for i, row in enumerate(LABELS) for r, answer in enumerate(row)]
    add_labels(question, [row for row in rows if row[2] not in without])
    return question


def multiple(project, *, without=""):
    categories = [key for key in "Nab" if key not in without]
    question = new_question(project, key="tone", kind="multiple", categories=categories)
    left = [[None if set(answer) & set(without) else list(answer) for answer in row] for row in SETS]
    add_sets(question, left)
    return question


def numeric(project, *, without=()):
    question = Question.objects.create(project=project, key="tone", kind="number", level="interval")
    add_numbers(question, [[None if value in without else value for value in row] for row in NUMBERS])
    return question


def treat(question, lead, key="N", *, is_missing=True):
    change_category(question.categories.get(key=key), by=lead, treated_as_missing=is_missing)


def figures(report):
    """All that was found, without what names rows of the database."""
    [found] = report.questions.all()
    statistics = {name: each for name, each in found.statistics.items() if name != "missing"}
    pairs = [
        (p.rater_a.key, p.rater_b.key, p.n, p.counts, p.figures, p.observed, p.expected, p.kappa, p.se, p.ci_low,
         p.ci_high, p.kappa_max, p.reason)
        for p in found.pairs.select_related("rater_a", "rater_b").order_by("rater_a__key", "rater_b__key")
    ]  # fmt: skip
    sizes = (found.n_items, found.n_raters, found.n_labels, found.n_abstentions, found.n_pairs)
    raters = [(rater["key"], rater["n_labels"]) for rater in found.raters]
    return [found.coefficients, statistics, pairs, sizes, raters, [c["key"] for c in found.categories]]


@pytest.fixture
def twice(lead):
    return [led_by(lead, cast.new_project(name, unique=True)) for name in ("Declared", "Without")]


@pytest.mark.parametrize("options", [{}, {"interval": "percentile", "replicates": 1000, "seed": 1}])
@pytest.mark.parametrize(
    ("make", "declare", "without"),
    [
        (single, lambda question, lead: treat(question, lead), "N"),
        (multiple, lambda question, lead: treat(question, lead), "N"),
        (numeric, lambda q, lead: change_question(q, by=lead, missing_values=[99, -9]), (99.0, -9.0)),
    ],
    ids=["single", "multiple", "number"],
)
def test_figures_are_those_of_the_labels_without_them(twice, lead, make, declare, without, options):
    declared, left_out = twice
    question = make(declared)
    make(left_out, without=without)

    declare(question, lead)
    report = finished_report(declared, lead, **options)

    expected = figures(finished_report(left_out, lead, **options))
    assert same_figures(figures(report), expected)
    assert figures(report)[3] == expected[3]
    assert verify(report) == []


def test_a_category_declared_later_is_as_a_value_missing_in_the_file(twice, lead):
    """“NA” becomes a category in silence; treated as missing, all figures are as if the file had been understood."""
    rows = [(f"i{i}", f"r{r}", answer) for i, row in enumerate(LABELS) for r, answer in enumerate(row)]
    content = csv_of(*(f"{item},{rater},{'NA' if answer == 'N' else answer}" for item, rater, answer in rows))
    for project, becomes in zip(
        twice, (ValueMeaning("category", "NA"), ValueMeaning("missing")), strict=True
    ):
        load(
            project,
            content,
            by=lead,
            question="tone",
            questions={"tone": QuestionOptions(values={"NA": becomes})},
        )
    [question] = twice[0].questions.all()
    wrong, right = (finished_report(project, lead) for project in twice)
    treat(question, lead, "NA")

    found = finished_report(twice[0], lead)

    assert same_figures(figures(found), figures(right))
    assert not same_figures(figures(wrong), figures(right))


def test_an_ordinal_scale_closes_ranks(twice, lead):
    declared, left_out = twice
    question = single(declared, "ordinal")
    single(left_out, "ordinal", without="N")
    treat(question, lead)

    found = [finished_report(project, lead, weights="quadratic") for project in twice]

    assert same_figures(*map(figures, found))


def test_it_is_counted_and_shown_and_changes_no_label(twice, lead):
    question = single(twice[0])
    n_revisions = LabelRevision.objects.count()
    treat(question, lead)

    report = finished_report(twice[0], lead)

    [result] = report.questions.all()
    assert result.statistics["missing"] == {"N": 8}
    assert result.missing_sentences == ["8 labels of the category “N” are treated as missing."]
    assert (
        "Labels of the category “N” were treated as missing (n = 8); items without another label were left out."
        in prose_of(report, Style.APA).methods[0]
    )
    assert (Label.objects.filter(question=question).count(), LabelRevision.objects.count()) == (
        30,
        n_revisions,
    )
    rows = list(csv.DictReader(io.StringIO(b"".join(labels_long(report)).decode("utf-8-sig"))))
    assert {row["counts"] for row in rows if row["label"] == "N"} == {"0"}
    assert {row["counts"] for row in rows if row["label"] != "N"} == {"1"}


def test_earlier_reports_stay_and_it_can_be_undone(twice, lead):
    question = single(twice[0])
    before = finished_report(twice[0], lead)
    treat(question, lead)
    between = finished_report(twice[0], lead)
    assert any("N is now treated as missing" in each for each in changes_since(before).codebook)
    treat(question, lead, is_missing=False)
    after = finished_report(twice[0], lead)

    assert [verify(report) for report in (before, between, after)] == [[], [], []]
    # Nothing has changed since the first report, which is given again.
    assert same_figures(figures(after), figures(before))
    assert not same_figures(figures(after), figures(between))
    assert "missing" not in after.questions.get().statistics
    logged = Event.objects.filter(project_id=twice[0].pk, kind=Event.Kind.CODEBOOK_CHANGED).order_by("-pk")
    changed = [each.detail["changed"] for each in logged[:2]]
    assert changed == [
        {"treated_as_missing": {"old": True, "new": False}},
        {"treated_as_missing": {"old": False, "new": True}},
    ]


def test_the_next_pass_counts_in_place_of_one_that_is_missing(twice, lead):
    question = single(twice[0])
    first = Label.objects.filter(question=question, category__key="N").order_by("pk").first()
    category = question.categories.get(key="a")
    Label.objects.create(
        item=first.item, rater=first.rater, question=question, category=category, pass_number=2
    )
    treat(question, lead)

    report = finished_report(twice[0], lead)

    assert report.questions.get().n_labels == 30 - 8 + 1
    assert verify(report) == []
    rows = csv.DictReader(io.StringIO(b"".join(labels_long(report)).decode("utf-8-sig")))
    assert sum(row["counts"] == "1" for row in rows) == 30 - 8 + 1


def test_a_question_whose_categories_are_all_missing_has_a_reason(twice, lead):
    question = single(twice[0])
    for key in "Nab":
        treat(question, lead, key)

    assert finished_report(twice[0], lead).questions.get().reason == "no_categories"


def test_missing_values_are_of_number_questions_alone(twice, lead):
    with pytest.raises(CodebookRefused, match="Only number questions"):
        change_question(single(twice[0]), by=lead, missing_values=[99])


def test_missing_values_are_kept_once_in_order_and_logged(twice, lead):
    question = change_question(numeric(twice[0]), by=lead, missing_values=[99, -9, 99, -0.0])

    assert question.missing_values == [-9.0, 0.0, 99.0]
    assert Event.objects.latest("pk").detail["changed"] == {
        "missing_values": {"old": [], "new": [-9.0, 0.0, 99.0]}
    }
