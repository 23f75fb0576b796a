"""All results of a report as flat tables for CSV and Excel; rows are generated one at a time."""

from collections.abc import Iterable, Iterator

from raters.lettered import letters_in_force
from reports.analysis.catalog import title_in, title_of
from reports.analysis.results import FindingKind, NotComputable, SignificanceTest
from reports.exports import pair_tables
from reports.exports.confidence_tables import confidence_tables
from reports.exports.finding_rows import finding_rows, rater_ranking_rows
from reports.exports.result_columns import (
    BASIS,
    CLIPPED,
    METHOD,
    QUESTION,
    REASON,
    VALUE,
    ExportColumn,
    ResultTable,
    Row,
    value_cells,
)
from reports.models import QuestionAgreement, Report
from reports.results.queries import agreements_of
from reports.store.agreements import scope_of
from reports.store.frozen_codebook import is_pooled
from reports.store.included_raters import counted_in

STATISTIC = (ExportColumn("statistic", "name of the statistic"), ExportColumn("title", "its title"))
PAIR = (QUESTION, ExportColumn("rater_a", "first rater"), ExportColumn("rater_b", "second rater"))


def tables_of(report: Report) -> list[ResultTable]:
    """Return every table of a finished report."""
    agreements = agreements_of(report)
    return [
        ResultTable(
            "report",
            "Scope, options, and provenance of the report.",
            (ExportColumn("field", "name"), ExportColumn("value", "value")),
            lambda: _report_rows(report),
        ),
        ResultTable(
            "questions",
            "The questions and the size of their data.",
            (
                QUESTION,
                ExportColumn("kind", "single, multiple, or number"),
                ExportColumn("level", "nominal, ordinal, interval, or ratio"),
                ExportColumn("lead", "the round that the figures are about, where rounds are not pooled"),
                *BASIS,
                ExportColumn("n_abstentions", "“cannot tell” answers, treated as missing"),
                ExportColumn("n_pairs", "pairs of raters with shared items"),
                ExportColumn("digest", "SHA-256 of the labels used"),
                REASON,
                ExportColumn("counted", "raters included in overall coefficients"),
                ExportColumn("n_items_counted", "items labeled by them"),
                ExportColumn("n_raters_counted", "number of these raters"),
                ExportColumn("n_labels_counted", "their labels"),
                ExportColumn("treated_as_missing", "labels left out because of their category or value"),
            ),
            lambda: map(_question_row, agreements),
        ),
        ResultTable(
            "categories",
            "The categories, in order, when the report was computed.",
            (
                QUESTION,
                ExportColumn("position", "position in the scale, from 1"),
                ExportColumn("category", "key"),
                ExportColumn("name", "name"),
                ExportColumn("value", "numeric value of the category, if any"),
            ),
            lambda: _category_rows(agreements),
        ),
        ResultTable(
            "raters",
            "The raters and their numbers of labels.",
            (
                QUESTION,
                ExportColumn("rater", "key"),
                ExportColumn("kind", "human, model, reference, or consensus"),
                ExportColumn("n_labels", "labels for this question"),
                ExportColumn("counts", "1 if the rater is included in overall coefficients; pairs include all raters"),
            ),
            lambda: _rater_rows(agreements),
        ),
        ResultTable(
            "coefficients",
            "Overall coefficients, across all included raters.",
            (
                QUESTION, *STATISTIC, *VALUE, *BASIS,
                ExportColumn("left_out_items", "items excluded by the definition"),
                ExportColumn("left_out_raters", "raters excluded"),
                ExportColumn("left_out_labels", "labels excluded"),
                *METHOD,
            ),
            lambda: _coefficient_rows(agreements),
        ),
        ResultTable(
            "by_category",
            "Statistics for each category vs. the rest.",
            (
                QUESTION,
                *STATISTIC,
                ExportColumn("category", "key"),
                *VALUE,
                ExportColumn("n", "labels or items used"),
                *METHOD,
            ),
            lambda: _by_category_rows(agreements),
        ),
        ResultTable(
            "tests",
            "Tests across all included raters.",
            (
                QUESTION, *STATISTIC,
                ExportColumn("test_statistic", "z, chi-squared, or F, depending on the method"),
                ExportColumn("df", "degrees of freedom"),
                ExportColumn("p_value", "two-sided"),
                REASON,
                ExportColumn("method", "which test"),
            ),
            lambda: _test_rows(agreements),
        ),
        ResultTable(
            "tests_by_category",
            "Tests for each category vs. the rest.",
            (
                QUESTION, *STATISTIC,
                ExportColumn("category", "key"),
                ExportColumn("test_statistic", "z, depending on the method"),
                ExportColumn("df", "degrees of freedom"),
                ExportColumn("p_value", "two-sided"),
                REASON,
                ExportColumn("method", "which test"),
            ),
            lambda: _category_test_rows(agreements),
        ),
        ResultTable(
            "rater_errors",
            "Estimated error rates of each rater (Dawid & Skene, 1979).",
            (
                QUESTION,
                ExportColumn("rater", "key"),
                ExportColumn("true_category", "estimated true category"),
                ExportColumn("labeled_category", "category of the rater's label"),
                ExportColumn("share", "probability of this label given the true category"),
            ),
            lambda: _error_rows(agreements),
        ),
        ResultTable(
            "findings",
            "What is beyond chance, the largest gain first.",
            (
                QUESTION,
                ExportColumn("rank", "1 for the largest estimated gain"),
                ExportColumn("kind", ", ".join(FindingKind)),
                ExportColumn("raters", "keys; of a mistake, the rater who made it comes last"),
                ExportColumn("categories", "keys"),
                ExportColumn("n_items", "items it is about"),
                ExportColumn("p_value", "adjusted by Holm's method for all tests"),
                ExportColumn("coefficient", "what gains are measured by"),
                ExportColumn("before", "the coefficient as it is"),
                ExportColumn("after", "the coefficient as it would be"),
                ExportColumn("difference", "after minus before, paired by item"),
                ExportColumn("ci_low", "lower limit of the difference"),
                ExportColumn("ci_high", "upper limit of the difference"),
                ExportColumn("own_share", "of a rater's use of the category: share of the rater's items"),
                ExportColumn("others_share", "of the others on the same items"),
                ExportColumn("use_ci_low", "lower limit of the difference of these shares"),
                ExportColumn("use_ci_high", "upper limit of the difference of these shares"),
                ExportColumn("share_of_disagreement", "of two categories"),
                ExportColumn("expected_items", "such items if all were equally difficult"),
                ExportColumn("kappa", "of two raters"),
                ExportColumn("kappa_max", "maximum kappa given the marginal totals"),
                ExportColumn("n_pairs", "pairs of raters of whom the same is true"),
                ExportColumn("own", "of numbers: the rater's mean or SD, or the share of the items of all differences"),
                ExportColumn("others", "the same of the others, or the share by number of items"),
                ExportColumn("effect", "own minus others; of SDs, own over others"),
                ExportColumn("effect_ci_low", "its lower limit"),
                ExportColumn("effect_ci_high", "its upper limit"),
                ExportColumn("offset", "of shifted numbers: places by which they would have to move"),
            ),
            lambda: finding_rows(agreements),
        ),
        ResultTable(
            "rater_standings",
            "How near each rater's labels are to those of the others on the same items.",
            (
                QUESTION,
                ExportColumn("rater", "key"),
                ExportColumn(
                    "measure", "agreement (a share; MASI for sets), or difference (mean absolute, of numbers)"
                ),
                ExportColumn("n_items", "items that others labeled too"),
                ExportColumn("value", "mean over items"),
                ExportColumn("ci_low", "lower limit of its confidence interval"),
                ExportColumn("ci_high", "upper limit"),
                ExportColumn("difference", "from the others on the same items, of those with three labels or more"),
                ExportColumn("difference_ci_low", "its lower limit"),
                ExportColumn("difference_ci_high", "its upper limit"),
                ExportColumn("p_value", "of no difference, adjusted by Holm's method; empty if not tested"),
            ),
            lambda: rater_ranking_rows(agreements),
        ),
        *confidence_tables(agreements),
        ResultTable(
            "pairs",
            "Cohen's kappa of each pair with the weights of the report; single-choice questions only.",
            (
                *PAIR,
                ExportColumn("n", "shared items"),
                ExportColumn("observed", "observed agreement"),
                ExportColumn("expected", "agreement expected by chance"),
                ExportColumn("kappa", "Cohen's kappa; empty if undefined"),
                ExportColumn("se", "its standard error"),
                ExportColumn("ci_low", "lower limit of its confidence interval"),
                ExportColumn("ci_high", "upper limit of its confidence interval"),
                CLIPPED,
                ExportColumn("kappa_max", "maximum kappa given the marginal totals"),
                REASON,
            ),
            lambda: pair_tables.kappa_rows(agreements),
        ),
        ResultTable(
            "pair_statistics",
            "All statistics of each pair; for single-choice questions with very many pairs, only those in the table of "
            "pairs.",
            (*PAIR, *STATISTIC, *VALUE, ExportColumn("n_items", "items used"), *METHOD),
            lambda: pair_tables.statistic_rows(agreements),
        ),
        ResultTable(
            "counts",
            "The confusion matrix of each pair; nonzero cells only.",
            (
                *PAIR,
                ExportColumn("category_a", "label of the first rater"),
                ExportColumn("category_b", "label of the second rater"),
                ExportColumn("n", "number of items"),
            ),
            lambda: pair_tables.count_rows(agreements),
        ),
    ]  # fmt: skip


