"""The figures of a calculated result as a CSV file, at full precision."""

from collections.abc import Iterator

from django.http import HttpResponse
from django.utils.http import content_disposition_header

from core.tables.safe_cells import Cell, csv_lines
from reports.analysis.catalog import title_in
from reports.analysis.pairs import weighted_name
from reports.analysis.results import Figure
from reports.results.kinds import result_kind
from reports.results.pair_statistics import stored_figures
from reports.results.primary import figure_of_pair
from reports.store.stored_result import StoredResult

# The names that the tables of a report have; without raters, a figure is of all who count.
COLUMNS = (
    "question", "rater_a", "rater_b", "statistic", "title", "value", "se", "ci_low", "ci_high", "confidence", "reason",
    "n_items", "n_raters", "n_labels", "method", "interval_method",
)  # fmt: skip


def figures_file(result: StoredResult) -> HttpResponse:
    response = HttpResponse(
        "".join(csv_lines([COLUMNS, *_rows(result)])), content_type="text/csv; charset=utf-8"
    )
    name = f"{result.question.key}-agreement.csv"
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    response["Cache-Control"] = "no-store"
    return response


def _rows(result: StoredResult) -> Iterator[tuple[Cell, ...]]:
    for name, found in result.figures.coefficients.items():
        yield _row(result, ("", ""), name, found)
    kind = result_kind(result.scope.kind)
    kappa = weighted_name("cohen_kappa") if result.scope.is_weighted else "cohen_kappa"
    for pair in result.unstored or ():
        values = {kappa: figure_of_pair(pair)} if kind.has_counts else stored_figures(pair).values
        for name, found in values.items():
            yield _row(result, (pair.rater_a.key, pair.rater_b.key), name, found)


def _row(result: StoredResult, raters: tuple[str, str], name: str, found: Figure) -> tuple[Cell, ...]:
    numbers = (found.value, found.se, found.ci_low, found.ci_high, result.report.chosen.confidence)
    basis = (found.n_items, found.n_raters, found.n_labels, found.method, found.interval_method)
    return (
        result.question.key,
        *raters,
        name,
        title_in(name, is_weighted=result.scope.is_weighted),
        *numbers,
        str(found.reason),
        *basis,
    )
