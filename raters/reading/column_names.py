"""Split names of columns such as anna_tone into rater and question."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from core.tables.safe_cells import original_cell

# Between question and rater in the columns of our own exports.
OURS = ": "
PASS = re.compile(r"^(.+) \(pass (\d{1,3})\)$")
_PART = re.compile(r"\s*(?::|__|[_./|\-]|\s)\s*")
# Words in names of files and sheets that name nobody.
_GENERIC = {
    "all", "annotation", "annotations", "batch", "codes", "coding", "copy", "data", "dataset", "export", "feuil",
    "file", "final", "hoja", "label", "labels", "long", "new", "rating", "ratings", "result", "results", "round",
    "sample", "sheet", "study", "table", "tabelle", "test", "v", "wide",
}  # fmt: skip
_NUMBERED_RATER = re.compile(r"(?:r|rater|coder|annotator|judge)[\s_.\-]*\d+", re.IGNORECASE)

# Both parts of each name.
_Split = Mapping[str, tuple[str, str]]


class NameParts(NamedTuple):
    """question, pass_number: "" if the name does not have them."""

    rater: str
    question: str = ""
    pass_number: str = ""


def parts_of_names(
    names: Sequence[str], raters: Collection[str], questions: Collection[str]
) -> dict[str, NameParts]:
    """Return the rater and question of each name, split if the parts of all names form a full grid.

    raters, questions: those of the project.
    """
    whole = {name: _with_pass(name) for name in names}
    plains = [parts.rater for parts in whole.values()]
    splits = [] if any(plain in raters for plain in plains) else [*_splits(plains)]
    if not splits:
        return whole
    # The first one whose raters are recognized, or else the one at the first separator.
    orders = [_are_raters_first(split, raters, questions) for split in splits]
    at = next((at for at, order in enumerate(orders) if order is not None), 0)
    split, is_first = splits[at], orders[at]
    if is_first is None:
        is_first = not all(second.isdecimal() for _, second in split.values())
    found = {}
    for name, parts in whole.items():
        first, second = split[parts.rater]
        found[name] = NameParts(*((first, second) if is_first else (second, first)), parts.pass_number)
    return found


def are_names_of_raters(names: Collection[str], raters: Collection[str]) -> bool:
    """Return whether each is one of these raters, or like rater-2 or Coder 3."""
    return all(name in raters or _NUMBERED_RATER.fullmatch(name) for name in names)


def is_generic(name: str) -> bool:
    """Return whether the name of a file or sheet names nobody, such as labels, Sheet1, or Results 2024-05-03."""
    return set(re.findall(r"[^\W\d_]+", name.casefold())) <= _GENERIC


def _with_pass(name: str) -> NameParts:
    plain = original_cell(name.strip())
    match = PASS.match(plain)
    return NameParts(match[1], pass_number=match[2]) if match else NameParts(plain)


def _splits(names: Sequence[str]) -> Iterator[_Split]:
    """Yield the ways to split these names that form a grid; first, each at its first separator."""
    if not names:
        return
    if all(OURS in name for name in names):
        yield {name: (name.partition(OURS)[0], name.partition(OURS)[2]) for name in names}
        return
    pieces = {name: name.split(OURS, 1) if OURS in name else _PART.split(name, maxsplit=1) for name in names}
    if all(len(parts) == 2 and all(parts) for parts in pieces.values()):
        split = {name: (parts[0], parts[1]) for name, parts in pieces.items()}
        if _is_grid(split):
            yield split
    one = names[0]
    for match in _PART.finditer(one):
        before, after = one[: match.end()], one[match.start() :]
        firsts = {name.removesuffix(after) for name in names if name.endswith(after)}
        seconds = {name.removeprefix(before) for name in names if name.startswith(before)}
        if len(firsts) * len(seconds) == len(set(names)):
            split = {f"{first}{match[0]}{second}": (first, second) for first in firsts for second in seconds}
            if split.keys() == set(names) and _is_grid(split):
                yield split


def _is_grid(split: _Split) -> bool:
    """Return whether each first part occurs with each second part, and there are several of both."""
    firsts, seconds = _parts(split)
    n_cells = len(firsts) * len(seconds)
    return (
        all(firsts | seconds) and len(firsts) > 1 and len(seconds) > 1 and len({*split.values()}) == n_cells
    )


def _parts(split: _Split) -> tuple[set[str], set[str]]:
    return {first for first, _ in split.values()}, {second for _, second in split.values()}


def _are_raters_first(split: _Split, raters: Collection[str], questions: Collection[str]) -> bool | None:
    """Return whether the first parts are raters and the second ones questions; None if nothing says so."""
    firsts, seconds = _parts(split)
    if firsts & set(raters) or seconds & set(questions):
        return True
    if seconds & set(raters) or firsts & set(questions) or all(OURS in name for name in split):
        return False
    if are_names_of_raters(firsts, ()):
        return True
    return False if are_names_of_raters(seconds, ()) else None