def _report_rows(report: Report) -> Iterator[Row]:
    # If raters have letters, naming an account could reveal one of them.
    asked = "" if report.asked_by is None or letters_in_force() else report.asked_by.username
    rounds = report.scope["rounds"]
    yield "project", report.project_name
    yield "report", report.pk
    if report.name:
        yield "name", report.name
    yield "asked_by", asked
    yield "asked_at", report.asked_at.isoformat()
    yield "finished_at", report.finished_at.isoformat() if report.finished_at else ""
    yield "questions", ", ".join(report.scope["questions"])
    yield "rounds", "all" if rounds is None else ", ".join(rounds)
    yield "pooled", "yes" if is_pooled(report) else "no"
    if "only" in report.scope:
        yield "limited_to", report.scope["only"]["words"]
    for name, value in report.chosen.as_json().items():
        if isinstance(value, list):
            yield name, ", ".join(value)
        elif isinstance(value, str | int | float):
            yield name, value
    yield "digest", report.digest
    yield "version", report.code_version


def _question_row(agreement: QuestionAgreement) -> Row:
    question, counted = agreement.question_then, counted_in(agreement)
    lead = agreement.lead["key"] if agreement.lead else ""
    return (
        question.key, question.kind, question.level, lead, agreement.n_items, agreement.n_raters, agreement.n_labels,
        agreement.n_abstentions, agreement.n_pairs, agreement.digest, agreement.reason,
        counted.words, counted.n_items, counted.n_raters, counted.n_labels, " ".join(agreement.left_out_sentences),
    )  # fmt: skip


