"""The language of the texts, whatever a question is judged by and however its intervals are computed."""

from itertools import cycle, islice, product

import pytest

from projects.models import Question
from reports.analysis.measure import coefficients_for, weights_for
from reports.results.paper import text_of
from reports.results.prose import Style, prose_of
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, new_question
from tests.reports.golden.language import faults, parts_of
from tests.reports.golden.studies import GRADES, nominal_crossed, two_rounds
from tests.reports.looking import led_by
from tests.reports.numbers_and_sets import add_numbers, add_sets
from tests.sizes import FULL, some

KINDS = [
    (kind, level)
    for kind in ("single", "multiple", "number")
    for level in ("nominal", "ordinal", "interval", "ratio")
    if kind != "multiple" or level == "nominal"
]


def label(question: Question, n_raters: int) -> None:
    """Twelve items, of which the last two lack labels."""

    def label_of(item: int, rater: int) -> int | None:
        return None if item > 9 and rater else (item + (rater if item % 4 == 0 else 0)) % 4

    rows = [[label_of(item, rater) for rater in range(n_raters)] for item in range(12)]
    if question.kind == "number":
        return add_numbers(question, rows)
    if question.kind == "multiple":
        return add_sets(question, [[None if n is None else GRADES[:n] for n in row] for row in rows])
    return add_labels(
        question,
        [
            (f"i{i}", f"r{r}", GRADES[n])
            for i, row in enumerate(rows)
            for r, n in enumerate(row)
            if n is not None
        ],
    )


# In `make test` each scale with one number of raters, the next one with the other.
CASES = [(*each, n) for place, each in enumerate(KINDS) for n in ((2, 3) if FULL else (2 + place % 2,))]


def judged_by(kind: str, level: str) -> list[tuple[str, str]]:
    """Every coefficient with every weights; in `make test` each of both once or more."""
    coefficients, weights = coefficients_for(kind, level), weights_for(kind, level)
    if FULL:
        return list(product(coefficients, weights))
    most = max(len(coefficients), len(weights))
    return list(islice(zip(cycle(coefficients), cycle(weights), strict=False), most))


@pytest.mark.parametrize(("kind", "level", "n_raters"), some(CASES, every=2))
def test_every_coefficient_is_worded_well(lead, kind, level, n_raters):
    project = led_by(lead, cast.new_project("Language", unique=True))
    for coefficient, weights in judged_by(kind, level):
        question = new_question(
            project, key=f"{coefficient}-{weights}", categories=() if kind == "number" else GRADES, kind=kind,
            level=level, coefficient=coefficient, weights=weights, criterion=0.5,
        )  # fmt: skip
        for place, category in enumerate(question.categories.all(), start=1):
            category.value = place
            category.save(update_fields=["value"])
        label(question, n_raters)

    report = finished_report(project, lead)

    assert not [row.reason for row in report.questions.all() if row.reason]
    for style in Style:
        assert faults(text_of(report, style), is_apa=style is Style.APA) == []


@pytest.mark.parametrize("interval", ["percentile", "bca", "jackknife"])
@pytest.mark.parametrize("kind", ["single", "multiple", "number"])
def test_every_interval_is_worded_well(lead, kind, interval):
    project = led_by(lead, cast.new_project("Language", unique=True))
    level = "interval" if kind == "number" else "nominal"
    question = new_question(project, categories=() if kind == "number" else GRADES, kind=kind, level=level)
    label(question, 3)
    drawn = {} if interval == "jackknife" else {"replicates": 1000, "seed": 3}

    report = finished_report(project, lead, interval=interval, **drawn)

    for style in Style:
        text = text_of(report, style)
        assert faults(text, is_apa=style is Style.APA) == []
        assert (
            "jackknife" if interval == "jackknife" else "1,000 resamples of the items (random seed 3)"
        ) in text


def test_authors_get_at_most_two_gaps_and_readers_none(lead):
    report = two_rounds(lead)

    apa, plain = (prose_of(report, style) for style in Style)

    assert sum(paragraph.count("[") for paragraph in apa.methods) == 2
    assert not any("[" in paragraph for paragraph in plain.methods)
    assert (apa.has_gaps, plain.has_gaps) == (True, False)


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ("Two  raters labeled 40 items.", "two spaces"),
        ("They labeled None items.", "None"),
        ("They labeled items ().", "an empty clause"),
        ("They labeled items, .", "an empty clause"),
        ("They labeled items (; 3).", "an empty clause"),
        ("50 labels were missing.", "a sentence that begins with a numeral"),
        ("There were 3 raters.", "a numeral below 10"),
        ("They labeled “items.", "unbalanced"),
        ("They labeled items", "does not end"),
        ("It was assessed (Cohen, 1960).", "cited and not listed"),
    ],
)
def test_faults_of_a_method_are_found(wrong, what):
    found = faults(f"Method\n\n{wrong}\n\nResults\n\nFor “x”, κ was .50, 95% CI [.40, .60].\n", is_apa=True)

    assert any(each.startswith(what) for each in found)


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ("For “x”, κ was .50 (N = 40 items).", "no interval"),
        ("For “x”, κ was .50; percent agreement was 60.0%, 95% CI [50.0, 70.0].", "no interval"),
        ("For “x”, κ was 0.50, 95% CI [.40, .60].", "a zero before the point"),
    ],
)
def test_faults_of_results_are_found(wrong, what):
    found = faults(f"Method\n\nTwo raters labeled them.\n\nResults\n\n{wrong}\n", is_apa=True)

    assert [each for each in found if each.startswith(what)]


def test_the_parts_of_a_text_are_those_of_a_paper():
    assert parts_of("Method\n\na.\n\nb.\n\nResults\n\nc.\n\nReferences\n\nd.\n\ne.\n") == (
        "a.\n\nb.", "c.", ["d.", "e."],
    )  # fmt: skip


def test_labels_that_were_assigned_and_not_given_are_missing(lead):
    report = nominal_crossed(lead)
    row = report.questions.get()
    row.statistics["assigned"] = {"n": 252, "n_missing": 12, "n_skipped": 4}
    row.save(update_fields=["statistics"])

    [first, *_] = prose_of(report, Style.APA).methods

    assert (
        "(fully crossed design). Of 252 assigned labels, 12 (4.8%) were missing, four of them skipped. Missing"
        " labels were not" in first
    )
