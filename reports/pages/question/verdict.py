"""The main result of a question: a verdict in sentences generated from its figures, and tiles.

The verdict compares the interval of the primary coefficient with the criterion; names of scales are conventions.
"""

from dataclasses import dataclass

from core.templatetags.shown import count, figure, in_percent, percent
from projects.models import Project
from projects.thresholds import ReadingScaleChoice
from reports.agreement.few_items import are_few
from reports.agreement.interpretation.reading import Interpretation
from reports.agreement.interpretation.scales import InterpretationBasis, InterpretationScale
from reports.agreement.results import Reason
from reports.analysis.catalog import title_of
from reports.analysis.measure import COHEN
from reports.analysis.pairs import weighted_name
from reports.analysis.results import Figure
from reports.pages.question.criterion_axis import CriterionAxis, criterion_axis
from reports.results.addresses import items_address, items_used_address, question_address
from reports.results.items.query import IN_AGREEMENT, IN_DISPUTE, ItemQuery
from reports.results.kinds import in_its_weights, measure_of_pair, result_kind
from reports.results.primary import (
    Primary,
    few_items_words,
    figure_named,
    figure_of_pair,
    is_left_to_thresholds,
    judged,
    primary_of,
)
from reports.results.question_pairs import PairRange
from reports.results.scale_readings import certainty_of, named, reading_of, scale_of
from reports.results.wording import long_reason, method_shown, short_reason, shown_interval, shown_shares
from reports.store.included_raters import IncludedRaters
from reports.store.stored_result import StoredResult

# If one category is this common, agreement by chance is so high that kappa and percent agreement diverge.
COMMON = 0.7
# The unweighted coefficient with the expected agreement of each primary coefficient; of two raters, Light's kappa is
# Cohen's.
LIGHT = "light_kappa"
CHANCE = {
    COHEN: LIGHT,
    "conger_kappa": "conger_kappa",
    "gwet_ac": "gwet_ac1",
    "brennan_prediger": "brennan_prediger",
}
# AC1 is mentioned if it differs this much from the coefficient.
APART = 0.1


@dataclass(frozen=True, slots=True)
class ThresholdPosition:
    """The position of a value among thresholds set by a lead. state: a CSS class."""

    state: str
    words: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """claim: the main sentence. grounds: the reasons. position, axis: None if they cannot be determined."""

    name: str
    title: str
    claim: str
    grounds: list[str]
    position: ThresholdPosition | None
    axis: CriterionAxis | None


def verdict_of(result: StoredResult, spread: PairRange, measure: str) -> Verdict:
    """Return the verdict. measure: the name of the pairwise coefficient whose range is reported."""
    counted = result.counted
    if counted.are_too_few and result.n_pairs:
        return _of_pairs(result, counted, spread, measure)
    primary = primary_of(result)
    reading = reading_of(primary.name, primary.figure, scale_of(result.report.project))
    grounds = [
        reading_sentence(primary.figure, reading),
        _chance_sentence(result, primary.name),
        _spread_sentence(spread, measure, counted.without),
        counted.sentence,
    ]
    return Verdict(
        primary.name,
        title_of(primary.name),
        claim_of(result, primary),
        [sentence for sentence in grounds if sentence],
        position_for(result, primary),
        axis_for(result, primary),
    )


def _of_pairs(result: StoredResult, counted: IncludedRaters, spread: PairRange, measure: str) -> Verdict:
    """Return a verdict on the pairs, if too few raters count for overall figures."""
    name = weighted_name("cohen_kappa") if result.scope.is_weighted else "cohen_kappa"
    why = f"{counted.sentence} {long_reason(Reason.TOO_FEW_COUNTED)}"
    pair = result.pair_of([rater.id for rater in result.raters]) if result.n_pairs == 1 else None
    if pair is None:
        claim = _spread_sentence(spread, measure, "") or long_reason(Reason.TOO_FEW_COUNTED)
        return Verdict(name, title_of(name), claim, [why], None, None)
    two = f"{pair.rater_a.key} and {pair.rater_b.key}"
    found = figure_of_pair(pair)
    reading = reading_of(name, found, scale_of(result.report.project))
    confidence = result.report.chosen.confidence
    primary = judged(name, measure_of_pair(result.row), found, confidence=confidence)
    grounds = [
        reading_sentence(found, reading),
        f"They agree on {percent(pair.observed)} of their {count(pair.n)} shared items.",
        why,
    ]
    return Verdict(
        name,
        title_of(name),
        f"{two}: {claim_of(result, primary)}",
        [sentence for sentence in grounds if sentence],
        position_for(result, primary),
        axis_for(result, primary),
    )


