"""What a model may decide alone, in words, and the choices of a query string, for pages, API, and exports."""

import math
from collections.abc import Iterator, Mapping

from core.templatetags.shown import count, figure, percent
from raters.confidence_scale import percent as exact
from reports.analysis.results import DecisionStep, ModelDecisions
from reports.analysis.results.decisions import NONE_PASSES, NOT_RANDOM, PEOPLE, TOO_FEW
from reports.results.model_wording import people
from reports.store.model_decisions import (
    ALPHA,
    DELTA,
    MOST,
    STATED,
    DecisionsRequest,
    DecisionsResult,
)

# The numbers of a query string, each with its name on the page and its default.
NUMBERS = {"alpha": ("The accepted error rate α", ALPHA), "delta": ("The risk δ of exceeding α", DELTA)}
# The parameters of a query string.
PARAMETERS = ("model", "alpha", "delta", "against", "drawn")
NOT_KNOWN_RANDOM = (
    "The calibration items are not known to be a random sample of the items that the model labeled"
)
# Why an item is left to people, as in files and over the API; "" if the model may decide it.
NO_THRESHOLD, BELOW, WITHOUT, OUTSIDE = (
    "no_threshold",
    "below_threshold",
    "no_confidence",
    "not_in_population",
)


def requested_decisions(address: Mapping[str, str]) -> DecisionsRequest:
    """Return the choices of a query string, with the faults of α and δ; what is missing takes its default."""
    numbers: dict[str, float] = {}
    faults: dict[str, str] = {}
    for name, (title, default) in NUMBERS.items():
        text = address.get(name, "").strip()[:20]
        number = _number(text) if text else default
        # NaN is not above 0.
        if 0 < number <= MOST:
            numbers[name] = number
        elif 0 < _number(text.replace(",", ".")) <= MOST:
            faults[name] = f"{title} needs a decimal point: {text.replace(',', '.')}, not {text}."
        else:
            faults[name] = f"{title} must be a number above 0 and at most {MOST:g}, such as {default:g}."
    return DecisionsRequest(
        model=address.get("model", ""),
        alpha=numbers.get("alpha", ALPHA),
        delta=numbers.get("delta", DELTA),
        against=address.get("against") or PEOPLE,
        drawn=STATED if address.get("drawn") == STATED else "",
        faults=faults,
    )


def _number(text: str) -> float:
    """Return what the text says; NaN if it is not a number."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def address_of(request: DecisionsRequest) -> dict[str, str]:
    """Return the parameters of the choices."""
    written = {
        "model": request.model,
        "alpha": f"{request.alpha:g}",
        "delta": f"{request.delta:g}",
        "against": "" if request.against == PEOPLE else request.against,
        "drawn": request.drawn,
    }
    return {name: value for name, value in written.items() if value}


def sure(step: DecisionStep) -> str:
    """Return the confidence with no more digits than needed."""
    return f"{step.confidence:.6g}"


def against_words(found: ModelDecisions) -> str:
    return "the majority of people" if found.against == PEOPLE else f"the reference “{found.against}”"


def verdict_of(found: ModelDecisions) -> str:
    """Return which items the model may decide, or why none."""
    if found.threshold is None:
        return f"Threshold: none. {why_none(found)}"
    return (
        f"With confidence {sure(found.threshold)} or more, {found.model} may decide: with probability "
        f"{exact(1 - found.delta)}, its label differs from {against_words(found)} on at most "
        f"{exact(found.alpha)} of such items."
    )


def why_none(found: ModelDecisions) -> str:
    if found.reason == TOO_FEW:
        return (
            f"Only {count(found.n_calibration)} items have both a label of the model with a confidence and one to "
            f"compare it with. At least {found.least} are needed."
        )
    if found.reason != NONE_PASSES:
        return f"{NOT_KNOWN_RANDOM}, so no error rate can be guaranteed."
    first = next((step for step in found.steps if step.n_items >= found.least), found.steps[-1])
    return (
        f"Even at the highest confidence that {found.least} items reach ({sure(first)}), the error rate may be up to "
        f"{percent(first.bound, 1)}, which is more than {exact(found.alpha)}. More calibration items, or a larger "
        "α, may give a threshold."
    )


def warnings_of(decided: DecisionsResult) -> Iterator[str]:
    """Yield what the guarantee assumes of items that are left out."""
    found = decided.found
    if found.n_drawn is not None and found.n_compared < found.n_drawn:
        n = found.n_drawn - found.n_compared
        yield (
            f"{count(n)} of the {count(found.n_drawn)} items drawn {'has' if n == 1 else 'have'} no label of people or "
            "of the model. The guarantee holds if they are like the others."
        )
    if found.n_tied:
        yield (
            f"People are tied on {count(found.n_tied)} item{'' if found.n_tied == 1 else 's'}, which are left out: the "
            "guarantee is about items on which people have a majority."
        )


def methods_of(decided: DecisionsResult) -> str:
    """Return method and result for a paper."""
    return " ".join(_methods(decided))


def _methods(decided: DecisionsResult) -> Iterator[str]:
    found = decided.found
    what = (
        f"the majority of the labels of {people(decided.n_people)}"
        if found.against == PEOPLE
        else f"the reference “{found.against}”"
    )
    yield (
        f"Labels by the model “{found.model}” were compared with {what} on {count(found.n_calibration)} calibration "
        "items."
    )
    if found.reason == NOT_RANDOM:
        yield f"{NOT_KNOWN_RANDOM}, so no error rate could be guaranteed, and the model decided no item."
        return
    yield found.sampled
    yield (
        f"The lowest confidence from which the model may decide was found by fixed-sequence testing (Bauer, 1991; Jung "
        f"et al., 2025), from the highest confidence down, with one-sided Clopper–Pearson limits and at least "
        f"{found.least} items, so that the error rate is at most α = {found.alpha:g} with probability 1 − δ = "
        f"{1 - found.delta:g}."
    )
    if found.threshold is None:
        yield "No confidence satisfied this, so the model decided no item."
        return
    step = found.threshold
    yield (
        f"It was {sure(step)} ({count(step.n_wrong)} of {count(step.n_items)} labels differed; upper limit "
        f"{figure(step.bound, 3)}). Of {count(found.n_open)} items that only the model had labeled, the model decided "
        f"{count(found.n_decided)}, and {count(found.n_for_people)} were left to people."
    )


def why_for_people(decided: DecisionsResult, place: int) -> str:
    """Return why the model may not decide this one of the open items; "" if it may."""
    items, threshold = decided.items, decided.found.threshold
    if items.is_decided[place]:
        return ""
    if threshold is None:
        return NO_THRESHOLD
    if items.is_outside[place]:
        return OUTSIDE
    return WITHOUT if items.confidences[place] != items.confidences[place] else BELOW
