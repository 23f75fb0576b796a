"""What `manage.py agreement --kind number|multiple` computes of one question."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from projects.files.encoding import Source
from projects.models import Question
from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.results import FloatArray, IntArray, Size
from reports.agreement.sets.members import SetSample
from reports.agreement.weights import Level, Weights
from reports.computing.families import with_null_reasons
from reports.computing.other_comparing import number_differences, set_differences
from reports.computing.other_figures import (
    OfAllRaters,
    OfPair,
    figures_of_numbers,
    figures_of_sets,
    number_pair_figures,
    set_pair_figures,
    with_basis,
)
from reports.computing.pair_statistics import basis_of_pair
from reports.files.choices import Choices, More, Unsuitable
from reports.files.file_raters import answers_in, figures_of_raters, scope_in, shares_in
from reports.files.file_readings import coefficient_readings
from reports.files.label_file import LabelsInFile, Options, natural, read_written_labels
from reports.files.written_labels import parts_of
from reports.options import Options as ReportOptions


@dataclass(frozen=True, slots=True, eq=False)
class OtherResult:
    """kind: number or multiple. raters: in the order of the positions of pairs. n_labels: of each of them. categories:
    of sets, else none. of_raters: each beside the others.
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

    def as_json(self) -> dict[str, Any]:
        more = {"differences": self.differences, "readings": self.readings, "raters": self.of_raters}
        return {
            "question": self.key,
            "kind": self.kind,
            "categories": self.categories,
            **asdict(self.size),
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
    others = read_written_labels(other, reading) if other else []
    of_kind = _of_numbers if reading.kind == Question.Kind.NUMBER else _of_sets
    return [
        of_kind(labels, reading, choices, _compared(labels, choices, others, has_other=other is not None))
        for labels in read_written_labels(source, reading)
    ]


def _refuse_unsuitable(reading: Options, choices: Choices) -> None:
    """What is asked for and cannot be is said, not left out."""
    is_number = reading.kind == Question.Kind.NUMBER
    if choices.options.weights is not Weights.UNWEIGHTED:
        raise Unsuitable("Weights compare categories; they do not go with numbers or sets.")
    if choices.options.reference:
        raise Unsuitable(
            "A rater is taken as right for single choices; compare numbers or sets pair by pair."
        )
    if is_number and reading.categories:
        raise Unsuitable("Numbers have no categories; leave out --categories.")
    if not is_number and choices.level is not Level.NOMINAL:
        raise Unsuitable("Sets of categories have no level; alpha takes the distances of MASI and Jaccard.")


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """Labels of some raters, or of another file. items: (N,), who the items of its rows are."""

    name: str
    labels: LabelsInFile
    items: IntArray


def _compared(
    labels: LabelsInFile, choices: Choices, others: Sequence[LabelsInFile], *, has_other: bool
) -> dict[str, tuple[_Side, _Side]]:
    """The two sides of each comparison that was asked for. Raises Unsuitable."""
    found = {}
    pairs = [choices.pairs[:2], choices.pairs[2:]] if choices.pairs else []
    for what, groups, joint in (("pairs", pairs, " x "), ("groups", choices.groups, ", ")):
        if groups:
            first, second = (_of_raters(labels, names, joint.join(names)) for names in groups)
            found[what] = first, second
    if has_other:
        other = next((each for each in others if each.key == labels.key), None)
        if other is None:
            raise Unsuitable(f"{labels.key}: the file to compare with has no such question.")
        numbers = {name: place for place, name in enumerate(sorted({*labels.item_names, *other.item_names}))}
        first, second = (
            _Side(name, each, np.array([numbers[item] for item in each.item_names], dtype=np.int64))
            for name, each in (("this file", labels), ("the other file", other))
        )
        found["files"] = first, second
    return found


def _of_raters(labels: LabelsInFile, names: Sequence[str], title: str) -> _Side:
    if unknown := [name for name in names if name not in labels.raters]:
        raise Unsuitable(f"{labels.key}: there is no rater {unknown[0]!r} to compare.")
    keep = np.isin(labels.columns, [labels.raters.index(name) for name in names])
    some = replace(labels, items=labels.items[keep], columns=labels.columns[keep], codes=labels.codes[keep])
    return _Side(title, some, np.arange(len(labels.item_names)))


def _of_numbers(
    labels: LabelsInFile, reading: Options, choices: Choices, sides: dict[str, tuple[_Side, _Side]]
) -> OtherResult:
    sample = _numbers(labels)
    options, level = choices.options, choices.level
    of_all = figures_of_numbers(sample, level, options)
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
        differences={
            what: _named(
                first,
                second,
                number_differences(
                    (_numbers(first.labels), _numbers(second.labels)),
                    (first.items, second.items),
                    level,
                    options,
                ),
            )
            for what, (first, second) in sides.items()
        },
        of_raters=_raters_of_numbers(labels, choices) if More.RATERS in choices.more else [],
    )