def claim_of(result: StoredResult, primary: Primary) -> str:
    """Return, for example: Agreement meets the criterion: Fleiss’ κ = 0.75, 95% CI [0.68, 0.82]"""
    value = value_of(primary.name, primary.figure, result.report.chosen.percent)
    if not primary.lead or is_left_to_thresholds(result.report.project, result):
        return value
    return f"{primary.lead}: {value}"


def value_of(name: str, found: Figure, confidence: str) -> str:
    """Return a figure with its interval, or why it is undefined."""
    if found.value is None:
        return f"{title_of(name)} is undefined. {long_reason(found.reason)}"
    show = shown_shares if name.startswith("percent_agreement") else shown_interval
    interval = show(found.ci_low, found.ci_high)
    value = f"{title_of(name)} = {formatted_coefficient(name, found.value)}"
    return f"{value}, {in_percent(confidence)} CI {interval}" if interval else value


def formatted_coefficient(name: str, value: float | None) -> str:
    return percent(value) if name.startswith("percent_agreement") else figure(value)


def reading_sentence(found: Figure, reading: Interpretation | None) -> str:
    """Return the range of values with this name on the scale, the reach of the interval, and the certainty of the
    class; without the latter two from too few items.
    """
    if reading is None or found.value is None:
        return ""
    if are_few(found.n_items):
        return f"{_scale_words(reading.scale, found.value)}."
    sure = certainty_of(reading) if reading.scale.judged is InterpretationBasis.VALUE else ""
    sentence = f"{_scale_words(reading.scale, found.value)}{_interval_words(reading)}."
    return f"{sentence} {sure[:1].upper()}{sure[1:]}." if sure else sentence


def _scale_words(scale: InterpretationScale, value: float) -> str:
    place = scale.position(value)
    step = scale.steps[place]
    end = scale.steps[place + 1].start if place + 1 < len(scale.steps) else None
    where = f"{figure(step.start)} to {figure(end)}" if place else f"below {figure(end)}"
    if end is None:
        where = f"{figure(step.start)} and above"
    by = (
        "By the thresholds of this project"
        if scale.key == ReadingScaleChoice.OWN
        else f"On the {scale.title} scale (a convention)"
    )
    return f"{by}, {where} is {named(scale, step.name)}"


def _interval_words(reading: Interpretation) -> str:
    if reading.low_word is None or reading.high_word is None:
        return ""
    if reading.low_word == reading.high_word:
        return "; the whole CI lies in this range"
    # With a one-sided certainty, the two-sided interval can reach a lower class; saying so avoids an apparent conflict.
    interval = "CI" if reading.low_word == reading.benchmark.word else "two-sided CI"
    low, high = (named(reading.scale, word) for word in (reading.low_word, reading.high_word))
    return f"; the {interval} spans {low} to {high}"


@dataclass(frozen=True, slots=True)
class CommonestCategory:
    """The most frequent category, and its share of the comparable labels."""

    place: int
    name: str
    share: float


def commonest(result: StoredResult) -> CommonestCategory | None:
    used = [row.n or 0 for row in result.by_category("fleiss_kappa")]
    if not any(used):
        return None
    place = used.index(max(used))
    return CommonestCategory(place, result.category_names[place], used[place] / sum(used))


def _chance_sentence(result: StoredResult, name: str) -> str:
    observed, kappa = result.figure("percent_agreement").value, _kappa_of_chance(result, name)
    if observed is None:
        return ""
    sentence = f"Two raters agree on an item {percent(observed)} of the time (averaged over items)"
    if kappa is None or kappa == 1:
        return f"{sentence}."
    # The chance agreement of the coefficient: pe in kappa = (pa - pe) / (1 - pe).
    expected, common = (observed - kappa) / (1 - kappa), commonest(result)
    if common is None or common.share < COMMON:
        return f"{sentence}; {percent(expected)} agreement is expected by chance."
    sentence = (
        f"{sentence}, but {percent(common.share)} of the labels are “{common.name}”, so {percent(expected)} agreement "
        "is expected by chance."
    )
    # Mention AC1 if it differs when one category is this common.
    ac1, own = result.figure("gwet_ac1").value, figure_named(result, name).value
    if ac1 is None or own is None or abs(ac1 - own) < APART:
        return sentence
    return f"{sentence} Gwet’s AC1, which corrects less for that, is {figure(ac1)}."


def _kappa_of_chance(result: StoredResult, name: str) -> float | None:
    """Return the unweighted form of the coefficient, or Fleiss' kappa where agreement by chance is not that simple."""
    own = next((kappa for prefix, kappa in CHANCE.items() if name.startswith(prefix)), "fleiss_kappa")
    # A mean over pairs has no expected agreement of its own.
    if own == LIGHT and result.counted.n_raters != 2:
        own = "fleiss_kappa"
    value = result.figure(own).value
    return result.figure("fleiss_kappa").value if value is None else value


