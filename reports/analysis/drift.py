"""One rater over time: agreement with the others' consensus in windows, a test for trend, and the pace."""

from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from reports.agreement.own.windows import LEAST_LABELS, trend, windows_of
from reports.agreement.results import FloatArray, Reason, number
from reports.analysis.label_arrays import AnswerColumns
from reports.analysis.rater_consensus import RaterAndConsensus
from reports.analysis.results import Drift, Pace, RaterWindow, SignificanceTest, figures_of

ONE_MOMENT = "one_moment"
NO_SECONDS = "no_seconds"
# With fewer raters whose times are known, individuals could be identified.
LEAST_OTHERS = 3


def drift_of(compared: RaterAndConsensus) -> Drift:
    known = np.flatnonzero(compared.is_known)
    times, windows = compared.times[known], windows_in(compared)
    if not windows:
        few = str(Reason.TOO_FEW_ITEMS) if len(times) < 2 * LEAST_LABELS else ONE_MOMENT
        return Drift(measure=compared.kind.window_measure, least=LEAST_LABELS, reason=few)
    return Drift(
        measure=compared.kind.window_measure,
        least=LEAST_LABELS,
        windows=_windows(compared, windows),
        trend=SignificanceTest.of(trend(times, compared.scores[known]), 0),
    )


def windows_in(compared: RaterAndConsensus) -> list[NDArray[np.int64]]:
    """Return the positions of the labels of each window."""
    known = np.flatnonzero(compared.is_known)
    return [known[places] for places in windows_of(compared.times[known])]


def _windows(compared: RaterAndConsensus, windows: list[NDArray[np.int64]]) -> tuple[RaterWindow, ...]:
    kind, own, others = compared.kind, compared.own, compared.others
    values = figures_of(kind.window_values(own, others, windows))
    kappas = kind.window_kappas(own, others, windows)
    of_kappa = [None] * len(windows) if kappas is None else figures_of(kappas)
    return tuple(
        RaterWindow(
            start=_moment(compared.times[places].min()),
            end=_moment(compared.times[places].max()),
            value=value,
            n_same=int(compared.is_same[places].sum()),
            kappa=kappa,
            seconds=_median(compared.seconds[places]),
        )
        for places, value, kappa in zip(windows, values, of_kappa, strict=True)
    )


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(float(seconds), tz=UTC)


def _median(seconds: FloatArray) -> float | None:
    known = seconds[~np.isnan(seconds)]
    return float(np.median(known)) if len(known) else None


def pace_of(seconds: FloatArray, others: AnswerColumns, people: list[int]) -> Pace:
    """others: other raters' labels on the same items; people: which of those raters count."""
    timed = ~np.isnan(others.seconds) & np.isin(others.raters, people)
    raters, theirs = others.raters[timed], others.seconds[timed]
    medians = [float(np.median(theirs[raters == rater])) for rater in np.unique(raters)]
    # The median of one or two raters would reveal each one's pace.
    median_of_others = float(np.median(medians)) if len(medians) >= LEAST_OTHERS else None
    known = seconds[~np.isnan(seconds)]
    if not len(known):
        return Pace(n=0, reason=NO_SECONDS, n_others=len(medians), median_of_others=median_of_others)
    low, median, high = np.quantile(known, [0.25, 0.5, 0.75]).tolist()
    total = float(known.sum())
    return Pace(
        n=len(known),
        median=median,
        quartiles=(low, high),
        mean=number(known.mean()),
        per_hour=3600 * len(known) / total if total > 0 else None,
        n_others=len(medians),
        median_of_others=median_of_others,
    )
