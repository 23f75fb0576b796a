"""What `manage.py agreement --kind number|multiple` computes of one question."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from core.tables.encoding import Source
from projects.models import Question
from reports.agreement.results import Size
from reports.agreement.weights import Level, Weights
from reports.analysis.kinds.figures import (
    OfAllRaters,
    OfPair,
    figures_of_numbers,
    figures_of_sets,
    number_pair_figures,
    set_pair_figures,
    with_basis,
)
from reports.analysis.overall import told_too_few, with_null_reasons
from reports.analysis.pairs import basis_of_pair
from reports.command.choices import Choices, More, Unsuitable
from reports.command.left_out import are_too_few, codes_left, columns_left, counted_as_json
from reports.command.numbers_and_sets_comparison import differences_of
from reports.command.raters import answers_in, figures_of_raters, scope_in, shares_in
from reports.command.readings import coefficient_readings
from reports.sources.label_file import LabelsInFile, Options, read_written_labels
from reports.sources.label_samples import chosen_in, numbers_in, occurring, sets_in, values_in


@dataclass(frozen=True, slots=True, eq=False)
class OtherResult:
    """kind: number or multiple. raters: in the order of the positions of pairs. n_labels: of each of them. categories:
    of sets, else none. of_raters: each beside the others. counted: who does, if not everyone.
    """

    key: str
    kind: str
    raters: list[str]
    n_labels: list[int]
    categories: list[str]
    size: Size
    of_all: OfAllRaters
    pairs: list[OfPair]
    readings: dict[str, Any]
    differences: dict[str, Any]
    of_raters: list[dict[str, Any]]
    counted: dict[str, Any]

    def as_json(self) -> dict[str, Any]:
        more = {"differences": self.differences, "readings": self.readings, "raters": self.of_raters}
        return {
            "question": self.key,
            "kind": self.kind,
            "categories": self.categories,
            **asdict(self.size),
            **self.counted,
            "pairs": [
                {
                    "rater_a": self.raters[pair.rater_a],
                    "rater_b": self.raters[pair.rater_b],
                    "n": pair.n,
                    "figures": with_null_reasons(with_basis(pair.figures, self._basis(pair))),
                }
                for pair in self.pairs
            ],
            "coefficients": with_null_reasons(self.of_all.coefficients),
            "statistics": with_null_reasons(self.of_all.statistics),
            **{name: with_null_reasons(found) for name, found in more.items() if found},
        }

    def _basis(self, pair: OfPair) -> dict[str, Any]:
        return basis_of_pair(pair.n, self.n_labels[pair.rater_a] + self.n_labels[pair.rater_b])


def other_results(
    source: Source, reading: Options, choices: Choices, other: Source | None = None
) -> list[OtherResult]:
    """The questions of a file of numbers or sets; other: a file to compare with. Raises FileRefused, Unsuitable."""
    _refuse_unsuitable(reading, choices)
    others = read_written_labels(other, reading) if other else None
    of_kind = _of_numbers if reading.kind == Question.Kind.NUMBER else _of_sets
    return [
        of_kind(labels, reading, choices, differences_of(labels, reading.kind, choices, others))
        for labels in read_written_labels(source, reading)
    ]


def _refuse_unsuitable(reading: Options, choices: Choices) -> None:
    """What is asked for and cannot be is said, not left out."""
    is_number = reading.kind == Question.Kind.NUMBER
    if choices.options.weights is not Weights.UNWEIGHTED:
        raise Unsuitable("Weights apply to single categories, not to numbers or sets.")
    if choices.options.reference:
        raise Unsuitable(
            "--reference applies to single categories only. For numbers and sets, see the pairs."
        )
    if is_number and reading.categories:
        raise Unsuitable("Numbers have no categories. Remove --categories.")
    if not is_number and choices.level is not Level.NOMINAL:
        raise Unsuitable(
            "Sets of categories have no level of measurement; alpha uses the MASI and Jaccard distances. Remove "
            "--level."
        )


def _of_numbers(
    labels: LabelsInFile, reading: Options, choices: Choices, differences: dict[str, Any]
) -> OtherResult:
    sample = numbers_in(labels)
    options, level = choices.options, choices.level
    columns = columns_left(labels.raters, choices.left_out)
    of_all = _told(figures_of_numbers(sample.of_raters(columns), level, options), labels, choices)
    return OtherResult(
        key=labels.key,
        kind=reading.kind,
        raters=labels.raters,
        n_labels=_per_rater(labels),
        categories=[],
        size=sample.size,
        of_all=of_all,
        pairs=list(number_pair_figures(sample, confidence=options.confidence)),
        readings=coefficient_readings(of_all.coefficients, choices.scale),
        differences=differences,
        of_raters=_raters_of_numbers(labels, choices) if More.RATERS in choices.more else [],
        counted=counted_as_json(labels.raters, choices),
    )


def _told(of_all: OfAllRaters, labels: LabelsInFile, choices: Choices) -> OfAllRaters:
    if not are_too_few(labels.raters, choices.left_out):
        return of_all
    return OfAllRaters(told_too_few(of_all.coefficients), told_too_few(of_all.statistics))


def _raters_of_numbers(labels: LabelsInFile, choices: Choices) -> list[dict[str, Any]]:
    scope = scope_in(labels, Question.Kind.NUMBER, [], choices.level, choices.options)
    numbers, no_sets = values_in(labels), np.zeros((0, 0), dtype=bool)
    columns = columns_left(labels.raters, choices.left_out)
    return figures_of_raters(scope, labels, answers_in(labels, numbers, no_sets, []), columns)


def _per_rater(labels: LabelsInFile) -> list[int]:
    found: list[int] = np.bincount(labels.columns, minlength=len(labels.raters)).tolist()
    return found


def _of_sets(
    labels: LabelsInFile, reading: Options, choices: Choices, differences: dict[str, Any]
) -> OtherResult:
    used = [labels.labels[code] for code in np.unique(labels.codes)]
    categories = list(reading.categories) or occurring(used)
    sample, _ = sets_in(labels, categories)
    options = choices.options
    columns = columns_left(labels.raters, choices.left_out)
    of_all = _told(figures_of_sets(sample.of_raters(columns), options), labels, choices)
    return OtherResult(
        key=labels.key,
        kind=reading.kind,
        raters=labels.raters,
        n_labels=_per_rater(labels),
        categories=categories,
        size=sample.sample.size,
        of_all=of_all,
        pairs=list(set_pair_figures(sample, confidence=options.confidence)),
        readings=coefficient_readings(of_all.coefficients, choices.scale),
        differences=differences,
        of_raters=_raters_of_sets(labels, categories, choices) if More.RATERS in choices.more else [],
        counted=counted_as_json(labels.raters, choices),
    )


def _raters_of_sets(
    labels: LabelsInFile, categories: Sequence[str], choices: Choices
) -> list[dict[str, Any]]:
    kind, chosen = Question.Kind.MULTIPLE, chosen_in(labels, categories)
    scope = scope_in(labels, kind, [(name, None) for name in categories], choices.level, choices.options)
    columns = columns_left(labels.raters, choices.left_out)
    share_of = shares_in(kind, codes_left(labels, columns), chosen, len(categories))
    return figures_of_raters(scope, labels, answers_in(labels, labels.codes, chosen, share_of), columns)
