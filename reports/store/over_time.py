"""Agreement by round, by version of the guidelines, and over time, with the differences between windows."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from core.refusals import Refused
from reports.agreement.few_items import LEAST_ITEMS
from reports.agreement.progress_callbacks import ReportProgress, part_of
from reports.agreement.results import Reason
from reports.analysis.kinds import kind_of
from reports.analysis.kinds.kind import QuestionKind
from reports.analysis.label_arrays import NO_VERSION, LabelSubset, of_raters
from reports.analysis.part_figures import figure_of_part
from reports.analysis.reasons import words_of
from reports.analysis.results import Json, OverTime, WindowChange, WindowFigures
from reports.analysis.significance import tested_changes
from reports.analysis.steps import ReportStep, each_of, phase, silent
from reports.analysis.strata import strata_of
from reports.analysis.windows import Window, WindowGrouping, moment_of, windows_of
from reports.models import QuestionAgreement
from reports.sources.label_columns import read_columns
from reports.store.agreements import scope_of
from reports.store.included_raters import counted_in, counted_in_all_rounds

# Only the last windows are computed if there are more: a chart of a year by day would be unreadable.
MAX_WINDOWS = 60
MIN_NUMBER, MAX_NUMBER = 2, 30
# Limited by a worker's memory: a label takes about 150 bytes, in columns and in windows.
MAX_LABELS = 10_000_000
SECOND_COEFFICIENT = "percent_agreement"


class OverTimeRefused(Refused):
    """Agreement over time that cannot be computed."""

    status_code = 400


@dataclass(frozen=True, slots=True)
class OverTimeOptions:
    """n_windows: the number of windows with equal numbers of labels. zone: the time zone of days and weeks."""

    by: WindowGrouping
    coefficient: str
    n_windows: int = 8

    zone: str = "UTC"

    @property
    def as_json(self) -> Json:
        """Return only the options that affect the result, so that equal requests are computed once."""
        found: Json = {"by": str(self.by), "coefficient": self.coefficient}
        if self.by is WindowGrouping.NUMBER:
            found["n_windows"] = self.n_windows
        if self.by in {WindowGrouping.DAY, WindowGrouping.WEEK}:
            found["zone"] = self.zone
        return found

    @classmethod
    def of_json(cls, found: Json) -> "OverTimeOptions":
        return cls(**{**found, "by": WindowGrouping(found["by"])})


def coefficients_over_time(agreement: QuestionAgreement) -> list[str]:
    return kind_of(scope_of(agreement)).part_names


def refuse_over_time(agreement: QuestionAgreement, options: OverTimeOptions) -> None:
    """Raise OverTimeRefused if agreement over time cannot be computed."""
    if agreement.reason:
        raise OverTimeRefused("The report has no results for this question, so there are none over time.")
    if counted_in(agreement).are_too_few:
        raise OverTimeRefused(words_of(Reason.TOO_FEW_COUNTED).long)
    if agreement.n_labels > MAX_LABELS:
        raise OverTimeRefused(
            f"More than {MAX_LABELS:,} labels are too many to analyze over time. Compute a report for each round and "
            "compare those."
        )
    if options.coefficient not in coefficients_over_time(agreement):
        raise OverTimeRefused(f"{options.coefficient!r} is not available over time.")


def over_time(
    agreement: QuestionAgreement, options: OverTimeOptions, report_step: ReportStep = silent
) -> OverTime:
    """Return the windows in order and the differences between them, later minus earlier. Raises OverTimeRefused."""
    refuse_over_time(agreement, options)
    scope = scope_of(agreement)
    report_step("Reading labels", 0)
    windows = _windows(agreement, options)
    shown = windows[-MAX_WINDOWS:]
    kind = kind_of(scope)
    parts = [
        kind.part(each.labels)
        for each, _ in each_of(shown, phase(report_step, "Splitting into windows", 0.1, 0.2))
    ]
    of_each = each_of(
        list(zip(shown, parts, strict=True)), phase(report_step, "Computing each window", 0.2, 0.6)
    )
    report_progress = phase(report_step, "Comparing windows", 0.6, 1)
    figures = tuple(_window(kind, window, part, options.coefficient, own) for (window, part), own in of_each)
    same = strata_of(kind, parts, [each.figure for each in figures], options.coefficient, least=LEAST_ITEMS)
    return OverTime(
        by=str(options.by),
        coefficient=options.coefficient,
        windows=figures,
        homogeneity=same.by_precision,
        fitted_homogeneity=same.by_fit,
        differences=_changes(
            kind,
            parts,
            options.coefficient,
            confidence=scope.options.confidence,
            report_progress=report_progress,
        ),
        n_left_out=len(windows) - len(shown),
    )


def _windows(agreement: QuestionAgreement, options: OverTimeOptions) -> list[Window]:
    labels = read_columns(agreement, all_rounds=True, each_round=options.by is WindowGrouping.ROUND)
    labels = of_raters(labels, counted_in_all_rounds(agreement))
    rounds = list(agreement.report.round_keys)
    return windows_of(
        labels, options.by, rounds=rounds, zone=ZoneInfo(options.zone), n_windows=options.n_windows
    )


def _window(
    kind: QuestionKind, window: Window, part: LabelSubset, coefficient: str, report_progress: ReportProgress
) -> WindowFigures:
    size = part.size
    versions = sorted({int(version) for version in set(window.labels.versions.tolist())})
    return WindowFigures(
        key=window.key,
        start=moment_of(window.start),
        end=moment_of(window.end),
        n_items=size.n_items,
        n_raters=size.n_raters,
        n_labels=size.n_labels,
        guidelines=tuple(version for version in versions if version != NO_VERSION),
        figure=figure_of_part(kind, coefficient, part, part_of(report_progress, 0, 0.5)),
        percent_agreement=kind.figure(SECOND_COEFFICIENT, part, part_of(report_progress, 0.5, 1))
        if SECOND_COEFFICIENT in kind.names
        else None,
    )


def _changes(
    kind: QuestionKind,
    parts: Sequence[LabelSubset],
    coefficient: str,
    *,
    confidence: float,
    report_progress: ReportProgress,
) -> tuple[WindowChange, ...]:
    """Return the change from each window to the next and, for three or more, from the first to the last."""
    steps = list(itertools.pairwise(range(len(parts))))
    if len(parts) > 2:
        steps.append((0, len(parts) - 1))
    only = frozenset({coefficient})
    found = [
        kind.differences(parts[b], parts[a], only, own)[coefficient]
        for (a, b), own in each_of(steps, report_progress)
    ]
    return tested_changes(found, steps, confidence=confidence)