def _spread_sentence(spread: PairRange, measure: str, without: str) -> str:
    """Return the range of pairs. without: who does not count, if anyone; their pairs are left out here, too."""
    if spread.low is None or spread.n_pairs < 2:
        return ""
    name, _, weights = measure.partition(", ")
    inside = ", ".join(filter(None, [weights, without]))
    name = name.replace("Agreement", "agreement", 1)
    of_pairs = f"Across pairs, {name}{f' ({inside})' if inside else ''}"
    sentence = f"{of_pairs} ranges from {figure(spread.low)} to {figure(spread.high)}"
    if not spread.n_undefined:
        return f"{sentence}."
    verb = "is" if spread.n_undefined == 1 else "are"
    return f"{sentence}; {count(spread.n_undefined)} of {count(spread.n_pairs)} pairs {verb} undefined."


def position_for(result: StoredResult, primary: Primary) -> ThresholdPosition | None:
    """Return the standing relative to the question's criterion, or else to the project's thresholds."""
    project = result.report.project
    if is_left_to_thresholds(project, result):
        reading = reading_of(primary.name, primary.figure, scale_of(project))
        return position_among_thresholds(project, primary.figure, reading)
    words = primary.words(result.report.chosen.percent)
    return ThresholdPosition(primary.state, words) if words else None


def axis_for(result: StoredResult, primary: Primary) -> CriterionAxis | None:
    """Return the drawing of the criterion; None if the project's thresholds count instead."""
    return None if is_left_to_thresholds(result.report.project, result) else criterion_axis(primary)


def position_among_thresholds(
    project: Project, found: Figure, reading: Interpretation | None
) -> ThresholdPosition | None:
    """Return the standing relative to thresholds set by the lead; published scales are not requirements."""
    if project.reading_scale != ReadingScaleChoice.OWN or reading is None or found.value is None:
        return None
    if are_few(found.n_items):
        return ThresholdPosition(
            "between", f"Thresholds of this project: cannot be decided yet. {few_items_words(found, 'CI')}"
        )
    steps = [(threshold["from"], threshold["name"]) for threshold in project.thresholds]
    reached = [name for start, name in steps if found.value >= start]
    if not reached:
        return ThresholdPosition("missed", f"Below “{steps[0][1]}” ({figure(steps[0][0])})")
    if len(reached) < len(steps):
        start, name = steps[len(reached)]
        return ThresholdPosition("between", f"Meets “{reached[-1]}”, but not “{name}” ({figure(start)})")
    start, name = steps[-1]
    if found.ci_low is None or found.ci_low < start:
        return ThresholdPosition("between", f"Meets “{name}” ({figure(start)}), but not with the whole CI")
    return ThresholdPosition("reached", f"Meets “{name}” ({figure(start)}) with the whole CI")


@dataclass(frozen=True, slots=True)
class StatisticTile:
    name: str
    value: str
    interval: str
    method: str
    address: str = ""


def tiles_of(result: StoredResult, main: str) -> list[StatisticTile]:
    """Return the tiles, each with the list of items it uses. main: the coefficient that comes first."""
    kind = result_kind(result.scope.kind)
    fitting = [in_its_weights(result.row, name) for name in kind.tiles]
    names = (main, *(name for name in fitting if name != main))[: len(fitting)]
    tiles = []
    for name in names:
        found = figure_named(result, name)
        show = shown_shares if name.startswith("percent_agreement") else shown_interval
        tiles.append(
            StatisticTile(
                title_of(name),
                formatted_coefficient(name, found.value),
                show(found.ci_low, found.ci_high) or short_reason(found.reason),
                method_shown(found.method or ""),
                "" if found.value is None else items_used_address(result, found.n_items),
            )
        )
    return tiles


def links_of(result: StoredResult) -> list[tuple[str, str]]:
    """Return lists to explore from the verdict, as words and URLs."""
    if not result.n_pairs:
        return []
    links = [
        ("items with disagreement", items_address(result.row, IN_DISPUTE)),
        ("items with full agreement", items_address(result.row, IN_AGREEMENT)),
    ]
    if common := commonest(result):
        query = ItemQuery(has=(result.categories[common.place]["key"],))
        links.append((f"items with “{common.name}”", items_address(result.row, query)))
    if result.n_pairs > 1:
        pairs = question_address(result.row)
        links.append(("pairs with lowest agreement", f"{pairs}?sort=worst#pairs"))
        links.append(("pairs with highest agreement", f"{pairs}?sort=best#pairs"))
    return links
