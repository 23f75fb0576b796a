"""Differences that `manage.py agreement --kind number|multiple` is asked for."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from projects.models import Question
from reports.agreement.results import IntArray
from reports.analysis.catalogue import Family
from reports.analysis.kinds.differences import number_differences, set_differences
from reports.analysis.kinds.figures import number_pair_figures, set_pair_figures
from reports.command.choices import Choices, Unsuitable
from reports.sources.label_file import LabelsInFile
from reports.sources.label_samples import numbers_in, occurring, sets_in

# A difference of a pair takes as long as that of a coefficient.
MOST_PAIRS = 100
# What tells pairs apart, and the name of the same figure among the differences of two raters.
FIGURES: dict[str, tuple[str, str]] = {
    Question.Kind.NUMBER: ("lin_concordance", "lin_concordance"),
    Question.Kind.MULTIPLE: ("masi", "mean_masi"),
}


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """Labels of some raters, or of another file. items: (N,), who the items of its rows are."""

    name: str
    labels: LabelsInFile
    items: IntArray


def differences_of(
    labels: LabelsInFile, kind: str, choices: Choices, others: Sequence[LabelsInFile] | None
) -> dict[str, Any]:
    """Each comparison that was asked for; others: of the file to compare with. Raises Unsuitable."""
    sides = _compared(labels, choices, others)
    found: dict[str, Any] = {}
    for what, (first, second) in sides.items():
        if what == "files":
            # Pairs of files are those of everyone; the figures of all raters are not.
            differences = _less(kind, _counted(first, choices), _counted(second, choices), choices)
        else:
            differences = _less(kind, first, second, choices)
        found[what] = {"first": first.name, "second": second.name, "differences": differences}
    if "files" in sides and Family.PAIRS in choices.families:
        found["files"]["pairs"] = _pairs_of_files(kind, *sides["files"], choices)
    return found


def _compared(
    labels: LabelsInFile, choices: Choices, others: Sequence[LabelsInFile] | None
) -> dict[str, tuple[_Side, _Side]]:
    """The two sides of each."""
    found = {}
    pairs = [choices.pairs[:2], choices.pairs[2:]] if choices.pairs else []
    for what, groups, joint in (("pairs", pairs, " x "), ("groups", choices.groups, ", ")):
        if groups:
            first, second = (_of_raters(labels, names, joint.join(names)) for names in groups)
            found[what] = first, second
    if others is not None:
        other = next((each for each in others if each.key == labels.key), None)
        if other is None:
            raise Unsuitable(f"{labels.key}: the other file has no such question.")
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
    return _Side(title, _labels_of(labels, names), np.arange(len(labels.item_names)))


def _counted(side: _Side, choices: Choices) -> _Side:
    """Only the labels of those who count."""
    names = [name for name in side.labels.raters if name not in choices.left_out]
    return replace(side, labels=_labels_of(side.labels, names))


def _labels_of(labels: LabelsInFile, names: Sequence[str]) -> LabelsInFile:
    keep = np.isin(labels.columns, [labels.raters.index(name) for name in names])
    return replace(labels, items=labels.items[keep], columns=labels.columns[keep], codes=labels.codes[keep])


def _less(kind: str, first: _Side, second: _Side, choices: Choices) -> dict[str, Any]:
    sides, options = (first, second), choices.options
    if kind == Question.Kind.NUMBER:
        a, b = (numbers_in(side.labels) for side in sides)
        return number_differences((a, b), (first.items, second.items), choices.level, options)
    (c, rows_of_c), (d, rows_of_d) = (sets_in(side.labels, occurring(side.labels.labels)) for side in sides)
    return set_differences((c, d), (first.items[rows_of_c], second.items[rows_of_d]), options)


def _pairs_of_files(kind: str, first: _Side, second: _Side, choices: Choices) -> dict[str, Any]:
    """Each pair that both files have, those that differ most first."""
    figure, name = FIGURES[kind]
    values = [_values(kind, side.labels, figure) for side in (first, second)]
    gaps = {pair: abs(values[0][pair] - values[1][pair]) for pair in values[0].keys() & values[1].keys()}
    pairs = sorted(gaps, key=lambda pair: (-gaps[pair], pair))
    return {
        "figure": figure,
        "n_pairs": len(pairs),
        "pairs": [
            {
                "rater_a": pair[0],
                "rater_b": pair[1],
                "difference": _less(kind, _of_pair(first, pair), _of_pair(second, pair), choices)[name],
            }
            for pair in pairs[:MOST_PAIRS]
        ],
    }


def _of_pair(side: _Side, pair: Sequence[str]) -> _Side:
    return replace(side, labels=_labels_of(side.labels, pair))


def _values(kind: str, labels: LabelsInFile, figure: str) -> dict[tuple[str, str], float]:
    """By the names of both raters; those that are defined."""
    if kind == Question.Kind.NUMBER:
        pairs = number_pair_figures(numbers_in(labels), confidence=0.95)
    else:
        pairs = set_pair_figures(sets_in(labels, occurring(labels.labels))[0], confidence=0.95)
    return {
        (labels.raters[pair.rater_a], labels.raters[pair.rater_b]): pair.figures[figure]["value"]
        for pair in pairs
        if pair.figures[figure]["value"] is not None
    }