def _category_rows(agreements: Iterable[QuestionAgreement]) -> Iterator[Row]:
    for agreement in agreements:
        for place, category in enumerate(agreement.categories, start=1):
            yield agreement.question.key, place, category["key"], category["name"], category["value"]


def _rater_rows(agreements: Iterable[QuestionAgreement]) -> Iterator[Row]:
    for agreement in agreements:
        counted = counted_in(agreement)
        for rater in agreement.raters:
            counts = int(rater["id"] in counted)
            yield agreement.question.key, rater["key"], rater["kind"], rater["n_labels"], counts


def _coefficient_rows(agreements: Iterable[QuestionAgreement]) -> Iterator[Row]:
    for agreement in agreements:
        is_weighted = scope_of(agreement).is_weighted
        for name, found in agreement.result.coefficients.items():
            left = found.left_out
            yield (
                agreement.question.key, name, title_in(name, is_weighted=is_weighted), *value_cells(found),
                found.n_items, found.n_raters, found.n_labels,
                *((None, None, None) if left is None else (left.n_items, left.n_raters, left.n_labels)),
                found.method or "", found.interval_method or "",
            )  # fmt: skip


def _by_category_rows(agreements: Iterable[QuestionAgreement]) -> Iterator[Row]:
    for agreement in agreements:
        for name, rows in (agreement.result.categories or {}).items():
            for category, found in zip(agreement.categories, rows, strict=True):
                yield (
                    agreement.question.key, name, title_of(name), category["key"], *value_cells(found),
                    found.n_items if found.n is None else found.n, found.method or "", found.interval_method or "",
                )  # fmt: skip


def _test_rows(agreements: Iterable[QuestionAgreement]) -> Iterator[Row]:
    for agreement in agreements:
        for name, found in (agreement.result.tests or {}).items():
            yield agreement.question.key, name, title_of(name), *_test_cells(found)


def _category_test_rows(agreements: Iterable[QuestionAgreement]) -> Iterator[Row]:
    for agreement in agreements:
        for name, rows in (agreement.result.category_tests or {}).items():
            for category, found in zip(agreement.categories, rows, strict=True):
                yield agreement.question.key, name, title_of(name), category["key"], *_test_cells(found)


def _test_cells(found: SignificanceTest) -> Row:
    return found.statistic, found.df, found.p_value, str(found.reason), found.method


def _error_rows(agreements: Iterable[QuestionAgreement]) -> Iterator[Row]:
    for agreement in agreements:
        keys = [category["key"] for category in agreement.categories]
        consensus = agreement.result.consensus
        if consensus is None or isinstance(consensus.dawid_skene, NotComputable):
            continue
        for rater in consensus.dawid_skene.raters:
            for true, shares in zip(keys, rater.confusion or (), strict=False):
                for labeled, share in zip(keys, shares, strict=True):
                    yield agreement.question.key, rater.rater, true, labeled, share
