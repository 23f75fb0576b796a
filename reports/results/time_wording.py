"""Agreement by round and over time, in words for pages and API."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from core.templatetags.shown import count, figure, in_percent
from reports.analysis.catalog import in_sentence, title_among
from reports.analysis.label_arrays import NO_ROUND, NO_VERSION
from reports.analysis.results import OverTime, WindowChange
from reports.analysis.windows import EPOCH, WindowGrouping
from reports.models import Report
from reports.results.prose_words import capitalized
from reports.results.statistic_rows import (
    is_share,
    p_in_sentence,
    shown_difference,
    shown_difference_limits,
    shown_size,
)
from reports.results.wording import shown_interval
from reports.store.over_time import OverTimeOptions
from reports.store.stored_result import StoredResult

NO_ROUND_NAME = "no round"


def has_rounds(report: Report) -> bool:
    rounds = report.codebook["rounds"]
    return len(report.round_keys if rounds is None else rounds) > 1


def versions_of(report: Report) -> list[tuple[int, datetime]]:
    """Return the number and time of each guidelines version from before the report was computed."""
    written = report.project.guidelines_versions.order_by("number")
    if report.finished_at:
        written = written.filter(made_at__lte=report.finished_at)
    return list(written.values_list("number", "made_at"))


def names_of(result: StoredResult, by: WindowGrouping, found: OverTime) -> list[str]:
    rounds = _rounds(result.report) if by is WindowGrouping.ROUND else {}
    return [_name(by, each.key, rounds) for each in found.windows]


def _rounds(report: Report) -> dict[int, str]:
    rounds = report.codebook["rounds"]
    if rounds is None:
        return report.round_keys
    return {round_["id"]: round_["key"] for round_ in rounds}


def _name(by: WindowGrouping, key: int, rounds: Mapping[int, str]) -> str:
    if by is WindowGrouping.ROUND:
        return NO_ROUND_NAME if key == NO_ROUND else rounds.get(key, f"round {key}")
    if by is WindowGrouping.GUIDELINES:
        special = {NO_VERSION: "unknown", 0: "before the first version"}
        return special.get(key, f"version {key}")
    if by is WindowGrouping.NUMBER:
        return f"window {key}"
    date = EPOCH.date() + timedelta(days=key)
    return f"{'week of ' if by is WindowGrouping.WEEK else ''}{date.day} {date:%b %Y}"


def title_over_time(found: OverTime) -> str:
    """Return the title of the coefficient for the number of raters in the window with the most."""
    return title_among(found.coefficient, max((each.n_raters for each in found.windows), default=0))


def notes_of(options: OverTimeOptions, found: OverTime, names: Sequence[str], confidence: str) -> list[str]:
    """Return a sentence for each change that is beyond chance."""
    return [
        _note(options, each, found, names, confidence) for each in found.differences if each.is_beyond_chance
    ]


def _note(
    options: OverTimeOptions, each: WindowChange, found: OverTime, names: Sequence[str], confidence: str
) -> str:
    change, n, of_share = each.value or 0.0, found.n_tests, is_share(found.coefficient)
    verb = "rose" if change > 0 else "fell"
    interval = shown_difference_limits(each.ci_low, each.ci_high, is_share=of_share)
    corrected = f", Holm-adjusted for {count(n)} comparisons" if n > 1 else ""
    title = capitalized(in_sentence(title_over_time(found)))
    sentence = (
        f"{title} {verb} by {shown_size(change, is_share=of_share)} from {names[each.earlier]} to "
        f"{names[each.later]} (difference {shown_difference(change, is_share=of_share)}, "
        f"{in_percent(confidence)} CI {interval}), "
        f"a significant change: {p_in_sentence(each.p_corrected)}{corrected}."
    )
    if new := found.new_guidelines(each):
        sentence += f" Guidelines {' and '.join(map(str, new))} took effect in between."
    return sentence


def homogeneity_sentences(found: OverTime, window: str, confidence: str) -> list[str]:
    """Return sentences on the test whether all windows are equal; [] if nothing was tested."""
    same, fitted = found.homogeneity, found.fitted_homogeneity
    if len(found.windows) < 2:
        return []
    if same is None:
        shared = any(each.n_shared for each in found.differences)
        return [f"The test of all {window}s at once needs {window}s without shared items."] if shared else []
    if same.p_value is None:
        return []
    left_out = (
        f", {count(same.n_left_out)} excluded (too few items or no standard error)" if same.n_left_out else ""
    )
    test = f"χ² = {figure(same.statistic)}, df {same.df}, {p_in_sentence(same.p_value)} (Fleiss 1981)"
    sentences = [
        f"Test that the {count(same.n_strata)} {window}s have the same value{left_out}: {test}. Common value"
        f" {figure(same.value)}, {in_percent(confidence)} CI {shown_interval(same.ci_low, same.ci_high)}; it means"
        f" little if the {window}s differ."
    ]
    if fitted is not None and fitted.p_value is not None:
        sentences.append(
            f"By goodness of fit, which also holds with few items: χ² = {figure(fitted.statistic)}, df {fitted.df},"
            f" {p_in_sentence(fitted.p_value)} (Donner, Eliasziw & Klar 1996)."
        )
    return sentences
