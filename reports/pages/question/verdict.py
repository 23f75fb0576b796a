"""What a report says of one question, in sentences made from its figures; a state needs thresholds of the lead."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.templatetags.shown import count, figure, in_percent, percent
from projects.models import Project
from projects.thresholds import ReadingScale as Choice
from reports.agreement.reading.reading import Reading
from reports.agreement.reading.scales import Judged, ReadingScale
from reports.agreement.results import Reason
from reports.analysis.catalogue import title_of
from reports.analysis.pairs import weighted_name
from reports.models import QuestionAgreement
from reports.results.main_coefficient import main_coefficient
from reports.results.pairs import Spread
from reports.results.readings import certain_class, certainty_of, quoted, reading_of, scale_of
from reports.results.shown import shown_interval
from reports.results.wording import long_reason
from reports.store.counted import Counted, counted_in

# One category this common, and chance alone is so high that kappa and its kin tell something else than percentages.
COMMON = 0.7
# AC1 is named beside a coefficient that it leaves this far behind.
APART = 0.1


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a value stands among the thresholds that a lead set. state: a class of the style sheet."""

    state: str
    words: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """claim: the sentence that matters. grounds: what it rests on. standing: None without thresholds of the lead's."""

    name: str
    title: str
    claim: str
    grounds: list[str]
    standing: Standing | None


def verdict_of(agreement: QuestionAgreement, spread: Spread, measure: str) -> Verdict:
    """measure: what the coefficient of the pairs, whose spread is told, is called."""
    counted = counted_in(agreement)
    if counted.are_too_few and agreement.n_pairs:
        return _of_pairs(agreement, counted, spread, measure)
    name = main_coefficient(agreement)
    found = agreement.coefficients.get(name, {})
    reading = reading_of(name, found, scale_of(agreement.report.project))
    grounds = [
        value_sentence(name, found, reading, agreement.report.chosen.percent),
        _chance_sentence(agreement, name),
        _spread_sentence(spread, measure, counted.without),
        counted.sentence,
    ]
    return Verdict(
        name,
        title_of(name),
        claim_of(name, found, reading),
        [sentence for sentence in grounds if sentence],
        standing_of(agreement.report.project, found, reading),
    )


def _of_pairs(agreement: QuestionAgreement, counted: Counted, spread: Spread, measure: str) -> Verdict:
    """Where too few count for a figure of all raters, what their pairs say."""
    name = weighted_name("cohen_kappa") if agreement.report.chosen.is_weighted else "cohen_kappa"
    why = f"{counted.sentence} {long_reason(Reason.TOO_FEW_COUNTED)}"
    pair = agreement.pairs.select_related("rater_a", "rater_b").first() if agreement.n_pairs == 1 else None
    if pair is None:
        claim = _spread_sentence(spread, measure, "") or long_reason(Reason.TOO_FEW_COUNTED)
        return Verdict(name, title_of(name), claim, [why], None)
    two = f"{pair.rater_a.key} and {pair.rater_b.key}"
    found = {
        "value": pair.kappa, "se": pair.se, "ci_low": pair.ci_low, "ci_high": pair.ci_high, "reason": pair.reason
    }  # fmt: skip
    reading = reading_of(name, found, scale_of(agreement.report.project))
    grounds = [
        value_sentence(name, found, reading, agreement.report.chosen.percent),
        f"The two agree on {percent(pair.observed)} of the {count(pair.n)} items that both labelled.",
        why,
    ]
    return Verdict(
        name,
        title_of(name),
        f"Of {two}: {claim_of(name, found, reading).replace('Agreement', 'agreement', 1)}",
        [sentence for sentence in grounds if sentence],
        standing_of(agreement.report.project, found, reading),
    )


def claim_of(name: str, found: Mapping[str, Any], reading: Reading | None) -> str:
    if found.get("value") is None:
        return f"{title_of(name)} is undefined. {long_reason(found.get('reason', ''))}"
    if reading is None:
        return f"{title_of(name)} is {shown_of(name, found['value'])}."
    word = reading.judged_word or reading.word
    return f"Agreement is {quoted(word)}{_certainty(reading)}."


def _certainty(reading: Reading) -> str:
    """What of the claim holds in spite of chance."""
    if reading.scale.judged is not Judged.VALUE:
        return ""
    if reading.word == reading.scale.steps[0].name:
        return "" if reading.scale.key == Choice.OWN else ", the lowest class of the scale"
    word, chance = certain_class(reading)
    if word and word == reading.word:
        return f", at least that with {chance} certainty (one-sided)"
    return f"; {certainty_of(reading)} (one-sided)" if word else ""


def shown_of(name: str, value: float | None) -> str:
    return percent(value) if name.startswith("percent_agreement") else figure(value)


def value_sentence(name: str, found: Mapping[str, Any], reading: Reading | None, confidence: str) -> str:
    if found.get("value") is None:
        return ""
    interval = shown_interval(found.get("ci_low"), found.get("ci_high"))
    if interval and name.startswith("percent_agreement"):
        interval = f"{percent(found['ci_low'])} to {percent(found['ci_high'])}"
    sentence = f"{title_of(name)} is {shown_of(name, found['value'])}"
    sentence += f", {in_percent(confidence)} interval {interval}" if interval else ""
    if reading is None:
        return f"{sentence}." if interval else ""
    return f"{sentence}; {_scale_words(reading.scale, found['value'])}{_reach(reading)}."


