"""One rater over the own time: agreement with the others' consensus in windows, with a test, and the pace."""

from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from reports.agreement.own.windows import LEAST_LABELS, trend, windows_of
from reports.agreement.results import FloatArray, Reason, number
from reports.analysis.labels import Answers
from reports.analysis.rater_consensus import Beside
from reports.analysis.results import Json, SignificanceTest, figures_of

ONE_MOMENT = "one_moment"
NO_SECONDS = "no_seconds"
# Fewer raters with a known time could be identified.
LEAST_OTHERS = 3


def drift_of(beside: Beside) -> Json:
    """measure: what a window's value is: percent_agreement with the consensus, or the mean difference of numbers."""
    known = np.flatnonzero(beside.is_known)
    times, windows = beside.times[known], windows_in(beside)
    found: Json = {
        "measure": beside.kind.window_measure,
        "least": LEAST_LABELS,
        "windows": [],
        "trend": None,
        "reason": "",
    }
    if not windows:
        return found | {"reason": _why_none(times)}
    return found | {
        "windows": _windows(beside, windows),
        "trend": SignificanceTest.of(trend(times, beside.scores[known]), 0).to_json(),
    }


def windows_in(beside: Beside) -> list[NDArray[np.int64]]:
    """The places of the labels of each window."""
    known = np.flatnonzero(beside.is_known)
    return [known[places] for places in windows_of(beside.times[known])]


def _why_none(times: FloatArray) -> str:
    if len(times) < 2 * LEAST_LABELS:
        return str(Reason.TOO_FEW_ITEMS)
    return ONE_MOMENT


def _windows(beside: Beside, windows: list[NDArray[np.int64]]) -> list[Json]:
    kind, own, others = beside.kind, beside.own, beside.others
    values = figures_of(kind.window_values(own, others, windows))
    kappas = kind.window_kappas(own, others, windows)
    of_kappa = [None] * len(windows) if kappas is None else [each.to_json() for each in figures_of(kappas)]
    return [
        {
            "from": _moment(beside.times[places].min()),
            "to": _moment(beside.times[places].max()),
            **value.to_json(),
            "n_same": int(beside.is_same[places].sum()),
            "kappa": kappa,
            "seconds": _median(beside.seconds[places]),
        }
        for places, value, kappa in zip(windows, values, of_kappa, strict=True)
    ]


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(float(seconds), tz=UTC)


def _median(seconds: FloatArray) -> float | None:
    known = seconds[~np.isnan(seconds)]
    return float(np.median(known)) if len(known) else None


def pace_of(seconds: FloatArray, others: Answers, people: list[int]) -> Json:
    """How long the rater's labels took, of those whose time is known; per_hour: by all the time that was spent.

    others: the labels of others on the same items; people: who of them counts. n_others: those with a time.
    """
    return _pace(seconds) | _pace_of_others(others, people)


def _pace_of_others(others: Answers, people: list[int]) -> Json:
    timed = ~np.isnan(others.seconds) & np.isin(others.raters, people)
    raters, seconds = others.raters[timed], others.seconds[timed]
    medians = [float(np.median(seconds[raters == rater])) for rater in np.unique(raters)]
    # The median of one or two would tell the pace of each.
    median = float(np.median(medians)) if len(medians) >= LEAST_OTHERS else None
    return {"n_others": len(medians), "median_of_others": median}


def _pace(seconds: FloatArray) -> Json:
    known = seconds[~np.isnan(seconds)]
    if not len(known):
        return {
            "n": 0,
            "median": None,
            "quartiles": None,
            "mean": None,
            "per_hour": None,
            "reason": NO_SECONDS,
        }
    low, median, high = np.quantile(known, [0.25, 0.5, 0.75]).tolist()
    total = float(known.sum())
    return {
        "n": len(known),
        "median": median,
        "quartiles": [low, high],
        "mean": number(known.mean()),
        "per_hour": 3600 * len(known) / total if total > 0 else None,
        "reason": "",
    }
