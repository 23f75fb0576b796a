"""What a report says of one question first: a verdict in sentences made from its figures, and tiles beside it.

A state needs thresholds of the lead.
"""

from dataclasses import dataclass

from core.templatetags.shown import count, figure, in_percent, percent
from projects.models import Project
from projects.thresholds import ReadingScaleChoice
from reports.agreement.reading.reading import Reading
from reports.agreement.reading.scales import Judged, ReadingScale
from reports.agreement.results import Reason
from reports.analysis.catalog import title_of
from reports.analysis.pairs import weighted_name
from reports.analysis.results import Figure
from reports.results.addresses import items_address, items_behind, question_address
from reports.results.items.query import IN_AGREEMENT, IN_DISPUTE, ItemQuery
from reports.results.kinds import main_coefficient, result_kind
from reports.results.question_pairs import Spread
from reports.results.scale_readings import certainty_of, named, reading_of, scale_of
from reports.results.wording import long_reason, method_shown, short_reason, shown_interval, shown_shares
from reports.store.counted import Counted
from reports.store.stored_result import StoredResult

# One category this common, and chance alone is so high that kappa and its kin tell something else than percentages.
COMMON = 0.7
# What Krippendorff's classes say of agreement; other scales name it by an adjective.
RELIANCE = {
    "rely on": "Reliable",
    "tentative conclusions only": "Usable for tentative conclusions only",
    "discard": "Not reliable enough to use",
}
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


def verdict_of(result: StoredResult, spread: Spread, measure: str) -> Verdict:
    """measure: what the coefficient of the pairs, whose spread is told, is called."""
    counted = result.counted
    if counted.are_too_few and result.n_pairs:
        return _of_pairs(result, counted, spread, measure)
    name = main_coefficient(result.row)
    found = result.figure(name)
    reading = reading_of(name, found, scale_of(result.report.project))
    grounds = [
        reading_sentence(found, reading),
        _chance_sentence(result, name),
        _spread_sentence(spread, measure, counted.without),
        counted.sentence,
    ]
    return Verdict(
        name,
        title_of(name),
        claim_and_value(name, found, reading, result.report.chosen.percent),
        [sentence for sentence in grounds if sentence],
        standing_of(result.report.project, found, reading),
    )


def _of_pairs(result: StoredResult, counted: Counted, spread: Spread, measure: str) -> Verdict:
    """Where too few count for a figure of all raters, what their pairs say."""
    name = weighted_name("cohen_kappa") if result.report.chosen.is_weighted else "cohen_kappa"
    why = f"{counted.sentence} {long_reason(Reason.TOO_FEW_COUNTED)}"
    pair = result.pair_of([rater.id for rater in result.raters]) if result.n_pairs == 1 else None
    if pair is None:
        claim = _spread_sentence(spread, measure, "") or long_reason(Reason.TOO_FEW_COUNTED)
        return Verdict(name, title_of(name), claim, [why], None)
    two = f"{pair.rater_a.key} and {pair.rater_b.key}"
    found = Figure(
        value=pair.kappa,
        se=pair.se,
        ci_low=pair.ci_low,
        ci_high=pair.ci_high,
        reason=Reason(pair.reason),
    )
    reading = reading_of(name, found, scale_of(result.report.project))
    grounds = [
        reading_sentence(found, reading),
        f"They agree on {percent(pair.observed)} of their {count(pair.n)} shared items.",
        why,
    ]
    return Verdict(
        name,
        title_of(name),
        f"{two}: {claim_and_value(name, found, reading, result.report.chosen.percent)}",
        [sentence for sentence in grounds if sentence],
        standing_of(result.report.project, found, reading),
    )


def claim_of(name: str, found: Figure, reading: Reading | None) -> str:
    """What the scale calls the value; "" without a scale for it."""
    if found.value is None:
        return f"{title_of(name)} is undefined. {long_reason(found.reason)}"
    if reading is None:
        return ""
    word = reading.judged_word or reading.word or ""
    if reading.scale.key == ReadingScaleChoice.OWN:
        named_word = named(reading.scale, word)
        return named_word[:1].upper() + named_word[1:]
    if reading.scale.judged is Judged.LOWER_LIMIT:
        return RELIANCE[word]
    return "No agreement" if word == "none" else f"{word.capitalize()} agreement"


def claim_and_value(name: str, found: Figure, reading: Reading | None, confidence: str) -> str:
    """Substantial agreement (Fleiss’ κ = 0.75, 95% CI [0.68, 0.82])"""
    claim = claim_of(name, found, reading)
    if found.value is None:
        return claim
    show = shown_shares if name.startswith("percent_agreement") else shown_interval
    interval = show(found.ci_low, found.ci_high)
    value = f"{title_of(name)} = {shown_of(name, found.value)}"
    if interval:
        value = f"{value}, {in_percent(confidence)} CI {interval}"
    return f"{claim} ({value})" if claim else value


