"""Agreement by round, by version of the guidelines, and over time, with the differences from one to the next."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from reports.agreement.intervals.holm import holm
from reports.computing.comparable import Comparable, Part, comparable
from reports.computing.compared_sides import MAX_LABELS
from reports.computing.kept import kept
from reports.computing.windows import By, Window, moment_of, windows_of
from reports.labels.columns import NO_VERSION, read_columns
from reports.models import QuestionAgreement
from reports.pages.pair.figures import scope_of

# Of more windows the last ones: a picture of a year by the day would say nothing.
MAX_WINDOWS = 60
MIN_NUMBER, MAX_NUMBER = 2, 30
# With fewer items on either side intervals are too short, and chance is found out too often.
LEAST_ITEMS = 20
BESIDE = "percent_agreement"


class OverTimeRefused(ValueError):
    """Agreement over time that cannot be computed; the message says why."""


@dataclass(frozen=True, slots=True)
class Asked:
    """n_windows: how many, where windows have equal numbers of labels."""

    by: By
    coefficient: str
    n_windows: int = 8

    @property
    def name(self) -> str:
        n = f":{self.n_windows}" if self.by is By.NUMBER else ""
        return f"time:{self.by}{n}:{self.coefficient}:{timezone.get_current_timezone_name()}"


def coefficients_over_time(agreement: QuestionAgreement) -> list[str]:
    return comparable(scope_of(agreement)).names


def over_time(agreement: QuestionAgreement, asked: Asked) -> dict[str, Any]:
    """Windows in their order and the differences between them, later less earlier, as JSON. Raises OverTimeRefused."""
    if agreement.reason:
        raise OverTimeRefused("The report has no figures of this question, so there are none over time.")
    if agreement.n_labels > MAX_LABELS:
        raise OverTimeRefused(
            f"More than {MAX_LABELS:,} labels are too many to go through here. Ask for a report of each round, and "
            "compare those."
        )
    if asked.coefficient not in coefficients_over_time(agreement):
        raise OverTimeRefused(f"{asked.coefficient!r} is not computed over time.")
    found: dict[str, Any] = kept(asked.name, (agreement,), lambda: _computed(agreement, asked))
    return found


def _computed(agreement: QuestionAgreement, asked: Asked) -> dict[str, Any]:
    scope = scope_of(agreement)
    windows = _windows(agreement, asked)
    shown = windows[-MAX_WINDOWS:]
    kind = comparable(scope)
    parts = [kind.part(window.labels) for window in shown]
    return {
        "by": str(asked.by),
        "coefficient": asked.coefficient,
        "windows": [
            _window(kind, window, part, asked.coefficient) for window, part in zip(shown, parts, strict=True)
        ],
        "differences": _differences(kind, parts, asked.coefficient, confidence=scope.options.confidence),
        "n_left_out": len(windows) - len(shown),
    }


def _windows(agreement: QuestionAgreement, asked: Asked) -> list[Window]:
    labels = read_columns(agreement, each_round=asked.by is By.ROUND)
    rounds = list(agreement.report.project.batches.values_list("pk", flat=True))
    zone = timezone.get_current_timezone()
    return windows_of(labels, asked.by, rounds=rounds, zone=zone, n_windows=asked.n_windows)


def _window(kind: Comparable, window: Window, part: Part, coefficient: str) -> dict[str, Any]:
    size = part.size
    versions = sorted({int(version) for version in set(window.labels.versions.tolist())})
    return {
        "key": window.key,
        "start": moment_of(window.start).isoformat(),
        "end": moment_of(window.end).isoformat(),
        "n_items": size.n_items,
        "n_raters": size.n_raters,
        "n_labels": size.n_labels,
        "guidelines": [version for version in versions if version != NO_VERSION],
        "figure": kind.figure(coefficient, part),
        "beside": kind.figure(BESIDE, part) if BESIDE in kind.names else None,
    }


def _differences(
    kind: Comparable, parts: Sequence[Part], coefficient: str, *, confidence: float
) -> list[dict[str, Any]]:
    """From each window to the next, and of three or more from the first to the last.

    Holm's correction is for all of these that have enough items.
    """
    steps = list(itertools.pairwise(range(len(parts))))
    if len(parts) > 2:
        steps.append((0, len(parts) - 1))
    only = frozenset({coefficient})
    found = [kind.differences(parts[b], parts[a], only)[coefficient] for a, b in steps]
    corrected = holm([None if _has_few_items(each) else each["p_value"] for each in found])
    return [
        {
            "earlier": a,
            "later": b,
            **each,
            "p_corrected": p,
            "has_few_items": _has_few_items(each),
            "is_beyond_chance": p is not None and p < 1 - confidence,
        }
        for (a, b), each, p in zip(steps, found, corrected, strict=True)
    ]


def _has_few_items(difference: dict[str, Any]) -> bool:
    return bool(min(difference["n_first"], difference["n_second"]) < LEAST_ITEMS)
