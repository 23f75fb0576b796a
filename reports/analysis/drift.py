"""One rater over the own time: agreement with the others' consensus in windows, with a test, and the pace."""

from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reports.agreement.numbers.bland_altman import limits_of_agreement
from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.numbers.pairs import all_number_pairs
from reports.agreement.own.windows import LEAST_LABELS, trend, windows_of
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.pairs.estimates import reasons, wilson_estimates
from reports.agreement.results import Estimates, FloatArray, Reason, number
from reports.analysis.kinds.figures import listed, shown_test
from reports.analysis.labels import Answers
from reports.analysis.pairs import of_kappa
from reports.analysis.question import Kind, Scope
from reports.analysis.rater_consensus import Beside, tables_of

# With more categories the tables of all windows are too large.
MOST_CATEGORIES = 200
ONE_MOMENT = "one_moment"
NO_SECONDS = "no_seconds"
# With a time, so that none of them can be told apart.
LEAST_OTHERS = 3


def drift_of(scope: Scope, beside: Beside) -> dict[str, Any]:
    """measure: what a window's value is: percent_agreement with the consensus, or the mean difference of numbers."""
    known = np.flatnonzero(beside.is_known)
    times = beside.times[known]
    windows = [known[places] for places in windows_of(times)]
    is_number = scope.kind == Kind.NUMBER
    found: dict[str, Any] = {
        "measure": "bland_altman_bias" if is_number else "percent_agreement",
        "least": LEAST_LABELS,
        "windows": [],
        "trend": None,
        "reason": "",
    }
    if not windows:
        return found | {"reason": _why_none(times)}
    return found | {
        "windows": _windows(scope, beside, windows),
        "trend": shown_test(trend(times, beside.scores[known])),
    }


def windows_in(beside: Beside) -> list[NDArray[np.int64]]:
    """The places of the labels of each window."""
    known = np.flatnonzero(beside.is_known)
    return [known[places] for places in windows_of(beside.times[known])]


def _why_none(times: FloatArray) -> str:
    if len(times) < 2 * LEAST_LABELS:
        return str(Reason.TOO_FEW_ITEMS)
    return ONE_MOMENT


def _windows(scope: Scope, beside: Beside, windows: list[NDArray[np.int64]]) -> list[dict[str, Any]]:
    values = listed(_values(scope, beside, windows))
    has_kappas = scope.kind == Kind.SINGLE and len(scope.category_ids) <= MOST_CATEGORIES
    kappas = listed(_kappas(scope, beside, windows)) if has_kappas else None
    return [
        {
            "from": _moment(beside.times[places].min()),
            "to": _moment(beside.times[places].max()),
            **values[number_],
            "n_same": int(beside.is_same[places].sum()),
            "kappa": None if kappas is None else kappas[number_],
            "seconds": _median(beside.seconds[places]),
        }
        for number_, places in enumerate(windows)
    ]


def _values(scope: Scope, beside: Beside, windows: list[NDArray[np.int64]]) -> Estimates:
    confidence = scope.options.confidence
    n = np.array([len(places) for places in windows], dtype=np.float64)
    if scope.kind == Kind.NUMBER:
        return _biases(beside, windows, confidence)
    same = np.array([beside.is_same[places].sum() for places in windows], dtype=np.float64)
    undefined = reasons(n.shape, (n == 0, Reason.NO_OVERLAP))
    return wilson_estimates(same, n, undefined=undefined, confidence=confidence)


def _biases(beside: Beside, windows: list[NDArray[np.int64]], confidence: float) -> Estimates:
    """As if two raters of their own labelled each window, who share no item with those of another."""
    items = np.concatenate(windows)
    groups = _groups(windows)
    sample = NumberSample.from_labels(
        np.concatenate((items, items)),
        np.concatenate((2 * groups, 2 * groups + 1)),
        np.concatenate((beside.own.values[items], beside.others.values[items])),
        n_items=len(beside.items),
        n_raters=2 * len(windows),
    )
    return limits_of_agreement(all_number_pairs(sample), confidence=confidence).bias


def _kappas(scope: Scope, beside: Beside, windows: list[NDArray[np.int64]]) -> Estimates:
    items = np.concatenate(windows)
    tables = tables_of(
        beside.own.values[items],
        beside.others.values[items],
        _groups(windows),
        len(windows),
        len(scope.category_ids),
    )
    return of_kappa(cohen_kappa(tables, scope.scale.weighting, confidence=scope.options.confidence))


def _groups(windows: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.repeat(np.arange(len(windows)), [len(places) for places in windows])


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(float(seconds), tz=UTC)


def _median(seconds: FloatArray) -> float | None:
    known = seconds[~np.isnan(seconds)]
    return float(np.median(known)) if len(known) else None


def pace_of(seconds: FloatArray, others: Answers, people: list[int]) -> dict[str, Any]:
    """How long the rater's labels took, of those whose time is known; per_hour: by all the time that was spent.

    others: the labels of others on the same items; people: who of them counts. n_others: those with a time.
    """
    return _pace(seconds) | _pace_of_others(others, people)


def _pace_of_others(others: Answers, people: list[int]) -> dict[str, Any]:
    timed = ~np.isnan(others.seconds) & np.isin(others.raters, people)
    raters, seconds = others.raters[timed], others.seconds[timed]
    medians = [float(np.median(seconds[raters == rater])) for rater in np.unique(raters)]
    # The median of one or two would tell the pace of each.
    median = float(np.median(medians)) if len(medians) >= LEAST_OTHERS else None
    return {"n_others": len(medians), "median_of_others": median}


def _pace(seconds: FloatArray) -> dict[str, Any]:
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
