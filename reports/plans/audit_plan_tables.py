"""The answer to an audit plan as sentences and tables for page and command, and as JSON for the API."""

from dataclasses import asdict, dataclass

import numpy as np

from core.templatetags.shown import count, in_percent
from reports.agreement.audits.estimates import Share
from reports.agreement.audits.sampling_plans import NEVER, Performance, SamplingPlan
from reports.analysis.results import Json
from reports.plans.audit import AuditAnswer

# The rows of the table of a curve.
N_ROWS = 13
# An exact interval that is wider than the planned one by more than this has to be pointed out.
MUCH_WIDER = 1.1


@dataclass(frozen=True, slots=True)
class InspectionRow:
    n: int
    accept: str
    reject: str


@dataclass(frozen=True, slots=True)
class RateRow:
    rate: str
    acceptance: str
    sample_number: str


def sentences(found: AuditAnswer) -> list[str]:
    """Return what to do, and what to expect from it."""
    asked = found.asked
    of = f" of {count(asked.size)}" if asked.size else ""
    if found.plan is None or found.risks is None:
        sentences = [f"Audit {count(found.n_labels)}{of} labels, drawn at random."]
        if found.expected:
            low, high = percent(found.expected.low), percent(found.expected.high)
            level = in_percent(f"{100 * asked.confidence:.0f}")
            sentences.append(
                f"If the error rate is {percent(asked.share)}, the exact {level} CI will be about [{low}, {high}]."
            )
            if _is_much_wider(found.expected, asked.margin):
                sentences.append(
                    "So few wrong labels are expected that this CI is wider than ± the margin. Enter a higher "
                    "expected error rate, or a smaller margin."
                )
        return sentences
    good, bad = found.risks.acceptance
    sentences = [_what_to_do(found.plan, of)]
    sentences.append(
        f"At an error rate of {percent(asked.acceptable)}, {percent(good)} of such audits accept; at "
        f"{percent(asked.rejectable)}, {percent(bad)} do."
    )
    if len(found.plan.looks) > 1:
        mean_good, mean_bad = found.risks.sample_number
        sentences.append(
            f"The average number of labels audited is {mean_good:.0f} at {percent(asked.acceptable)} and "
            f"{mean_bad:.0f} at {percent(asked.rejectable)}."
        )
    return sentences


def _is_much_wider(expected: Share, margin: float) -> bool:
    """Whether half of the exact interval is more than the margin, as where few wrong labels are expected."""
    if expected.low is None or expected.high is None:
        return False
    return expected.high - expected.low > 2 * MUCH_WIDER * margin


def _what_to_do(plan: SamplingPlan, of: str) -> str:
    first, *more = plan.looks
    if not more:
        are = "is" if first.accept == 1 else "are"
        wrong = "none is" if first.accept == 0 else f"at most {count(first.accept)} {are}"
        return (
            f"Audit {count(first.n)}{of} labels, drawn at random. Accept if {wrong} wrong; otherwise reject."
        )
    if len(more) == 1:
        last = more[0]
        return (
            f"Audit {count(first.n)}{of} labels, drawn at random. Accept with at most {count(first.accept)} wrong, "
            f"reject with {count(first.reject)} or more. Otherwise audit {count(last.n - first.n)} more, and accept if "
            f"at most {count(last.accept)} of all {count(last.n)} are wrong."
        )
    return (
        f"Audit labels one by one, in random order, at most {count(plan.n_most)}{of}. Stop as soon as a limit in the "
        "table is reached; each row applies until the next one."
    )


def look_rows(found: AuditAnswer) -> list[InspectionRow]:
    """Return all looks at which the acceptance or rejection number changes; a shorter list would be another plan."""
    if found.plan is None:
        return []
    looks, rows = found.plan.looks, []
    for before, look in zip((None, *looks), looks, strict=False):
        if before is None or (look.accept, look.reject) != (before.accept, before.reject):
            rows.append(
                InspectionRow(look.n, "–" if look.accept == NEVER else count(look.accept), count(look.reject))
            )
    return rows


def rate_rows(curve: Performance | None) -> list[RateRow]:
    if curve is None:
        return []
    places = np.unique(np.linspace(0, len(curve.rates) - 1, N_ROWS).round().astype(int))
    return [
        RateRow(percent(curve.rates[k]), percent(curve.acceptance[k]), f"{curve.sample_number[k]:.0f}")
        for k in places.tolist()
    ]


def percent(share: float | None) -> str:
    """Format a given rate in percent, as `estimated_percent` does, but without trailing zeros."""
    return "–" if share is None else in_percent(_percent_digits(share).rstrip("0").rstrip("."))


def estimated_percent(share: float) -> str:
    """Format an estimated rate in percent: one decimal, or two if small, so that 0.25% is not 0.3%."""
    return in_percent(_percent_digits(share))


def _percent_digits(share: float) -> str:
    value = 100 * float(share)
    return f"{value:.{2 if value < 1 else 1}f}"


def as_json(found: AuditAnswer) -> Json:
    curve = found.curve
    columns = ("rates", "acceptance", "sample_number")
    return {
        "plan": asdict(found.asked),
        "n_labels": found.n_labels,
        "expected": None
        if found.expected is None
        else {"value": found.expected.value, "low": found.expected.low, "high": found.expected.high},
        "looks": [
            {"n": look.n, "accept": None if look.accept == NEVER else look.accept, "reject": look.reject}
            for look in (found.plan.looks if found.plan else ())
        ],
        "curve": []
        if curve is None
        else [
            dict(zip(("rate", "acceptance", "sample_number"), point, strict=True))
            for point in zip(*(getattr(curve, name).tolist() for name in columns), strict=True)
        ],
    }