def _scale_words(scale: ReadingScale, value: float) -> str:
    place = scale.position(value)
    step = scale.steps[place]
    end = scale.steps[place + 1].start if place + 1 < len(scale.steps) else None
    where = (
        f"from {figure(step.start)} to {figure(end)}" if end is not None else f"from {figure(step.start)} on"
    )
    if scale.key == Choice.OWN:
        return f"{quoted(step.name)} is {where} by the thresholds of this project"
    return f"{quoted(step.name)} is {where} on the scale of {scale.title}, which is a convention"


def _reach(reading: Reading) -> str:
    if reading.low_word is None or reading.high_word is None:
        return ""
    if reading.low_word == reading.high_word:
        return ", and the whole interval is in it"
    # Beside a certainty of one side, the interval of both can reach a lower class: said, so that neither seems wrong.
    interval = "interval" if reading.low_word == reading.benchmark.word else "two-sided interval"
    return f", and the {interval} reaches from {quoted(reading.low_word)} to {quoted(reading.high_word)}"


def expected_by_chance(agreement: QuestionAgreement) -> float | None:
    """The agreement that Fleiss' kappa takes for chance: pe in kappa = (pa - pe) / (1 - pe)."""
    observed = agreement.coefficients.get("percent_agreement", {}).get("value")
    kappa = agreement.coefficients.get("fleiss_kappa", {}).get("value")
    if observed is None or kappa is None or kappa == 1:
        return None
    return float((observed - kappa) / (1 - kappa))


def commonest(agreement: QuestionAgreement) -> tuple[str, float] | None:
    """The name of the category that was used most, and its share of the labels that can be compared."""
    rows = agreement.statistics.get("categories", {}).get("fleiss_kappa", [])
    total = sum(row["n"] for row in rows)
    if not total:
        return None
    place = max(range(len(rows)), key=lambda k: rows[k]["n"])
    category = agreement.categories[place]
    return category["name"] or category["key"], rows[place]["n"] / total


def _chance_sentence(agreement: QuestionAgreement, name: str) -> str:
    observed = agreement.coefficients.get("percent_agreement", {}).get("value")
    if observed is None:
        return ""
    sentence = f"Two labels of one item agree {percent(observed)} of the time, on average over items"
    expected, common = expected_by_chance(agreement), commonest(agreement)
    if expected is None:
        return f"{sentence}."
    if common is None or common[1] < COMMON:
        return f"{sentence}; chance alone, with categories used as often as here, would give {percent(expected)}."
    return (
        f"{sentence}; but {percent(common[1])} of the labels are “{common[0]}”, so chance alone would give "
        f"{percent(expected)}.{_of_ac1(agreement, name)}"
    )


def _of_ac1(agreement: QuestionAgreement, name: str) -> str:
    """What AC1 says where one category is so common, if it says something else."""
    ac1 = agreement.coefficients.get("gwet_ac1", {}).get("value")
    own = agreement.coefficients.get(name, {}).get("value")
    if ac1 is None or own is None or abs(ac1 - own) < APART:
        return ""
    return f" Gwet’s AC1, which takes less of that for chance, is {figure(ac1)}."


def _spread_sentence(spread: Spread, measure: str, without: str) -> str:
    """without: whom, if somebody does not count; those pairs are left out here too."""
    if spread.low is None or spread.n_pairs < 2:
        return ""
    name, _, weights = measure.partition(", ")
    inside = ", ".join(filter(None, [weights, without]))
    of_pairs = f"{name} of the pairs{f' ({inside})' if inside else ''}"
    sentence = f"{of_pairs} ranges from {figure(spread.low)} to {figure(spread.high)}"
    if not spread.n_undefined:
        return f"{sentence}."
    verb = "is" if spread.n_undefined == 1 else "are"
    return f"{sentence}; {count(spread.n_undefined)} of {count(spread.n_pairs)} pairs {verb} undefined."


def standing_of(project: Project, found: Mapping[str, Any], reading: Reading | None) -> Standing | None:
    """Against thresholds that the lead set; a published scale is nobody's demand, so it gives no state."""
    if project.reading_scale != Choice.OWN or reading is None:
        return None
    steps = [(threshold["from"], threshold["name"]) for threshold in project.thresholds]
    value, low = found["value"], found.get("ci_low")
    reached = [name for start, name in steps if value >= start]
    if not reached:
        return Standing("missed", f"Below “{steps[0][1]}” ({figure(steps[0][0])})")
    if len(reached) < len(steps):
        start, name = steps[len(reached)]
        return Standing("between", f"“{reached[-1]}” reached, “{name}” ({figure(start)}) not")
    start, name = steps[-1]
    if low is None or low < start:
        return Standing("between", f"“{name}” ({figure(start)}) reached, but not by the whole interval")
    return Standing("reached", f"“{name}” ({figure(start)}) reached by the whole interval")
