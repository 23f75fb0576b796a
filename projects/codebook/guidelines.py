"""Guidelines by version: every published text is kept, with diffs between versions."""

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from core.refusals import Refused
from projects.codebook.versions import store_version
from projects.events import record
from projects.models import Event, GuidelinesVersion, Project
from projects.queries import current_guidelines_version

MAX_LINES = 2000
MAX_LINE = 2000
CONTEXT = 2
_WORDS = re.compile(r"\w+|\s+|.", re.DOTALL)


class GuidelinesChanged(Refused):
    """Someone else changed the guidelines since editing began."""

    code = "guidelines_changed"

    def __init__(self, number: int) -> None:
        super().__init__(f"Someone else changed the guidelines. The current version is now {number}.")
        self.number = number


@transaction.atomic
def write_guidelines(project: Project, text: str, *, by: Any, seen: int | None = None) -> int:
    """Set the guidelines, as a new version if the text changed, and return the current version number.

    seen: the version on which the text is based; raises GuidelinesChanged if it is no longer the latest.
    """
    # Waits for labels that are being saved: they were made under the previous version.
    locked = Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    number = current_guidelines_version(locked)
    if seen is not None and seen != number:
        raise GuidelinesChanged(number)
    if text != locked.guidelines:
        number = add_version(locked, text, number + 1, by=by)
        Project.objects.filter(pk=locked.pk).update(guidelines=text)
        store_version(locked)
    project.guidelines = text
    return number


def add_version(project: Project, text: str, number: int, *, by: Any) -> int:
    GuidelinesVersion.objects.create(project=project, number=number, text=text, made_by=by)
    record(Event.Kind.GUIDELINES_CHANGED, by=by, project=project, about=f"version {number}")
    return number


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of a diff. sign: "+", "-", " ", or "…" for omitted lines. parts: (text, whether it changed)."""

    sign: str
    parts: tuple[tuple[str, bool], ...]

    @property
    def words(self) -> str:
        return {"+": "Added", "-": "Removed", "…": "Omitted"}.get(self.sign, "")


def difference(old: str, new: str) -> list[DiffLine]:
    """Return the diff of two texts by line and, within lines, by word."""
    before, after = old.splitlines(), new.splitlines()
    if max(len(before), len(after)) > MAX_LINES:
        return [*_whole("-", before), *_whole("+", after)]
    return [line for group in _groups(before, after) for line in group]


def _groups(before: Sequence[str], after: Sequence[str]) -> Iterator[list[DiffLine]]:
    steps = difflib.SequenceMatcher(None, before, after).get_opcodes()
    for place, (step, a, b, c, d) in enumerate(steps):
        if step == "equal":
            is_last = place == len(steps) - 1
            yield _same(before[a:b], head=CONTEXT if place else 0, tail=0 if is_last else CONTEXT)
        elif step == "replace":
            yield _replaced(before[a:b], after[c:d])
        else:
            yield _whole("-", before[a:b]) + _whole("+", after[c:d])


def _same(lines: Sequence[str], *, head: int, tail: int) -> list[DiffLine]:
    """Return unchanged lines: those next to a change, and the number of those omitted."""
    n_left_out = len(lines) - head - tail
    if n_left_out <= 1:
        return _whole(" ", lines)
    words = f"{n_left_out:,} unchanged lines"
    end = lines[len(lines) - tail :] if tail else []
    return [*_whole(" ", lines[:head]), DiffLine("…", ((words, False),)), *_whole(" ", end)]


def _replaced(before: Sequence[str], after: Sequence[str]) -> list[DiffLine]:
    pairs = [_by_words(old, new) for old, new in zip(before, after, strict=False)]
    removed = [old for old, _ in pairs] + _whole("-", before[len(pairs) :])
    return removed + [new for _, new in pairs] + _whole("+", after[len(pairs) :])


def _by_words(old: str, new: str) -> tuple[DiffLine, DiffLine]:
    if max(len(old), len(new)) > MAX_LINE:
        return DiffLine("-", ((old, True),)), DiffLine("+", ((new, True),))
    a, b = _WORDS.findall(old), _WORDS.findall(new)
    steps = difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    was = tuple(("".join(a[i:j]), step != "equal") for step, i, j, _, _ in steps if j > i)
    now = tuple(("".join(b[k:m]), step != "equal") for step, _, _, k, m in steps if m > k)
    return DiffLine("-", was), DiffLine("+", now)


def _whole(sign: str, lines: Sequence[str]) -> list[DiffLine]:
    return [DiffLine(sign, ((line, False),)) for line in lines]
