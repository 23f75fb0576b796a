"""What the tables of statistics on the report pages show."""

from collections.abc import Mapping, Sequence
from typing import Any

from reports.catalogue import Family, title_of
from reports.models import QuestionAgreement
from reports.statistic_rows import (
    CategoryRow,
    category_rows,
    in_family,
    in_order,
    significance_row,
    statistic_row,
)

# Longer lists of categories are cut to those used most.
MOST_CATEGORIES = 40


def all_statistics(agreement: QuestionAgreement) -> dict[str, Any]:
    """Every statistic of all raters, by family."""
    coefficients, statistics = agreement.coefficients, agreement.statistics
    return {
        "percent": agreement.report.chosen.percent,
        "all_rows": [statistic_row(name, coefficients[name]) for name in in_family(coefficients, Family.ALL)],
        "test_rows": [
            significance_row(name, found) for name, found in _in_order(statistics.get("tests", {}))
        ],
        **by_category(agreement.categories, statistics.get("categories", {})),
    }


def _in_order(found: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return [(name, found[name]) for name in in_order(found)]


def by_category(
    categories: Sequence[Mapping[str, Any]], statistics: Mapping[str, Sequence[Mapping[str, Any]]]
) -> dict[str, Any]:
    rows = category_rows(categories, statistics) if statistics else []
    shown = _most_used(rows)
    return {
        "category_titles": [title_of(name) for name in in_order(statistics)],
        "category_rows": shown,
        "n_categories_left_out": len(rows) - len(shown),
    }


def _most_used(rows: Sequence[CategoryRow]) -> list[CategoryRow]:
    if len(rows) <= MOST_CATEGORIES:
        return list(rows)
    used = sorted(range(len(rows)), key=lambda place: -(rows[place].cells[0].n_items or 0))[:MOST_CATEGORIES]
    return [rows[place] for place in sorted(used)]
