"""Differences for `manage.py agreement`: between two pairs, two groups of raters, and two files."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from reports.agreement.intervals.difference import Difference
from reports.analysis.catalog import StatisticFamily
from reports.analysis.category_differences import category_differences
from reports.analysis.comparison import pair_differences
from reports.analysis.kinds.kind import QuestionKind
from reports.analysis.label_arrays import LabelSubset
from reports.analysis.results import Differences, Json, to_json
from reports.command.choices import CommandChoices, UnsuitableOptions
from reports.command.counts import differences_limited_to_counts
from reports.command.excluded_raters import columns_left
from reports.sources.count_file import CountForm
from reports.sources.file_labels import FileQuestion

# The most categories and pairs in both sides to compare: a difference takes as long as a coefficient.
MOST_CATEGORIES = 40
MOST_PAIRS = 100

Names = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryDifference:
    category: str
    differences: Differences


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePairDifference:
    rater_a: str
    rater_b: str
    difference: Difference


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePairs:
    """figure: by which pairs are compared. pairs: of the n_pairs in both files, those that differ most, in order."""

    figure: str
    n_pairs: int
    pairs: Sequence[FilePairDifference]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileComparison:
    """First side minus second side; categories and pairs: None if not requested."""

    first: str
    second: str
    differences: Differences
    categories: Sequence[CategoryDifference] | None = None
    pairs: FilePairs | None = None

    def to_json(self) -> Json:
        found = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: to_json(each) for name, each in found.items() if each is not None}


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """Labels of some raters, or of another file. numbers: (N,) the number of each item, shared by both sides."""

    name: str
    question: FileQuestion
    kind: QuestionKind
    numbers: Sequence[int]

    def part(self, raters: Sequence[int] | None = None) -> LabelSubset:
        found = self.kind.part(self.question.label_columns(raters))
        return LabelSubset(found.sample, np.array(self.numbers, dtype=np.int64)[found.item_ids])

    def part_of(self, names: Sequence[str]) -> LabelSubset:
        return self.part([self.question.raters.index(name) for name in names])


def comparisons(
    question: FileQuestion, choices: CommandChoices, kind: QuestionKind
) -> dict[str, FileComparison]:
    """Return the requested differences; of groups and files also by category, and of files by pair, if requested."""
    here = _Side("this file", question, kind, range(len(question.items)))
    found: dict[str, FileComparison] = {}
    if choices.pairs:
        found["pairs"] = _pairs(here, choices)
    if choices.groups:
        parts = [here.part(_places(question, names)) for names in choices.groups]
        found["groups"] = _less([", ".join(names) for names in choices.groups], parts, here, choices)
    if choices.other is not None:
        sides = _files(question, _other(question, choices), kind)
        parts = [side.part(columns_left(side.question.raters, choices.left_out)) for side in sides]
        found["files"] = _less([side.name for side in sides], parts, here, choices)
        has_pairs = all(side.question.counts is not CountForm.ITEMS for side in sides)
        if StatisticFamily.PAIRS in choices.families and has_pairs:
            # Pairs of files include all raters, unlike overall figures.
            found["files"] = replace(found["files"], pairs=_pairs_of_files(*sides))
    return found


def _places(question: FileQuestion, names: Sequence[str]) -> list[int]:
    if unknown := [name for name in names if name not in question.raters]:
        raise UnsuitableOptions(f"{question.key}: there is no rater {unknown[0]!r} to compare.")
    return [question.raters.index(name) for name in names]


def _pairs(here: _Side, choices: CommandChoices) -> FileComparison:
    """Compare pairs by kappa for single choices, or else by the alpha of the two."""
    kind, scope = here.kind, here.kind.scope
    first, second = (_places(here.question, names) for names in (choices.pairs[:2], choices.pairs[2:]))
    differences = (
        pair_differences(here.part().sample.ratings, first, second, scope.scale, scope.options)
        if kind.pairs_have_counts
        else kind.differences(here.part(first), here.part(second))
    )
    titles = (" x ".join(choices.pairs[:2]), " x ".join(choices.pairs[2:]))
    return FileComparison(first=titles[0], second=titles[1], differences=differences)


def _less(
    names: Sequence[str], parts: Sequence[LabelSubset], here: _Side, choices: CommandChoices
) -> FileComparison:
    kind, (first, second) = here.kind, parts
    found = FileComparison(first=names[0], second=names[1], differences=kind.differences(first, second))
    if choices.other is not None:
        found = replace(
            found, differences=differences_limited_to_counts(found.differences, here.question, *choices.other)
        )
    if StatisticFamily.CATEGORIES not in choices.families or not kind.pairs_have_counts:
        return found
    categories = []
    for place, name in enumerate(here.question.categories[:MOST_CATEGORIES]):
        (one, at), (other, _) = (kind.category_part(part, place) for part in parts)
        differences = category_differences(one, other, at, kind.scope.options)
        categories.append(CategoryDifference(category=name, differences=differences))
    return replace(found, categories=categories)


def _other(question: FileQuestion, choices: CommandChoices) -> FileQuestion:
    other = next((each for each in choices.other or () if each.key == question.key), None)
    if other is None:
        raise UnsuitableOptions(f"{question.key}: the other file has no such question.")
    if other.members is None and other.categories != question.categories:
        raise UnsuitableOptions(
            f"{question.key}: the two files have different categories. Set them with --categories."
        )
    return other


def _files(question: FileQuestion, other: FileQuestion, kind: QuestionKind) -> list[_Side]:
    names = "this file", "the other file"
    # The items of a confusion matrix have no names that another file could share.
    if CountForm.PAIR in (question.counts, other.counts):
        n = len(question.items)
        return [
            _Side(names[0], question, kind, range(n)),
            _Side(names[1], other, kind, range(n, n + len(other.items))),
        ]
    numbers = {name: number for number, name in enumerate(sorted({*question.items, *other.items}))}
    return [
        _Side(name, each, kind, [numbers[item] for item in each.items])
        for name, each in zip(names, (question, other), strict=True)
    ]


def _pairs_of_files(first: _Side, second: _Side) -> FilePairs:
    """Return the pairs in both files, largest difference first."""
    values = _values(first), _values(second)
    both = values[0].keys() & values[1].keys()
    pairs = sorted(both, key=lambda pair: (-abs(values[0][pair] - values[1][pair]), pair))
    return FilePairs(
        figure=first.kind.pair_figure,
        n_pairs=len(pairs),
        pairs=[
            FilePairDifference(
                rater_a=pair[0],
                rater_b=pair[1],
                difference=first.kind.pair_difference(first.part_of(pair), second.part_of(pair)),
            )
            for pair in pairs[:MOST_PAIRS]
        ],
    )


def _values(side: _Side) -> dict[Names, float]:
    """Return the defined values by the names of both raters, in the order of the file."""
    raters = side.question.raters
    return {(raters[a], raters[b]): value for (a, b), value in side.kind.pair_values(side.part()).items()}
