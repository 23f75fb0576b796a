"""The labels of a file that are numbers or sets, as statistics take them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.results import FloatArray, IntArray
from reports.agreement.sets.members import SetSample
from reports.sources.label_file import LabelsInFile, natural
from reports.sources.written_labels import parts_of


def numbers_in(labels: LabelsInFile) -> NumberSample:
    return NumberSample.from_labels(
        labels.items,
        labels.columns,
        values_in(labels),
        n_items=len(labels.item_names),
        n_raters=len(labels.raters),
    )


def values_in(labels: LabelsInFile) -> FloatArray:
    # Adding 0 makes -0 the same as 0.
    numbers = np.array([float(label) for label in labels.labels]) + 0.0
    return numbers[labels.codes] if len(labels.codes) else np.empty(0)


def sets_in(labels: LabelsInFile, categories: Sequence[str]) -> tuple[SetSample, IntArray]:
    """The labels, and which items are their rows: those with a label."""
    sample = SetSample.from_labels(labels.items, labels.columns, chosen_in(labels, categories)[labels.codes])
    return sample, np.unique(labels.items)


def chosen_in(labels: LabelsInFile, categories: Sequence[str]) -> NDArray[np.bool_]:
    """(S, K) what each distinct label holds."""
    chosen = np.zeros((len(labels.labels), len(categories)), dtype=bool)
    places = {category: place for place, category in enumerate(categories)}
    for row, label in enumerate(labels.labels):
        chosen[row, [places[part] for part in parts_of(label) if part in places]] = True
    return chosen


def occurring(labels: Sequence[str]) -> list[str]:
    return sorted({part for label in labels for part in parts_of(label)}, key=natural)
