"""Agreement by subgroup as CSV: groups, differences, and pairs between groups, one row each."""

from collections.abc import Iterator

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from core.tables.safe_cells import Cell
from projects.access import project_to
from projects.roles import Permission
from reports.analysis.results import Figure, Subgroups, WindowChange
from reports.exports.question_files import computed_result, csv_file
from reports.results.subgroup_wording import (
    remark_of,
    remark_of_difference,
    remark_of_pairs,
    requested_groups,
    value_name,
)
from reports.store.on_demand import OnDemandNotReady, subgroup_agreement
from reports.store.subgroups import SubgroupsRefused

COLUMNS = [
    *("row", "unit", "attribute", "first", "second", "coefficient", "value", "se", "ci_low", "ci_high"),
    *("p_value", "p_adjusted", "n_items", "n_raters", "n_labels", "n_pairs", "n_shared", "remark"),
]
NAME = "subgroups.csv"


@require_safe
def subgroups_file(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Return what the page shows, at full precision; redirects to the page until the figures are computed."""
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    result = computed_result(project, pk, question)
    try:
        asked = requested_groups(
            result, request.GET.get("attribute", "")[:300], request.GET.get("coefficient", "")
        )
        found = subgroup_agreement(result.row, asked, by=request.user)
    except (OnDemandNotReady, SubgroupsRefused):
        page = reverse("report_subgroups", args=[slug, pk, question])
        return redirect(f"{page}?{request.GET.urlencode()}")
    return csv_file(result, NAME, rows_of(found), by=request.user)


def rows_of(found: Subgroups) -> Iterator[list[Cell]]:
    yield [*COLUMNS]
    head: dict[str, Cell] = {"unit": found.unit, "attribute": found.attribute}
    for group in found.groups:
        yield _row(
            head,
            row="group",
            first=group.value,
            coefficient=found.coefficient,
            **_figure(group.figure),
            n_items=group.n_compared,
            n_raters=group.n_raters,
            n_labels=group.n_labels,
            remark=remark_of(group, found.unit),
        )
    for each in found.differences:
        numbers: dict[str, Cell] = {} if each.has_few_items else _figure(each) | {"p_value": each.p_value}
        yield _row(
            head,
            row="difference",
            first=value_name(found, each.earlier),
            second=value_name(found, each.later),
            coefficient=found.coefficient,
            **numbers,
            p_adjusted=each.p_corrected,
            n_shared=each.n_shared,
            remark=remark_of_difference(each),
        )
    for pairs in found.pairs:
        names = {"first": value_name(found, pairs.first), "second": value_name(found, pairs.second)}
        sizes = {"n_items": pairs.n_items, "n_pairs": pairs.n_pairs}
        yield _row(
            head,
            row="within" if pairs.is_within else "between",
            **names,
            coefficient=found.pair_figure,
            **_figure(pairs.figure),
            **sizes,
            remark=remark_of_pairs(pairs) if pairs.is_within else "",
        )
        if pairs.less_within is not None:
            yield _row(
                head,
                row="between - within",
                **names,
                coefficient=found.pair_figure,
                **_figure(pairs.less_within),
                p_value=pairs.p_value,
                p_adjusted=pairs.p_corrected,
                **sizes,
                remark=remark_of_pairs(pairs),
            )


def _figure(found: Figure | WindowChange | None) -> dict[str, Cell]:
    if found is None:
        return {}
    return {"value": found.value, "se": found.se, "ci_low": found.ci_low, "ci_high": found.ci_high}


def _row(head: dict[str, Cell], **cells: Cell) -> list[Cell]:
    known = head | cells
    return [known.get(name) for name in COLUMNS]