def _raters_of_numbers(labels: LabelsInFile, choices: Choices) -> list[dict[str, Any]]:
    scope = scope_in(labels, Question.Kind.NUMBER, [], choices.level, choices.options)
    numbers, no_sets = _values(labels), np.zeros((0, 0), dtype=bool)
    return figures_of_raters(scope, labels, answers_in(labels, numbers, no_sets, []))


def _per_rater(labels: LabelsInFile) -> list[int]:
    found: list[int] = np.bincount(labels.columns, minlength=len(labels.raters)).tolist()
    return found


def _named(first: _Side, second: _Side, differences: dict[str, Any]) -> dict[str, Any]:
    return {"first": first.name, "second": second.name, "differences": differences}


def _numbers(labels: LabelsInFile) -> NumberSample:
    return NumberSample.from_labels(
        labels.items,
        labels.columns,
        _values(labels),
        n_items=len(labels.item_names),
        n_raters=len(labels.raters),
    )


def _values(labels: LabelsInFile) -> FloatArray:
    # Adding 0 makes -0 the same as 0.
    numbers = np.array([float(label) for label in labels.labels]) + 0.0
    return numbers[labels.codes] if len(labels.codes) else np.empty(0)


def _of_sets(
    labels: LabelsInFile, reading: Options, choices: Choices, sides: dict[str, tuple[_Side, _Side]]
) -> OtherResult:
    used = [labels.labels[code] for code in np.unique(labels.codes)]
    categories = list(reading.categories) or _occurring(used)
    sample, _ = _sets(labels, categories)
    options = choices.options
    of_all = figures_of_sets(sample, options)
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
        differences={
            what: _named(first, second, _less(first, second, options))
            for what, (first, second) in sides.items()
        },
        of_raters=_raters_of_sets(labels, categories, choices) if More.RATERS in choices.more else [],
    )


def _raters_of_sets(
    labels: LabelsInFile, categories: Sequence[str], choices: Choices
) -> list[dict[str, Any]]:
    kind, chosen = Question.Kind.MULTIPLE, _chosen(labels, categories)
    scope = scope_in(labels, kind, [(name, None) for name in categories], choices.level, choices.options)
    share_of = shares_in(kind, labels.codes, chosen, len(categories))
    return figures_of_raters(scope, labels, answers_in(labels, labels.codes, chosen, share_of))


def _less(first: _Side, second: _Side, options: ReportOptions) -> dict[str, Any]:
    (a, rows_of_a), (b, rows_of_b) = (
        _sets(side.labels, _occurring(side.labels.labels)) for side in (first, second)
    )
    return set_differences((a, b), (first.items[rows_of_a], second.items[rows_of_b]), options)


def _sets(labels: LabelsInFile, categories: Sequence[str]) -> tuple[SetSample, IntArray]:
    """The labels, and which items are their rows: those with a label."""
    sample = SetSample.from_labels(labels.items, labels.columns, _chosen(labels, categories)[labels.codes])
    return sample, np.unique(labels.items)


def _chosen(labels: LabelsInFile, categories: Sequence[str]) -> NDArray[np.bool_]:
    """(S, K) what each distinct label holds."""
    chosen = np.zeros((len(labels.labels), len(categories)), dtype=bool)
    places = {category: place for place, category in enumerate(categories)}
    for row, label in enumerate(labels.labels):
        chosen[row, [places[part] for part in parts_of(label) if part in places]] = True
    return chosen


def _occurring(labels: Sequence[str]) -> list[str]:
    return sorted({part for label in labels for part in parts_of(label)}, key=natural)
