"""Sections of the page that compares a model with people: its errors, and shares among all items."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from core.templatetags.shown import count
from reports.analysis.reasons import words_of
from reports.analysis.results import (
    CorrectedShares,
    EstimatedShare,
    Figure,
    ModelAgainstPeople,
    ModelErrors,
    ModelPrevalence,
)
from reports.pages.contexts import PageSection
from reports.pages.heads import rater_address
from reports.plans.human_labels import PREFIX
from reports.results.items.query import ItemQuery
from reports.results.model_wording import has_lists
from reports.results.statistic_rows import (
    shown_difference,
    shown_difference_limits,
    shown_limits,
    shown_value,
)
from reports.store.stored_result import StoredResult

# A value with its interval, or the reason why there is none.
Shown = tuple[str, str]
# Returns the URL of a list of items; "" if there is no list.
Listed = Callable[..., str]
OUTSIDE = "outside the possible range: the error rates do not fit"


@dataclass(frozen=True, slots=True)
class ModelCategoryRow:
    """missed, false_ones: their number and the URL of the list, "" if there is none."""

    name: str
    n_people: int
    n_model: int
    found: Shown
    right: Shown
    missed: tuple[int, str]
    false_ones: tuple[int, str]


@dataclass(frozen=True, slots=True)
class AttributeValueRow:
    value: str
    n_items: int
    n_different: int
    figure: Shown
    items: str
    different: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelErrorsSection(PageSection):
    """is_number: means of differences rather than shares. different: the URL of the items with another label."""

    error_items: int
    error_tied: int
    error_different: int
    error_figure: Shown
    different: str
    is_number: bool
    categories: Sequence[ModelCategoryRow]
    attributes: Sequence[tuple[str, Sequence[AttributeValueRow], int]]


@dataclass(frozen=True, slots=True)
class ShareRow:
    """name: of the category, or “Mean”. plan: the URL for planning how many human labels an interval needs."""

    name: str
    model: str
    people: Shown
    estimate: Shown
    worth: str
    plan: str


@dataclass(frozen=True, slots=True)
class CorrectedRow:
    name: str
    n_true: int
    model: str
    corrected: Shown


def figure_cells(found: Figure, *, is_share: bool = False, is_difference: bool = False) -> Shown:
    """Format a figure with its interval, or the reason why there is none."""
    show, show_limits = (
        (shown_difference, shown_difference_limits) if is_difference else (shown_value, shown_limits)
    )
    value, interval = (
        show(found.value, is_share=is_share),
        show_limits(found.ci_low, found.ci_high, is_share=is_share),
    )
    return value, interval or (words_of(found.reason).short if found.reason else "")


def errors_section(result: StoredResult, model: ModelAgainstPeople) -> ModelErrorsSection:
    found, is_number = model.consensus, model.consensus.categories is None
    own = ""
    if has_lists(result.row, result.counted.ids, model.rater):
        own = f"{rater_address(result.row, model.rater)}items/"

    def listed(**asked: str) -> str:
        return f"{own}{ItemQuery(**asked)}" if own else ""  # type: ignore[arg-type]

    names = {each["key"]: each["name"] or each["key"] for each in result.categories}
    return ModelErrorsSection(
        error_items=found.n_items,
        error_tied=found.n_tied,
        error_different=found.n_different,
        error_figure=figure_cells(found.figure, is_share=not is_number, is_difference=is_number),
        different=listed(among="dispute"),
        is_number=is_number,
        categories=[
            ModelCategoryRow(
                name=names[each.key],
                n_people=each.n_people,
                n_model=each.n_model,
                found=figure_cells(each.found, is_share=True),
                right=figure_cells(each.right, is_share=True),
                missed=(each.n_people - each.n_both, listed(column=each.key, row_lacks=each.key)),
                false_ones=(each.n_model - each.n_both, listed(row=each.key, column_lacks=each.key)),
            )
            for each in found.categories or ()
        ],
        attributes=_attributes(found, listed, is_number=is_number),
    )


def _attributes(
    found: ModelErrors, listed: Listed, *, is_number: bool
) -> Sequence[tuple[str, Sequence[AttributeValueRow], int]]:
    return [
        (
            each.attribute,
            [
                AttributeValueRow(
                    row.value or "(empty)",
                    row.n_items,
                    row.n_different,
                    figure_cells(row.figure, is_share=not is_number, is_difference=is_number),
                    listed(among="compared", attribute=each.attribute, value=row.value),
                    listed(among="dispute", attribute=each.attribute, value=row.value),
                )
                for row in each.values
            ],
            each.n_left_out,
        )
        for each in found.attributes
        if each.values
    ]


def share_rows(result: StoredResult, found: ModelPrevalence) -> Iterator[ShareRow]:
    names = {each["key"]: each["name"] or each["key"] for each in result.categories}
    for row in found.rows:
        of_share = bool(row.key)
        yield ShareRow(
            names.get(row.key, "Mean"),
            shown_value(row.model, is_share=of_share),
            figure_cells(row.people, is_share=of_share),
            figure_cells(row.estimate, is_share=of_share),
            "–" if row.worth is None else count(round(row.worth)),
            _plan(found, row),
        )


def corrected_rows(result: StoredResult, found: CorrectedShares | None) -> Sequence[CorrectedRow]:
    names = {each["key"]: each["name"] or each["key"] for each in result.categories}
    return [
        CorrectedRow(
            names[row.key],
            row.n_true,
            shown_value(row.model, is_share=True),
            (shown_value(row.corrected.value, is_share=True), OUTSIDE)
            if row.is_outside
            else figure_cells(row.corrected, is_share=True),
        )
        for row in (found.rows if found else ())
    ]


def _plan(found: ModelPrevalence, row: EstimatedShare) -> str:
    if not row.sd or row.correlation is None:
        return ""
    asked = {
        f"{PREFIX}-items": found.n_people_items + found.n_others,
        f"{PREFIX}-sd": f"{row.sd:.4g}",
        f"{PREFIX}-correlation": f"{max(0.0, row.correlation):.4g}",
    }
    return f"{reverse('plan_items')}?{urlencode(asked)}#human-labels"
