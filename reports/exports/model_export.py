"""Comparison of models with people as CSV: one row per figure of a model, person, category, value, or comparison."""

from collections.abc import Iterator

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from core.tables.safe_cells import Cell
from projects.access import project_to
from projects.roles import Permission
from reports.agreement.intervals.difference import Difference
from reports.analysis.models_against_people import ALPHA
from reports.analysis.results import (
    CategoryErrors,
    ErrorsByAttribute,
    Figure,
    ModelAgainstPeople,
    ModelsAgainstPeople,
    PersonVersusModel,
)
from reports.exports.question_files import computed_result, csv_file
from reports.results.model_wording import names_of, requested_model_options
from reports.store.models_against_people import ModelsRefused
from reports.store.on_demand import OnDemandNotReady, model_comparison
from reports.store.stored_result import StoredResult

COLUMNS = [
    *("row", "model", "other", "attribute", "value_of_attribute", "statistic", "epsilon"),
    *("value", "se", "ci_low", "ci_high", "p_value", "rejected", "n_items", "n_people", "reason"),
]
NAME = "models.csv"


@require_safe
def models_file(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Return what the page shows, for all models and at full precision; redirects to the page until it is computed."""
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    result = computed_result(project, pk, question)
    try:
        found = model_comparison(
            result.row, requested_model_options(request.GET.get("least", "")), by=request.user
        )
    except (OnDemandNotReady, ModelsRefused):
        page = reverse("report_models", args=[slug, pk, question])
        return redirect(f"{page}?{request.GET.urlencode()}")
    return csv_file(result, NAME, rows_of(result, found), by=request.user)


def rows_of(result: StoredResult, found: ModelsAgainstPeople) -> Iterator[list[Cell]]:
    yield [*COLUMNS]
    names = names_of(result)
    for model in found.models:
        name = names[model.rater]
        yield from _of_model(name, found.pair_figure, model)
        for person in model.people:
            yield from _of_person(name, names[person.person], found.pair_figure, person)
        for category in model.consensus.categories or ():
            yield from _of_category(name, category)
        yield from _of_prevalence(name, model)
        for attribute in model.consensus.attributes:
            yield from _of_attribute(name, attribute, is_number=model.consensus.categories is None)
    for each in found.comparisons:
        head: dict[str, Cell] = {
            "row": "comparison",
            "model": names[each.first],
            "other": names[each.second],
            "n_items": each.n_items,
        }
        yield _row(head, statistic=f"difference in mean {found.pair_figure}", **_figure(each.agreement))
        yield _row(head, statistic="difference in advantage", **_figure(each.advantage))


def _of_model(name: str, pair_figure: str, model: ModelAgainstPeople) -> Iterator[list[Cell]]:
    head: dict[str, Cell] = {
        "row": "model",
        "model": name,
        "n_items": model.n_items,
        "n_people": model.n_people,
    }
    for statistic, found in {
        f"mean {pair_figure} with people": model.with_people,
        f"mean {pair_figure} among people": model.among_people,
        "difference": model.difference,
        f"{ALPHA} of people": model.alpha,
        "advantage": model.advantage,
        "same label each run": model.stability.share,
        f"{ALPHA} of runs": model.stability.alpha,
        "difference from people"
        if model.consensus.categories is None
        else "same as people": model.consensus.figure,
    }.items():
        yield _row(head, statistic=statistic, **_figure(found))
    yield _row(head, statistic="smallest epsilon that passes", value=model.smallest)
    for epsilon, winning in model.winning.items():
        yield _row(head, statistic="winning rate", epsilon=float(epsilon), value=winning)


def _of_person(name: str, person: str, pair_figure: str, found: PersonVersusModel) -> Iterator[list[Cell]]:
    head: dict[str, Cell] = {
        "row": "person",
        "model": name,
        "other": person,
        "n_items": found.test.n_items,
    }
    yield _row(head, statistic=f"{pair_figure} with the model", **_figure(found.with_model))
    yield _row(head, statistic=f"mean {pair_figure} with other people", **_figure(found.with_people))
    yield _row(head, statistic="difference", **_figure(found.less))
    yield _row(head, statistic=f"{ALPHA} with the model in place", **_figure(found.in_place))
    yield _row(head, statistic=f"difference in {ALPHA}", **_figure(found.in_place_less))
    for statistic in ("own_score", "model_score", "own_wins", "model_wins"):
        yield _row(head, statistic=statistic.replace("_", " "), value=getattr(found.test, statistic))
    for epsilon, p_value in found.test.p_values.items():
        yield _row(
            head,
            statistic="own wins - model wins",
            value=found.test.difference,
            epsilon=float(epsilon),
            p_value=p_value,
            rejected=str(found.rejected[epsilon]).lower(),
        )


def _of_category(name: str, found: CategoryErrors) -> Iterator[list[Cell]]:
    head: dict[str, Cell] = {"row": "category", "model": name, "other": found.key}
    yield _row(head | {"n_items": found.n_people}, statistic="recall", **_figure(found.found))
    yield _row(head | {"n_items": found.n_model}, statistic="precision", **_figure(found.right))


def _of_prevalence(name: str, model: ModelAgainstPeople) -> Iterator[list[Cell]]:
    found = model.prevalence
    head: dict[str, Cell] = {"row": "share", "model": name, "n_items": found.n_people_items + found.n_others}
    for each in found.rows:
        own = head | {"other": each.key}
        yield _row(own, statistic="model alone", value=each.model)
        yield _row(own | {"n_items": found.n_people_items}, statistic="people alone", **_figure(each.people))
        yield _row(own, statistic="estimate from both", **_figure(each.estimate))
        yield _row(own, statistic="worth labels of people", value=each.worth)
    if found.by_class is not None:
        for row in found.by_class.rows:
            own = head | {"n_items": found.by_class.n_others, "other": row.key}
            yield _row(own, statistic="corrected for errors against the reference", **_figure(row.corrected))


def _of_attribute(name: str, found: ErrorsByAttribute, *, is_number: bool) -> Iterator[list[Cell]]:
    for each in found.values:
        yield _row(
            {"row": "attribute", "model": name, "attribute": found.attribute, "n_items": each.n_items},
            value_of_attribute=each.value,
            statistic="difference from people" if is_number else "same as people",
            **_figure(each.figure),
        )


def _figure(found: Figure | Difference | None) -> dict[str, Cell]:
    if found is None:
        return {}
    numbers: dict[str, Cell] = {name: getattr(found, name) for name in ("value", "se", "ci_low", "ci_high")}
    return numbers | {"reason": str(found.reason)}


def _row(head: dict[str, Cell], **cells: Cell) -> list[Cell]:
    known = head | cells
    return [known.get(name) for name in COLUMNS]
