"""Items that are pairs of texts in two columns, such as a premise and a hypothesis: neither text alone is the item."""

import re
from collections.abc import Sequence
from itertools import combinations

from raters.reading.known_keys import folded
from raters.reading.table_sample import TableSample

_NAMES = (
    {"premise", "hypothesis"},
    {"context", "response"},
    {"article", "summary"},
    {"source", "translation"},
)
# text1 and text2, sentence_a and sentence_b.
_NUMBERED = re.compile(
    r"(text|sentence|question|response|passage|summary|output|tweet|comment)[ _-]?([12ab])"
)
# Texts have more words than this on average.
_FEWEST_WORDS = 1.5


def pair_of_texts(sample: TableSample, names: Sequence[str], rater: str | None) -> tuple[str, str] | None:
    """Return two columns that are the item together: by their names, or since each rater has a pair, not a text, once.

    names: columns that could name the item. rater: the column of raters; None if rows are items, each once.
    """
    texts = [name for name in names if _is_of_words(sample, name)]
    for pair in combinations(texts, 2):
        if _are_named_as_pair(*map(folded, pair)) and (rater or sample.are_unique(pair)):
            return pair
    if rater is None or any(sample.is_unique_for_each([name], rater) for name in names):
        return None
    return next((pair for pair in combinations(texts, 2) if sample.is_unique_for_each(pair, rater)), None)


def _is_of_words(sample: TableSample, name: str) -> bool:
    filled = sample.filled(name)
    return sum(len(cell.split()) for cell in filled) > _FEWEST_WORDS * len(filled)


def _are_named_as_pair(one: str, other: str) -> bool:
    first, second = _NUMBERED.fullmatch(one), _NUMBERED.fullmatch(other)
    if first and second:
        return first[1] == second[1] and {first[2], second[2]} in ({"1", "2"}, {"a", "b"})
    return {one, other} in _NAMES
