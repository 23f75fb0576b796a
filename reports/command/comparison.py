"""Differences that `manage.py agreement` is asked for: of two pairs, of two groups of raters, and of two files."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from reports.agreement.counting import all_pairs
from reports.agreement.intervals.sample_difference import of_raters
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.ratings import DenseRatings, Ratings, to_dense
from reports.agreement.results import IntArray
from reports.agreement.sample import Sample, Scale
from reports.agreement.weights import Weights
from reports.analysis.catalogue import Family
from reports.analysis.category_differences import category_differences
from reports.analysis.comparison import pair_differences, sample_differences
from reports.analysis.options import Options
from reports.command.choices import Choices, Unsuitable
from reports.command.left_out import columns_left
from reports.sources.label_file import QuestionInFile

# Of the categories and pairs that both sides have: a difference takes as long as that of a coefficient.
MOST_CATEGORIES = 40
MOST_PAIRS = 100


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """Labels of some raters, or of another file. items: (N,), who the items of its rows are."""

    name: str
    ratings: Ratings
    items: IntArray


def comparisons(question: QuestionInFile, choices: Choices, scale: Scale, options: Options) -> dict[str, Any]:
    """The differences that were asked for: of two pairs, of two groups of raters, and of this file less another.

    Of groups and files also those of each category, and of files those of each pair, if these families were asked for.
    """
    found: dict[str, Any] = {}
    if choices.pairs:
        places = [_place(question, name) for name in choices.pairs]
        found["pairs"] = {
            "first": " x ".join(choices.pairs[:2]),
            "second": " x ".join(choices.pairs[2:]),
            "differences": pair_differences(question.ratings, places[:2], places[2:], scale, options),
        }
    if choices.groups:
        sides = [_group(question, names) for names in choices.groups]
        found["groups"] = _less(question, sides, choices, scale, options)
    if choices.other:
        other = _other(question, choices)
        found["files"] = _less(question, _counted_files(question, other, choices), choices, scale, options)
        if Family.PAIRS in choices.families:
            found["files"]["pairs"] = _pairs_of_files(question, other, scale, options)
    return found


def _group(question: QuestionInFile, names: Sequence[str]) -> _Side:
    some = of_raters(question.ratings, [_place(question, name) for name in names])
    return _Side(", ".join(names), some, np.arange(question.ratings.n_items))


def _place(question: QuestionInFile, name: str) -> int:
    if name not in question.raters:
        raise Unsuitable(f"{question.key}: there is no rater {name!r} to compare.")
    return question.raters.index(name)


def _other(question: QuestionInFile, choices: Choices) -> QuestionInFile:
    other = next((each for each in choices.other if each.key == question.key), None)
    if other is None:
        raise Unsuitable(f"{question.key}: the other file has no such question.")
    if other.categories != question.categories:
        raise Unsuitable(
            f"{question.key}: the two files have different categories. Set them with --categories."
        )
    return other


def _counted(question: QuestionInFile, choices: Choices) -> Ratings:
    """The labels of those who count, on all rows of items."""
    columns = columns_left(question.raters, choices.left_out)
    everyone = len(columns) == question.ratings.n_raters
    return question.ratings if everyone else of_raters(question.ratings, columns)


def _counted_files(question: QuestionInFile, other: QuestionInFile, choices: Choices) -> list[_Side]:
    return [
        replace(side, ratings=_counted(each, choices))
        for side, each in zip(_files(question, other), (question, other), strict=True)
    ]


def _files(question: QuestionInFile, other: QuestionInFile) -> list[_Side]:
    numbers = {name: number for number, name in enumerate(sorted({*question.items, *other.items}))}
    return [
        _Side(name, each.ratings, np.array([numbers[item] for item in each.items], dtype=np.int64))
        for name, each in (("this file", question), ("the other file", other))
    ]


def _less(
    question: QuestionInFile, sides: Sequence[_Side], choices: Choices, scale: Scale, options: Options
) -> dict[str, Any]:
    first, second = (Sample(side.ratings) for side in sides)
    found: dict[str, Any] = {
        "first": sides[0].name,
        "second": sides[1].name,
        "differences": sample_differences(
            first, second, scale, options, first_items=sides[0].items, second_items=sides[1].items
        ),
    }
    if Family.CATEGORIES in choices.families:
        items = {
            "first_items": sides[0].items,
            "second_items": sides[1].items,
            "confidence": options.confidence,
        }
        found["categories"] = [
            {"category": name, "differences": category_differences(first, second, place, options, items)}
            for place, name in enumerate(question.categories[:MOST_CATEGORIES])
        ]
    return found


def _pairs_of_files(
    question: QuestionInFile, other: QuestionInFile, scale: Scale, options: Options
) -> dict[str, Any]:
    """Kappa of each pair that both files have, those that differ most first."""
    kappas = _kappas(question, scale), _kappas(other, scale)
    both = kappas[0].keys() & kappas[1].keys()
    pairs = sorted(both, key=lambda pair: (-abs(kappas[0][pair] - kappas[1][pair]), pair))
    # Light's kappa of two raters is Cohen's.
    name = "light_kappa" if scale.weights is Weights.UNWEIGHTED else "light_kappa_weighted"
    sides = _files(question, other)
    dense = to_dense(question.ratings), to_dense(other.ratings)
    return {
        "figure": "cohen_kappa",
        "n_pairs": len(pairs),
        "pairs": [
            {
                "rater_a": a,
                "rater_b": b,
                "difference": sample_differences(
                    _two(question, dense[0], (a, b)),
                    _two(other, dense[1], (a, b)),
                    scale,
                    options,
                    first_items=sides[0].items,
                    second_items=sides[1].items,
                    only={name},
                )[name],
            }
            for a, b in pairs[:MOST_PAIRS]
        ],
    }


def _two(question: QuestionInFile, ratings: DenseRatings, names: tuple[str, str]) -> Sample:
    return Sample(of_raters(ratings, [question.raters.index(name) for name in names]))


def _kappas(question: QuestionInFile, scale: Scale) -> dict[tuple[str, str], float]:
    """By the names of both raters in the order of the file; those that are defined."""
    pairs = all_pairs(question.ratings)
    found = cohen_kappa(pairs.tables, scale.weighting).kappa
    names = question.raters
    return {
        (names[a], names[b]): value
        for a, b, value in zip(pairs.rater_a.tolist(), pairs.rater_b.tolist(), found.tolist(), strict=True)
        if not np.isnan(value)
    }
