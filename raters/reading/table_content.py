"""Detect what a table holds: labels, items without labels, or the questions of a codebook."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations

from raters.reading.column_names import are_names_of_raters
from raters.reading.columns import (
    CONTENT,
    DESCRIPTIONS,
    IGNORE,
    ITEM,
    ITEM_TEXT,
    LABEL,
    QUESTION,
    RATER,
    WIDE,
    Column,
    role_by_name,
)
from raters.reading.known_keys import KnownKeys, folded
from raters.reading.number_notation import COMMA, POINT, decimal_mark, local_number
from raters.reading.table_sample import TableSample
from raters.reading.values import folded as folded_value
from raters.reading.values import is_missing_word, separator_in

LABELS, ITEMS, QUESTIONS = "labels", "items", "questions"
# The columns of a file of questions.
_OF_QUESTIONS = frozenset({"question", "prompt", "kind", "scale", "labels", "label meanings"})

# Fewer columns are not taken for items.
_FEWEST_ITEMS = 3
_FEWEST_ANSWERS = 5
# Columns with more different values are not suggested as questions.
_MOST_ANSWERS = 30
_NUMBER_AT_END = re.compile(r" ?\d+$")
_FIELDS = frozenset({"text", "markdown", "image", "audio", "video", "link", "alt", "attribute"})


def kind_of_table(sample: TableSample, layout: str, columns: Mapping[str, Column], known: KnownKeys) -> str:
    """Return what the table holds: LABELS, unless nothing looks like one.

    layout, columns: as detected if it held labels. A list of items has texts and nothing like a label, or a field with
    its type, as in image:photo; or a column `item` (or several columns that could be raters, next to another item key)
    and, if it has other columns, something that raters see, while no two of them can be answers to the same question.
    """
    if {"question", "labels"} <= {folded(name) for name in sample.columns} <= _OF_QUESTIONS:
        return QUESTIONS
    if layout != WIDE:
        return LABELS
    rated = {name: column for name, column in columns.items() if column.role == LABEL}
    has_content = any(columns[name].role == CONTENT or sample.is_text(name) for name in sample.columns)
    if not rated and (has_content or len(sample.columns) == 1):
        return ITEMS
    if len(rated) < 2 and any(":" in name and name.partition(":")[0] in _FIELDS for name in sample.columns):
        return ITEMS
    has_key = any(column.role in (ITEM, ITEM_TEXT) for column in columns.values())
    if ITEM not in sample.columns and not (has_key and len(rated) > 1):
        return LABELS
    # Sentences that are all different were taken for keys.
    has_text = any(_is_content(name, columns[name]) or sample.is_text(name) for name in sample.columns)
    if set(sample.columns) != {ITEM} and not has_text:
        return LABELS
    if any(_is_of_labels(name, column, known) for name, column in rated.items()):
        return LABELS
    return LABELS if any(_have_similar_answers(sample, *pair) for pair in combinations(rated, 2)) else ITEMS


def are_questions(sample: TableSample, names: Sequence[str], known: KnownKeys) -> bool:
    """Return whether several columns of labels are questions, rather than raters: known ones, or of unlike answers."""
    if len(names) < 2 or any(known.rater(name) or are_names_of_raters([name], ()) for name in names):
        return False
    if any(known.question(name) for name in names):
        return True
    # Two raters can differ on each of a few items.
    if min(len(sample.values(name)) for name in names) < _FEWEST_ANSWERS:
        return False
    return not any(_have_similar_answers(sample, *pair) for pair in combinations(names, 2))


def ignored_labels(sample: TableSample, columns: Mapping[str, Column]) -> list[str]:
    """Return ignored columns with few, repeated values, which could be labels of raters or for questions."""
    return [
        name
        for name, column in columns.items()
        if column.role == IGNORE
        and not role_by_name(name)
        and sample.is_few(name)
        and not sample.is_unique(name)
        and len(set(sample.values(name))) > 1
    ]


def further_questions(sample: TableSample, columns: Mapping[str, Column]) -> list[str]:
    """Return ignored columns of a table with a row for each label that could answer further questions.

    Not those that say the same in all rows of an item or a rater, which describe it.
    """
    of_role = {column.role: name for name, column in columns.items()}
    if RATER not in of_role or QUESTION in of_role:
        return []
    described = [of_role[role] for role in (ITEM, ITEM_TEXT, RATER) if role in of_role]
    return [
        name
        for name in ignored_labels(sample, columns)
        if folded(name) not in DESCRIPTIONS
        and len(set(sample.values(name))) <= _MOST_ANSWERS
        and not any(_describes(sample, name, each) for each in described)
    ]


def _describes(sample: TableSample, name: str, other: str) -> bool:
    """Return whether the column has one value for each value of another one, which repeats."""
    cells, others = sample.cells[name], sample.cells[other]
    return len(set(zip(others, cells, strict=True))) == len(set(others)) < len(others)


def columns_unlike_raters(sample: TableSample, columns: Mapping[str, Column]) -> list[str]:
    """Return columns of labels that share no value with any other for the question, although the others do.

    Such a column may hold something else than labels, such as the weight of a patient.
    """
    values: dict[str, dict[str, set[str]]] = defaultdict(dict)
    for name in sample.columns:
        if columns[name].role == LABEL:
            written = {folded_value(cell) for cell in sample.filled(name) if not is_missing_word(cell)}
            if written:
                values[columns[name].question][name] = written
    found: list[str] = []
    for of_one in values.values():
        counts = Counter(value for written in of_one.values() for value in written)
        shared = {name for name, written in of_one.items() if any(counts[value] > 1 for value in written)}
        found += [name for name in of_one if shared and name not in shared]
    return found


def looks_transposed(sample: TableSample, known: KnownKeys) -> bool:
    """Return whether the table seems to have a row for each rater and a column for each item.

    The first column names a rater in each row and nothing else is named; or there are many columns such as doc1, doc2.
    known: names of raters of the project are recognized.
    """
    if len(sample.columns) <= _FEWEST_ITEMS:
        return False
    first, *others = sample.columns
    n_rows = len(sample.cells[first])
    if n_rows < 2 or not sample.is_unique(first):
        return False
    if role_by_name(first) == RATER:
        return not any(role_by_name(name) in (ITEM, CONTENT, LABEL) for name in others)
    if are_names_of_raters(sample.filled(first), known.raters):
        return not are_names_of_raters(others, known.raters)
    stems = {_NUMBER_AT_END.sub("", folded(name)) for name in others}
    numbered = all(_NUMBER_AT_END.search(folded(name)) for name in others) and len(stems) == 1
    looks_like_items = numbered and role_by_name(stems.pop() or ITEM) in (ITEM, CONTENT)
    return looks_like_items and role_by_name(first) != ITEM and len(others) >= 2 * n_rows


def _is_content(name: str, column: Column) -> bool:
    """Return whether the column is shown to raters. Its kind may be a prefix of the name, as in image:photo."""
    return column.role == CONTENT or name.partition(":")[0] in _FIELDS


def _is_of_labels(name: str, column: Column, known: KnownKeys) -> bool:
    """Return whether the column's name alone indicates labels."""
    is_known = column.rater in known.raters or bool(known.question(name))
    return is_known or bool(column.question or column.pass_number) or role_by_name(name) == LABEL


def _have_similar_answers(sample: TableSample, one: str, other: str) -> bool:
    """Return whether both columns have similar sets of values, or overlapping ranges of numbers."""
    first, second = ({folded_value(cell) for cell in sample.values(name)} for name in (one, other))
    if separator := separator_in([*first, *second]):
        first, second = (
            {part.strip() for cell in cells for part in cell.split(separator)} for cells in (first, second)
        )
    decimal = COMMA if decimal_mark(first | second) == COMMA else POINT
    numbers = [[local_number(value, decimal=decimal) for value in values] for values in (first, second)]
    ranges = [[number for number in of_one if number is not None] for of_one in numbers]
    if all(of_one and len(of_one) == len(values) for of_one, values in zip(ranges, numbers, strict=True)):
        return max(map(min, ranges)) <= min(map(max, ranges))
    return len(first & second) * 2 >= min(len(first), len(second)) > 0
