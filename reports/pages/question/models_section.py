"""The section on models compared with people."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.templatetags.shown import in_percent
from reports.analysis.catalog import in_sentence, title_of
from reports.analysis.pairs import weighted_name
from reports.analysis.reasons import words_of
from reports.analysis.results import Figure, ModelVersusPeople
from reports.pages.heads import rater_address
from reports.results.statistic_rows import (
    is_share,
    shown_difference,
    shown_difference_limits,
    shown_limits,
    shown_p,
    shown_value,
)
from reports.store.stored_model_comparison import stored_model_comparison
from reports.store.stored_result import StoredResult


@dataclass(frozen=True, slots=True)
class ModelRow:
    name: str
    address: str
    n_items: int
    n_people: int
    with_people: tuple[str, str]
    among_people: tuple[str, str]
    difference: str
    interval: str
    p_value: str
    is_beyond_chance: bool


@dataclass(frozen=True, slots=True)
class ModelsSection:
    """title: of the pairwise figure whose means are shown. confidence: in percent."""

    title: str
    rows: Sequence[ModelRow]
    confidence: str

    @property
    def sentence(self) -> str:
        """A sentence if there is a single model; several are compared only in their table."""
        if len(self.rows) != 1:
            return ""
        [row] = self.rows
        if not row.interval:
            return ""
        chance = "beyond chance" if row.is_beyond_chance else "not beyond chance"
        return (
            f"{row.name} agrees with people with a mean {self.title} of {row.with_people[0]}; on the same items,"
            f" people agree with each other with {row.among_people[0]} (difference {row.difference},"
            f" {in_percent(self.confidence)} CI {row.interval}, {chance})."
        )


def models_section(result: StoredResult) -> ModelsSection | None:
    """Return the section; None if no model is compared with people."""
    found = stored_model_comparison(result.row)
    if found is None or not found.models:
        return None
    name = found.pair_figure
    name, of_share = weighted_name(name) if result.scope.is_weighted else name, is_share(name)
    keys, confidence = {rater.id: rater.key for rater in result.raters}, result.report.chosen.confidence
    rows = [_row(result, keys[each.rater], each, 1 - confidence, of_share=of_share) for each in found.models]
    return ModelsSection(in_sentence(title_of(name)), rows, result.report.chosen.percent)


def _row(
    result: StoredResult, name: str, found: ModelVersusPeople, alpha: float, *, of_share: bool
) -> ModelRow:
    difference = found.difference
    return ModelRow(
        name=name,
        address=rater_address(result.row, found.rater),
        n_items=found.n_items,
        n_people=found.n_people,
        with_people=_value(found.with_people, of_share=of_share),
        among_people=_value(found.among_people, of_share=of_share),
        difference=shown_difference(difference.value, is_share=of_share),
        interval=shown_difference_limits(difference.ci_low, difference.ci_high, is_share=of_share),
        p_value=shown_p(found.p_corrected),
        is_beyond_chance=found.p_corrected is not None and found.p_corrected < alpha,
    )


def _value(found: Figure, *, of_share: bool) -> tuple[str, str]:
    """Format a figure with its interval, or the reason why there is none."""
    interval = shown_limits(found.ci_low, found.ci_high, is_share=of_share)
    return shown_value(found.value, is_share=of_share), interval or words_of(found.reason).short
