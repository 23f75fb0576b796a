"""The figures of the calculator are those of a report on the same file, whatever the file."""

import pytest
from django.db import transaction

from core.refusals import Refused
from raters.imports.label_options import LabelOptions, QuestionOptions
from reports.analysis.equality import same_figures
from reports.analysis.options import Options
from reports.models import PairAgreement, QuestionAgreement
from reports.pages.calculator.answering import answer_of
from reports.pages.calculator.choices import ResultChoices
from reports.pages.calculator.exchange import ResultRow
from reports.store.requests import request_report
from tests import cast
from tests.finished import compute_now
from tests.raters.test_import_formats import read
from tests.reports.files.test_as_imported import FILES
from tests.reports.looking import led_by
from tests.sizes import some

ORDERED = "".join(
    f"i{n},{rater},{label}\n"
    for n in range(24)
    for rater, label in zip(("r1", "r2", "r3"), ((n % 4) + 1, (n * n % 4) + 1, (n // 3 % 4) + 1), strict=True)
)
WITH_A_REFERENCE = "".join(
    f"i{n},{rater},{label},{kind}\n"
    for n in range(20)
    for rater, kind, label in (
        ("ann", "human", "ab"[n % 2]),
        ("bot", "model", "ab"[n % 3 == 0]),
        ("gold", "reference", "ab"[n % 5 < 2]),
        ("zoe", "human", "cannot tell" if n == 4 else "ab"[n % 7 < 3]),
    )
)
MORE = [
    pytest.param("labels.csv", f"item,rater,label\n{ORDERED}".encode(), id="an ordinal scale"),
    pytest.param("labels.csv", f"item,rater,label,rater_kind\n{WITH_A_REFERENCE}".encode(), id="a reference"),
    pytest.param("labels.csv", b"item,rater,label\n1,a,x\n2,a,y\n", id="one rater"),
]
OPTIONS = [Options(), Options(weights="linear", confidence=0.9)]
DEFAULT = ResultChoices().options


def calculated(
    name: str, content: bytes, key: str, options: Options, *, order: tuple[str, ...] = ()
) -> ResultRow:
    label_options = LabelOptions(questions={key: QuestionOptions(order=order)}) if order else LabelOptions()
    asked = {
        "name": name,
        "options": label_options.as_json(),
        "categories": [],
        "sent": None,
        "round": "",
        "question": key,
        "analysis": options.as_json(),
    }
    answer = answer_of(asked, content)
    assert not answer["n_faults"], answer["faults"]
    return answer["result"]


def pairs_of(row: ResultRow) -> dict:
    keys = {rater["id"]: rater["key"] for rater in row["raters"]}
    return {(keys[pair["rater_a"]], keys[pair["rater_b"]]): pair for pair in row["pairs"]}


def stored_pairs(agreement: QuestionAgreement) -> dict:
    pairs = PairAgreement.objects.filter(agreement=agreement).select_related("rater_a", "rater_b")
    return {(pair.rater_a.key, pair.rater_b.key): pair for pair in pairs}


# In `make test` one file in so many is tried with other options too.
CASES = [
    *(pytest.param(*each.values, OPTIONS[0], id=f"{each.id}-unweighted") for each in [*FILES, *MORE]),
    *(
        pytest.param(*each.values, OPTIONS[1], id=f"{each.id}-linear")
        for each in some([*MORE, *FILES], every=4)
    ),
    *(pytest.param(*each.values, DEFAULT, id=f"{each.id}-default") for each in MORE),
]


@pytest.mark.parametrize(("name", "content", "options"), some(CASES, every=3))
def test_every_figure_is_that_of_a_report(lead, name, content, options):
    project = led_by(lead, cast.new_project("Calculated", unique=True))
    with transaction.atomic():
        read(project, name, content).load()
    try:
        weights = None if options.weights_by_question else str(options.weights)
        report = request_report(project, by=lead, weights=weights, confidence=options.confidence)
    except Refused as refused:
        pytest.skip(str(refused))
    compute_now(report)

    for agreement in report.questions.select_related("question", "report"):
        row = calculated(name, content, agreement.question.key, options)
        asked = agreement.asked

        assert row["reason"] == agreement.reason
        assert (row["question"]["kind"], row["question"]["level"]) == (asked["kind"], asked["level"])
        if asked["kind"] == "multiple":
            # Categories of one set are first seen at the same place, so that the database may list any of them first.
            order = tuple(category["key"] for category in asked["categories"])
            assert {*order} == {category["key"] for category in row["question"]["categories"]}
            row = calculated(name, content, agreement.question.key, options, order=order)
        assert [(c["key"], c["name"], c["value"]) for c in row["question"]["categories"]] == [
            (c["key"], c["name"], c["value"]) for c in asked["categories"]
        ]
        assert sorted((r["key"], r["kind"], r["n_labels"]) for r in row["raters"]) == sorted(
            (r["key"], r["kind"], r["n_labels"]) for r in agreement.raters
        )
        for field in ("n_items", "n_labels", "n_abstentions", "n_pairs"):
            assert row[field] == getattr(agreement, field), field
        assert row["coefficients"].keys() == agreement.coefficients.keys()
        for figure, found in row["coefficients"].items():
            assert same_figures(found, agreement.coefficients[figure]), figure
        assert row["statistics"].keys() == agreement.statistics.keys()
        for family, found in row["statistics"].items():
            assert same_figures(found, agreement.statistics[family]), family
        stored = stored_pairs(agreement)
        pairs = pairs_of(row)
        assert pairs.keys() == stored.keys()
        for two, pair in pairs.items():
            for field in pair.keys() - {"rater_a", "rater_b"}:
                assert same_figures(pair[field], getattr(stored[two], field)), (two, field)
