"""Which round the figures of each question use, in words, and the rule by which it is chosen."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from raters.models import Rater
from reports.analysis.label_arrays import NO_ROUND
from reports.analysis.options import Options
from reports.models import QuestionAgreement, Report
from reports.results.prose_words import capitalized, listed, quoted
from reports.sources.stored_labels import ENOUGH_SHARED, LEAST_SHARED, blocks_of, rounds_read
from reports.store.frozen_codebook import is_pooled

BY_QUESTION = "by question"
POOLED_LABELS = "all labels, with the rounds pooled"
ALL_LABELS = "all labels"
OUTSIDE = "labels outside any round"
NOBODY_TOGETHER = "the labels of all rounds, because no two raters share enough items in any of them"


def round_rule(options: Options | None = None) -> str:
    """Return the rule by which the round of a question is chosen, in sentences. options: None for the default ones."""
    who = "raters of the included types" if options and options.counted else "people"
    models = "" if options and options.counted else "Models count only if there is no such round. "
    return (
        f"Rounds are not pooled. Each question uses the latest round in which at least {ENOUGH_SHARED} items have "
        f"labels from two or more {who}; if there is none, the round with the most such items, if it has at least "
        f"{LEAST_SHARED}. "
        f"{models}A round that adds raters to disputed items is used only if it is selected. If no round qualifies, "
        "all labels count together."
    )


@dataclass(frozen=True, slots=True)
class RoundsUsed:
    """sentence: which rounds the figures use; "" if there are none to tell apart. rule: why; "" if no rule decided."""

    sentence: str = ""
    rule: str = ""


def rounds_used(report: Report, agreements: Sequence[QuestionAgreement]) -> RoundsUsed:
    """Return the rounds that the figures of a finished report use; agreements: those of the report."""
    known, rounds = report.round_keys, report.scope["rounds"]
    if rounds is None and (len(known) < 2 or not _differ_by_round(agreements)):
        return RoundsUsed()
    used: dict[str, list[str]] = {}
    for each in agreements:
        if each.n_labels:
            used.setdefault(_scope_words(each) or _words_of_labels(each, known), []).append(each.question.key)
    has_choice = not is_pooled(report) and (rounds is None or len(rounds) > 1)
    return RoundsUsed(sentence_of_rounds(used), round_rule(report.chosen) if has_choice else "")


def _differ_by_round(agreements: Sequence[QuestionAgreement]) -> bool:
    """Return whether the report has labels of several rounds; rounds that exist only since then do not count."""
    if any(each.lead is not None for each in agreements):
        return True
    found = {pk for each in agreements if each.n_labels for pk in rounds_read(each)}
    return len(found - {NO_ROUND}) > 1


def sentence_of_rounds(used: dict[str, list[str]]) -> str:
    """used: for each round, in words, the keys of the questions that use it."""
    if not used:
        return ""
    if len(used) == 1:
        return f"All figures use {next(iter(used))}."
    clauses = [
        f"{listed([quoted(key) for key in keys])} {'uses' if len(keys) == 1 else 'use'} {words}"
        for words, keys in used.items()
    ]
    return f"Questions use different rounds: {'; '.join(clauses)}."


def rounds_in_list(agreements: Iterable[QuestionAgreement]) -> dict[str, list[str]]:
    """Return, for each round in words, the keys of the questions that use it, without reading labels."""
    used: dict[str, list[str]] = {}
    for each in agreements:
        if each.n_labels:
            used.setdefault(_scope_words(each) or ALL_LABELS, []).append(each.question.key)
    return used


def short_rounds(used: dict[str, list[str]]) -> str:
    """Return the same in short, for a cell of a table."""
    if len(used) == 1:
        return capitalized(next(iter(used)))
    return capitalized("; ".join(f"{words}: {', '.join(keys)}" for words, keys in used.items()))


def rounds_of_scope(report: Report, *, has_rounds: bool) -> str:
    """Return the rounds that a report was requested for, in short. has_rounds: whether the project has several."""
    rounds = report.scope["rounds"]
    if rounds is not None and len(rounds) == 1:
        return f"Round {quoted(rounds[0])}"
    if not has_rounds:
        return capitalized(ALL_LABELS)
    which = "all rounds" if rounds is None else f"rounds {listed([quoted(key) for key in rounds])}"
    return capitalized(f"{which}, pooled" if is_pooled(report) else f"one of {which}, {BY_QUESTION}")


def _scope_words(agreement: QuestionAgreement) -> str:
    """Return what the figures use; "" if the labels have to be read to find out."""
    report, rounds = agreement.report, agreement.report.scope["rounds"]
    if agreement.lead is not None:
        return f"round {quoted(agreement.lead['key'])}"
    if rounds is not None and len(rounds) == 1:
        return f"round {quoted(rounds[0])}"
    if not is_pooled(report):
        return ""
    return POOLED_LABELS if rounds is None else f"rounds {listed([quoted(key) for key in rounds])}, pooled"


def _words_of_labels(agreement: QuestionAgreement, known: dict[int, str]) -> str:
    """Return what the figures of a question without a leading round use. known: the rounds of the project."""
    # Labels of a reference are in no round, and do not decide which one is used.
    raters = [each["id"] for each in agreement.raters if each["kind"] != Rater.Kind.REFERENCE]
    found: set[int] = set()
    for _, rows in blocks_of(agreement, ("raters", "rounds"), all_rounds=True):
        found |= set(np.unique(rows.rounds[np.isin(rows.raters, raters)]).tolist())
        if len(found) > 1:
            return NOBODY_TOGETHER
    if found == {NO_ROUND}:
        return OUTSIDE
    keys = [known[pk] for pk in found if pk in known]
    return f"round {quoted(keys[0])}" if keys else ALL_LABELS
