"""Recognize raters whose names say that they are a reference."""

import re
from collections.abc import Collection

from raters.reading.known_keys import folded

# Names of raters that are a reference, folded, with spaces between words.
_REFERENCES = {
    "gold",
    "gold label",
    "gold standard",
    "goldstandard",
    "ground truth",
    "groundtruth",
    "reference",
    "reference standard",
    "true label",
    "truth",
    "y true",
}


def is_reference_name(name: str) -> bool:
    return re.sub(r"[\W_]+", " ", folded(name)) in _REFERENCES


def references_among(raters: Collection[str], known: Collection[str]) -> set[str]:
    """Return the new raters whose names say that they are a reference, unless it is compared with a single other."""
    found = {rater for rater in raters if rater not in known and is_reference_name(rater)}
    return set() if len(raters) - len(found) == 1 else found
