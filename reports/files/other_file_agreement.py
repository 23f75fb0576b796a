"""What `manage.py agreement --kind number|multiple` computes of one question."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from projects.files.encoding import Source
from projects.models import Question
from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.results import Size
from reports.agreement.sets.members import SetSample
from reports.agreement.weights import Weights
from reports.computing.families import with_null_reasons
from reports.computing.other_figures import (
    OfAllRaters,
    OfPair,
    figures_of_numbers,
    figures_of_sets,
    number_pair_figures,
    set_pair_figures,
)
from reports.files.file_agreement import Choices, Unsuitable
from reports.files.label_file import LabelsInFile, Options, natural, read_written_labels
from reports.files.written_labels import parts_of


@dataclass(frozen=True, slots=True, eq=False)
class OtherResult:
    """kind: number or multiple. raters: in the order of the positions of pairs. categories: of sets, else none."""

    key: str
    kind: str
    raters: list[str]
    categories: list[str]
    size: Size
    of_all: OfAllRaters
    pairs: list[OfPair]

    def as_json(self) -> dict[str, Any]:
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
                    "figures": with_null_reasons(pair.figures),
                }
                for pair in self.pairs
            ],
            "coefficients": with_null_reasons(self.of_all.coefficients),
            "statistics": with_null_reasons(self.of_all.statistics),
        }


def other_results(source: Source, reading: Options, choices: Choices) -> list[OtherResult]:
    """The questions of a file of numbers or sets. Raises FileRefused, Unsuitable."""
    if choices.options.weights is not Weights.UNWEIGHTED:
        raise Unsuitable("Weights compare categories; they do not go with numbers or sets.")
    of_kind = _of_numbers if reading.kind == Question.Kind.NUMBER else _of_sets
    return [of_kind(labels, reading, choices) for labels in read_written_labels(source, reading)]


def _of_numbers(labels: LabelsInFile, reading: Options, choices: Choices) -> OtherResult:
    # Adding 0 makes -0 the same as 0.
    numbers = np.array([float(label) for label in labels.labels]) + 0.0
    sample = NumberSample.from_labels(
        labels.items,
        labels.columns,
        numbers[labels.codes] if len(labels.codes) else np.empty(0),
        n_items=int(labels.items.max(initial=-1)) + 1,
        n_raters=len(labels.raters),
    )
    confidence = choices.options.confidence
    return OtherResult(
        key=labels.key,
        kind=reading.kind,
        raters=labels.raters,
        categories=[],
        size=sample.size,
        of_all=figures_of_numbers(sample, choices.level, choices.options),
        pairs=list(number_pair_figures(sample, confidence=confidence)),
    )


def _of_sets(labels: LabelsInFile, reading: Options, choices: Choices) -> OtherResult:
    used = [labels.labels[code] for code in np.unique(labels.codes)]
    categories = list(reading.categories) or _occurring(used)
    chosen = np.zeros((len(labels.labels), len(categories)), dtype=bool)
    places = {category: place for place, category in enumerate(categories)}
    for row, label in enumerate(labels.labels):
        chosen[row, [places[part] for part in parts_of(label) if part in places]] = True
    sample = SetSample.from_labels(labels.items, labels.columns, chosen[labels.codes])
    confidence = choices.options.confidence
    return OtherResult(
        key=labels.key,
        kind=reading.kind,
        raters=labels.raters,
        categories=categories,
        size=sample.sample.size,
        of_all=figures_of_sets(sample, choices.options),
        pairs=list(set_pair_figures(sample, confidence=confidence)),
    )


def _occurring(labels: Sequence[str]) -> list[str]:
    return sorted({part for label in labels for part in parts_of(label)}, key=natural)
