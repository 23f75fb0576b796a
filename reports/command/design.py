"""How items and raters were chosen, according to the command line, and the standard errors for it."""

from argparse import _ArgumentGroup
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from reports.agreement.intervals.design import SamplingDesign, designed_interval, designed_mean
from reports.agreement.pairs.linearised import linearised_kappa
from reports.agreement.ratings import to_dense
from reports.agreement.weights import Weighting
from reports.analysis.comparison import requested_statistics
from reports.analysis.kinds.kind import QuestionKind
from reports.analysis.label_arrays import LabelSubset
from reports.analysis.options import IntervalMethod, OptionRefused, Options
from reports.analysis.question import Kind
from reports.analysis.results import Figures, Json, PairResult
from reports.command.text_tables import wrapped
from reports.sources.count_file import CountForm
from reports.sources.file_labels import FileQuestion


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignOptions:
    """unit: the column with the unit of each item, "" for independent items. population: the number of units they were
    drawn from, 0 for infinite. are_raters_sampled: whether the raters are a sample of more raters.
    """

    unit: str = ""
    population: int = 0
    are_raters_sampled: bool = False

    @property
    def is_plain(self) -> bool:
        return not (self.unit or self.population or self.are_raters_sampled)


PLAIN = DesignOptions()


def add_design_arguments(group: _ArgumentGroup) -> None:
    unit = (
        "the items are clustered: the column that names the document, person, or site that an item belongs to. Standard"
        " errors treat these as independent, not the items"
    )
    group.add_argument("--unit", metavar="COLUMN", default="", help=unit)
    population = (
        "the items (with --unit, the units) were drawn from a population of N: standard errors are multiplied by"
        " √(1 - n/N)"
    )
    group.add_argument("--population", type=int, metavar="N", help=population)
    raters = (
        "which raters the overall coefficients are about: these (fixed), or all raters that they were "
        "sampled from (sample), which needs three or more (default: fixed)"
    )
    group.add_argument("--raters-are", choices=["fixed", "sample"], default="fixed", help=raters)


def design_of(given: Mapping[str, Any], options: Options) -> DesignOptions:
    """Return the design. Raises OptionRefused if its standard errors are not implemented."""
    found = DesignOptions(
        unit=given["unit"],
        population=given["population"] or 0,
        are_raters_sampled=given["raters_are"] == "sample",
    )
    if given["population"] is not None and given["population"] < 2:
        raise OptionRefused(f"--population must be 2 or more, got {given['population']}.")
    if found.is_plain:
        return found
    name = "--unit" if found.unit else "--population" if found.population else "--raters-are"
    if options.interval is not IntervalMethod.ANALYTIC:
        raise OptionRefused(f"{name} requires --interval analytic.")
    other = [
        option for option in ("compare_pairs", "compare_groups", "compare_file", "reference") if given[option]
    ]
    if given["statistics"]:
        other.insert(0, "statistics")
    if other:
        raise OptionRefused(
            f"{name} applies to overall coefficients and to kappa of the pairs. Remove --{other[0].replace('_', '-')}."
        )
    return found


def designed(
    question: FileQuestion,
    kind: QuestionKind,
    design_options: DesignOptions,
    columns: Sequence[int],
    coefficients: Figures,
) -> Figures:
    """Return the coefficients of the raters who count with the errors for this design. Raises OptionRefused."""
    if design_options.are_raters_sampled and question.counts is CountForm.ITEMS:
        raise OptionRefused(
            "--raters-are sample needs to know who gave which label. Counts by item do not say."
        )
    if question.kind is not Kind.SINGLE:
        raise OptionRefused("--unit, --population, and --raters-are apply to single categories only.")
    part, options = kind.part(question.label_columns(columns)), kind.scope.options
    design = _design(question, design_options, part)
    known = requested_statistics(kind.scope.scale)
    found = dict(coefficients)
    for name, figure in coefficients.items():
        if figure.value is None or name not in known:
            continue
        statistic, scale = known[name]
        interval = designed_interval(
            statistic, part.sample, scale, figure.value, design, confidence=options.confidence
        )
        found[name] = figure.with_interval(interval)
    return found


def designed_pairs(
    question: FileQuestion, kind: QuestionKind, options: DesignOptions, pairs: Sequence[PairResult]
) -> list[PairResult]:
    """Return kappas of pairs with the standard errors for this design; raters of a pair are never a sample."""
    part = kind.part(question.label_columns())
    design = replace(_design(question, options, part), are_raters_sampled=False)
    codes = to_dense(part.sample.ratings).codes.astype(np.int64)
    scale, confidence = kind.scope.scale, kind.scope.options.confidence
    return [_pair(pair, codes, scale.n_categories, scale.weighting, design, confidence) for pair in pairs]


def _pair(
    pair: PairResult,
    codes: Any,
    n_categories: int,
    weighting: Weighting,
    design: SamplingDesign,
    confidence: float,
) -> PairResult:
    if pair.kappa is None:
        return pair
    rows, columns = codes[:, pair.rater_a], codes[:, pair.rater_b]
    is_shared = (rows < n_categories) & (columns < n_categories)
    table = np.array(pair.counts, dtype=np.int64).reshape(1, n_categories, n_categories)
    item_values = np.full(len(codes), np.nan)
    cells = (rows * n_categories + columns)[is_shared]
    item_values[is_shared] = linearised_kappa(table, weighting).ravel()[cells]
    found = designed_mean(item_values, pair.kappa, design, confidence=confidence)
    reason = str(found.reason) if found.reason else ""
    return pair._replace(se=found.se, ci_low=found.low, ci_high=found.high, reason=reason)


def _design(question: FileQuestion, options: DesignOptions, part: LabelSubset) -> SamplingDesign:
    places = part.item_ids.astype(np.int64)
    clusters = np.unique(np.array(question.units), return_inverse=True)[1][places] if options.unit else None
    n_units = len(places) if clusters is None else len(np.unique(clusters))
    if options.population and options.population < n_units:
        what = f"{n_units:,} values of {options.unit}" if options.unit else f"{n_units:,} items"
        raise OptionRefused(
            f"--population must be at least the {what} of the file, got {options.population:,}."
        )
    return SamplingDesign(
        clusters=clusters,
        population=options.population or None,
        are_raters_sampled=options.are_raters_sampled,
    )


def design_sentence(question: FileQuestion, options: DesignOptions) -> str:
    """Return what the standard errors take into account; "" for the default design."""
    if options.is_plain:
        return ""
    n_units = len(set(question.units)) if options.unit else len(question.items)
    units = f"{n_units:,} values of {options.unit}" if options.unit else f"{n_units:,} items"
    drawn = f", drawn from {options.population:,}" if options.population else ""
    sentences = [
        f"Standard errors and CIs of overall coefficients and pairs: independent units are the {units}{drawn}."
    ]
    if options.are_raters_sampled:
        sentences.append("Those of overall coefficients also treat the raters as a sample of more raters.")
    return "\n".join(wrapped([" ".join(sentences)]))


def design_as_json(question: FileQuestion, options: DesignOptions) -> Json:
    if options.is_plain:
        return {}
    n_units = len(set(question.units)) if options.unit else len(question.items)
    return {
        "design": {
            "unit": options.unit or "item",
            "n_units": n_units,
            "population": options.population or None,
            "raters": "sample" if options.are_raters_sampled else "fixed",
        }
    }
