"""All results of a report as flat tables, for CSV and for Excel; rows come one at a time, however many there are."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from projects.models import Question
from reports.analysis.catalogue import title_of
from reports.exports import pair_tables
from reports.exports.cells import Row, value_cells
from reports.models import QuestionAgreement, Report
from reports.results.queries import agreements_of
from reports.store.counted import counted_in


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    what: str


@dataclass(frozen=True, slots=True)
class Table:
    """One table: its name (of a file, or of a sheet), what it holds, and its rows when asked for."""

    name: str
    what: str
    columns: tuple[Column, ...]
    rows: Callable[[], Iterable[Row]]


QUESTION = Column("question", "key of the question")
REASON = Column("reason", "why there is no value or no interval; empty if there is")
CLIPPED = Column("is_clipped", "1 if an end was cut at the most, or the least, that the statistic can be")
VALUE = (
    Column("value", "the statistic; empty if undefined"),
    Column("se", "its standard error"),
    Column("ci_low", "lower end of its confidence interval"),
    Column("ci_high", "upper end of its confidence interval"),
    CLIPPED,
    REASON,
)
METHOD = (
    Column("method", "which of several definitions"),
    Column("interval_method", "how the interval was found"),
)
BASIS = (
    Column("n_items", "items that the value rests on"),
    Column("n_raters", "raters that it rests on"),
    Column("n_labels", "labels that it rests on"),
)
STATISTIC = (Column("statistic", "name of the statistic"), Column("title", "what it is called"))
PAIR = (QUESTION, Column("rater_a", "first rater"), Column("rater_b", "second rater"))


def tables_of(report: Report) -> list[Table]:
    """Every table of a finished report."""
    agreements = agreements_of(report)
    return [
        Table(
            "report",
            "What was asked for, and what the answer stands on.",
            (Column("field", "name"), Column("value", "value")),
            lambda: _report_rows(report),
        ),
        Table(
            "questions",
            "Each question with the size of its data.",
            (
                QUESTION,
                Column("kind", "single, multiple or number"),
                Column("level", "nominal, ordinal, interval or ratio"),
                *BASIS,
                Column("n_abstentions", "answers “cannot tell”, which count as missing"),
                Column("n_pairs", "pairs of raters that share an item"),
                Column("digest", "SHA-256 of the labels that were read"),
                REASON,
                Column("counted", "who counts in the figures of all raters"),
                Column("n_items_counted", "items that they labelled"),
                Column("n_raters_counted", "how many they are"),
                Column("n_labels_counted", "their labels"),
            ),
            lambda: map(_question_row, agreements),
        ),
        Table(
            "categories",
            "The declared categories, in their order, as they were when the report was computed.",
            (
                QUESTION,
                Column("position", "place in the scale, from 1"),
                Column("category", "key"),
                Column("name", "name"),
                Column("value", "number of the category, where the level has one"),
            ),
            lambda: _category_rows(agreements),
        ),
        Table(
            "raters",
            "Who labelled, and how much.",
            (
                QUESTION,
                Column("rater", "key"),
                Column("kind", "human, model, reference or consensus"),
                Column("n_labels", "labels of this question"),
                Column("counts", "1 if the rater counts in the figures of all raters; in pairs everyone does"),
            ),
            lambda: _rater_rows(agreements),
        ),
        Table(
            "coefficients",
            "Every coefficient of all raters together.",
            (
                QUESTION, *STATISTIC, *VALUE, *BASIS,
                Column("left_out_items", "items that its definition cannot use"),
                Column("left_out_raters", "raters that it cannot use"),
                Column("left_out_labels", "labels that it cannot use"),
                *METHOD,
            ),
            lambda: _coefficient_rows(agreements),
        ),
        Table(
            "by_category",
            "Each category against the rest.",
            (QUESTION, *STATISTIC, Column("category", "key"), *VALUE, Column("n", "what it rests on"), *METHOD),
            lambda: _by_category_rows(agreements),
        ),
        Table(
            "tests",
            "Tests of all raters together.",
            (
                QUESTION, *STATISTIC,
                Column("test_statistic", "z, chi-squared or F, as the method says"),
                Column("df", "degrees of freedom"),
                Column("p_value", "two-sided"),
                REASON,
                Column("method", "which test"),
            ),
            lambda: _test_rows(agreements),
        ),
        Table(
            "tests_by_category",
            "Tests of each category against the rest.",
            (
                QUESTION, *STATISTIC,
                Column("category", "key"),
                Column("test_statistic", "z, as the method says"),
                Column("df", "degrees of freedom"),
                Column("p_value", "two-sided"),
                REASON,
                Column("method", "which test"),
            ),
            lambda: _category_test_rows(agreements),
        ),
        Table(
            "rater_errors",
            "What each rater says of items whose true category is estimated (Dawid and Skene 1979).",
            (
                QUESTION,
                Column("rater", "key"),
                Column("true_category", "estimated true category"),
                Column("said_category", "category of the rater's label"),
                Column("share", "how often, of items of this true category"),
            ),
            lambda: _error_rows(agreements),
        ),
        Table(
            "pairs",
            "Cohen's kappa of each pair with the weights of the report; of single choices.",
            (
                *PAIR,
                Column("n", "items that both labelled"),
                Column("observed", "observed agreement"),
                Column("expected", "agreement expected by chance"),
                Column("kappa", "Cohen's kappa; empty if undefined"),
                Column("se", "its standard error"),
                Column("ci_low", "lower end of its interval"),
                Column("ci_high", "upper end of its interval"),
                CLIPPED,
                Column("kappa_max", "highest kappa that the totals allow"),
                REASON,
            ),
            lambda: pair_tables.kappa_rows(agreements),
        ),
        Table(
            "pair_statistics",
            "Every statistic of each pair; of single choices with very many pairs those of the table of pairs only.",
            (*PAIR, *STATISTIC, *VALUE, Column("n_items", "items that it rests on"), *METHOD),
            lambda: pair_tables.statistic_rows(agreements),
        ),
        Table(
            "counts",
            "The table of counts of each pair; cells that are not 0.",
            (
                *PAIR,
                Column("category_a", "what the first rater said"),
                Column("category_b", "what the second rater said"),
                Column("n", "how many items"),
            ),
            lambda: pair_tables.count_rows(agreements),
        ),
    ]  # fmt: skip


def _report_rows(report: Report) -> Iterator[Row]:
    asked = "" if report.asked_by is None else report.asked_by.username
    batches = report.scope["batches"]
    yield "project", report.project.name
    yield "report", report.pk
    yield "asked_by", asked
    yield "asked_at", report.asked_at.isoformat()
    yield "finished_at", report.finished_at.isoformat() if report.finished_at else ""
    yield "questions", ", ".join(report.scope["questions"])
    yield "batches", "all" if batches is None else ", ".join(batches)
    for name, value in report.chosen.as_json().items():
        if name != "matrices":
            yield name, ", ".join(value) if isinstance(value, list) else value
    yield "digest", report.digest
    yield "version", report.code_version


def _question_row(agreement: QuestionAgreement) -> Row:
    question, counted = agreement.question, counted_in(agreement)
    return (
        question.key, question.kind, question.level, agreement.n_items, agreement.n_raters, agreement.n_labels,
        agreement.n_abstentions, agreement.n_pairs, agreement.digest, agreement.reason,
        counted.words, counted.n_items, counted.n_raters, counted.n_labels,
    )  # fmt: skip


def _category_rows(agreements: Iterable[QuestionAgreement]) -> Iterator[Row]:
    for agreement in agreements:
        for place, category in enumerate(agreement.categories, start=1):
            yield agreement.question.key, place, category["key"], category["name"], category["value"]


def _rater_rows(agreements: Iterable[QuestionAgreement]) -> Iterator[Row]:
    for agreement in agreements:
        ids = counted_in(agreement).ids
        for rater in agreement.raters:
            counts = int(rater["id"] in ids)
            yield agreement.question.key, rater["key"], rater["kind"], rater["n_labels"], counts


def _coefficient_rows(agreements: Iterable[QuestionAgreement]) -> Iterator[Row]:
    for agreement in agreements:
        for name, found in agreement.coefficients.items():
            left = found.get("left_out") or {}
            yield (
                agreement.question.key, name, title_of(name), *value_cells(found),
                found.get("n_items"), found.get("n_raters"), found.get("n_labels"),
                left.get("n_items"), left.get("n_raters"), left.get("n_labels"),
                found.get("method", ""), found.get("interval_method", ""),
            )  # fmt: skip


def _by_category_rows(agreements: Iterable[QuestionAgreement]) -> Iterator[Row]:
    for agreement in agreements:
        for name, rows in agreement.statistics.get("categories", {}).items():
            for category, found in zip(agreement.categories, rows, strict=True):
                yield (
                    agreement.question.key, name, title_of(name), category["key"], *value_cells(found),
                    found.get("n", found.get("n_items")),
                    found.get("method", ""), found.get("interval_method", ""),
                )  # fmt: skip


def _test_rows(agreements: Iterable[QuestionAgreement]) -> Iterator[Row]:
    for agreement in agreements:
        for name, found in agreement.statistics.get("tests", {}).items():
            yield (
                agreement.question.key, name, title_of(name), found.get("statistic"), found.get("df"),
                found.get("p_value"), found.get("reason") or "", found.get("method", ""),
            )  # fmt: skip


def _category_test_rows(agreements: Iterable[QuestionAgreement]) -> Iterator[Row]:
    for agreement in agreements:
        for name, rows in agreement.statistics.get("category_tests", {}).items():
            for category, found in zip(agreement.categories, rows, strict=True):
                yield (
                    agreement.question.key, name, title_of(name), category["key"], found["statistic"],
                    found["df"], found["p_value"], found["reason"], found["method"],
                )  # fmt: skip


def _error_rows(agreements: Iterable[QuestionAgreement]) -> Iterator[Row]:
    for agreement in agreements:
        if agreement.question.kind != Question.Kind.SINGLE:
            continue
        keys = [category["key"] for category in agreement.categories]
        found = agreement.statistics.get("consensus", {}).get("dawid_skene", {})
        for rater in found.get("raters", []):
            for true, shares in zip(keys, rater["confusion"] or [], strict=False):
                for said, share in zip(keys, shares, strict=True):
                    yield agreement.question.key, rater["rater"], true, said, share