def shown_of(name: str, value: float | None) -> str:
    return percent(value) if name.startswith("percent_agreement") else figure(value)


def reading_sentence(found: Figure, reading: Reading | None) -> str:
    """Which values the scale calls so, how far the interval reaches, and how certain the class is."""
    if reading is None or found.value is None:
        return ""
    sure = certainty_of(reading) if reading.scale.judged is Judged.VALUE else ""
    sentence = f"{_scale_words(reading.scale, found.value)}{_reach(reading)}."
    return f"{sentence} {sure[:1].upper()}{sure[1:]}." if sure else sentence


def _scale_words(scale: ReadingScale, value: float) -> str:
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


def _reach(reading: Reading) -> str:
    if reading.low_word is None or reading.high_word is None:
        return ""
    if reading.low_word == reading.high_word:
        return "; the whole CI lies in this range"
    # Beside a certainty of one side, the interval of both can reach a lower class: said, so that neither seems wrong.
    interval = "CI" if reading.low_word == reading.benchmark.word else "two-sided CI"
    low, high = (named(reading.scale, word) for word in (reading.low_word, reading.high_word))
    return f"; the {interval} spans {low} to {high}"


@dataclass(frozen=True, slots=True)
class Common:
    """The category that was used most, and its share of the labels that can be compared."""

    place: int
    name: str
    share: float


def commonest(result: StoredResult) -> Common | None:
    used = [row.n or 0 for row in result.by_category("fleiss_kappa")]
    if not any(used):
        return None
    place = used.index(max(used))
    return Common(place, result.category_names[place], used[place] / sum(used))


def _chance_sentence(result: StoredResult, name: str) -> str:
    observed, kappa = result.figure("percent_agreement").value, result.figure("fleiss_kappa").value
    if observed is None:
        return ""
    sentence = f"Two raters agree on an item {percent(observed)} of the time (averaged over items)"
    if kappa is None or kappa == 1:
        return f"{sentence}."
    # What Fleiss' kappa takes for chance: pe in kappa = (pa - pe) / (1 - pe).
    expected, common = (observed - kappa) / (1 - kappa), commonest(result)
    if common is None or common.share < COMMON:
        return f"{sentence}; {percent(expected)} agreement is expected by chance."
    sentence = (
        f"{sentence}, but {percent(common.share)} of the labels are “{common.name}”, so {percent(expected)} agreement "
        "is expected by chance."
    )
    # What AC1 says where one category is so common, if it says something else.
    ac1, own = result.figure("gwet_ac1").value, result.figure(name).value
    if ac1 is None or own is None or abs(ac1 - own) < APART:
        return sentence
    return f"{sentence} Gwet’s AC1, which corrects less for that, is {figure(ac1)}."


def _spread_sentence(spread: Spread, measure: str, without: str) -> str:
    """without: whom, if somebody does not count; those pairs are left out here too."""
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


def standing_of(project: Project, found: Figure, reading: Reading | None) -> Standing | None:
    """Against thresholds that the lead set; a published scale is nobody's demand, so it gives no state."""
    if project.reading_scale != ReadingScaleChoice.OWN or reading is None or found.value is None:
        return None
    steps = [(threshold["from"], threshold["name"]) for threshold in project.thresholds]
    reached = [name for start, name in steps if found.value >= start]
    if not reached:
        return Standing("missed", f"Below “{steps[0][1]}” ({figure(steps[0][0])})")
    if len(reached) < len(steps):
        start, name = steps[len(reached)]
        return Standing("between", f"Meets “{reached[-1]}”, but not “{name}” ({figure(start)})")
    start, name = steps[-1]
    if found.ci_low is None or found.ci_low < start:
        return Standing("between", f"Meets “{name}” ({figure(start)}), but not with the whole CI")
    return Standing("reached", f"Meets “{name}” ({figure(start)}) with the whole CI")


@dataclass(frozen=True, slots=True)
class Tile:
    name: str
    value: str
    interval: str
    method: str
    address: str = ""


def tiles_of(result: StoredResult, main: str) -> list[Tile]:
    """main: the coefficient that comes first. Each leads to the items that it rests on."""
    kind = result_kind(result.scope.kind)
    names = (main, *(name for name in kind.tiles if name != main))[: len(kind.tiles)]
    tiles = []
    for name in names:
        found = result.figure(name)
        show = shown_shares if name.startswith("percent_agreement") else shown_interval
        tiles.append(
            Tile(
                title_of(name),
                shown_of(name, found.value),
                show(found.ci_low, found.ci_high) or short_reason(found.reason),
                method_shown(found.method or ""),
                "" if found.value is None else items_behind(result, found.n_items),
            )
        )
    return tiles


def links_of(result: StoredResult) -> list[tuple[str, str]]:
    """Lists to explore from the verdict, in words and as addresses."""
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
