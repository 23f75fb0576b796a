"""What people call the details of events, which are stored under the names of fields."""

from typing import Any

from django.db.models import Model

from projects.final_rules import FinalRule
from projects.models import Category, Event, Project, Question, Round
from raters.models import AuditedLabel, Rater
from raters.rounds.attempts import AttemptItems
from raters.writing.records import WHAT_TITLES
from raters.writing.targets import TARGETS

Choices = dict[str, dict[str, str]]


def _choices(*models: type[Model]) -> Choices:
    fields = [field for model in models for field in model._meta.concrete_fields]
    return {field.name: {str(key): str(words) for key, words in field.flatchoices} for field in fields}


# Whose fields the changes are. An event about a project or one of its raters has the same kind; they share no choices.
_OF_QUESTION = _choices(Question, Category)
_OF_FILES = {
    "format": {target.key: target.title for target in TARGETS},
    "what": {kind.value: title.lower() for kind, title in WHAT_TITLES.items()},
}
_BY_EVENT: dict[str, Choices] = {
    Event.Kind.PROJECT_CHANGED: _choices(Project, Rater),
    Event.Kind.CODEBOOK_CHANGED: _OF_QUESTION
    | {"change": {"made": "question added", "deleted": "question deleted", "ordered": "reordered"}},
    Event.Kind.FINAL_RULE_CHANGED: _OF_QUESTION,
    Event.Kind.FINAL_RULE_ESTIMATED: {"rule": dict(FinalRule.choices)},
    Event.Kind.ROUND_CHANGED: _choices(Round),
    Event.Kind.REVEAL_REFUSED: _choices(Round),
    Event.Kind.EXPORTED: _OF_FILES,
    Event.Kind.FINAL_LABELS_TAKEN: _OF_FILES,
    Event.Kind.ATTEMPT_GIVEN: {
        "items": {AttemptItems.OTHER: "other reference items", AttemptItems.SAME: "the same items"}
    },
    Event.Kind.WEBHOOK_CHANGED: {"changed_fields": {"url": "address", "is_active": "active"}},
    Event.Kind.AUDIT_REVIEWED: {
        "verdict": dict(AuditedLabel.Verdict.choices),
        "severity": dict(AuditedLabel.Severity.choices),
    },
}

# Where nothing means no limit, or no more.
_EMPTY: dict[tuple[str, str], str] = {
    (Event.Kind.ADAPTIVE_CHANGED, "rule"): "no more raters are added",
    **{
        (kind, name): "all"
        for kind in (Event.Kind.EXPORTED, Event.Kind.FINAL_LABELS_TAKEN, Event.Kind.DISPUTES_DECIDED)
        for name in ("questions", "rounds", "question", "round")
    },
}
# Details that only programs need, and those that were not chosen.
_NOT_SHOWN = {
    (Event.Kind.DISPUTES_DECIDED, "bulk"),
    (Event.Kind.DISPUTES_REOPENED, "bulk"),
    (Event.Kind.PROJECT_CHANGED, "item"),
    (Event.Kind.ROUND_DELETED, "round"),
    (Event.Kind.ROUND_REMINDED, "round"),
}
_SHOWN_IF_CHOSEN = {(Event.Kind.DISPUTES_DECIDED, "rater"), (Event.Kind.DISPUTES_DECIDED, "list")}

_NAMES = {
    "adjudication_reasons": "decision reasons",
    "allows_abstention": "“Cannot tell” allowed",
    "also_rates": "exported by a person who labels here",
    "asked_if_categories": "asked only if one of",
    "asked_if_question": "asked only if, question",
    "blind_in": "labels stay hidden until closed",
    "changed_fields": "changed",
    "coefficient": "primary coefficient",
    "days": "valid for (days)",
    "due_on": "deadline",
    "fields_hidden": "hidden fields",
    "final_rule": "rule for final labels",
    "final_takes_references": "references take precedence",
    "final_threshold": "threshold for final labels",
    "gates": "opens to raters who passed",
    "idle_minutes": "inactive assignments released after (minutes)",
    "is_codebook_closed": "codebook closed",
    "is_required": "answer required",
    "is_whole": "whole numbers only",
    "level": "scale",
    "max_length": "maximum length",
    "max_uses": "maximum uses",
    "may_resume": "rater can resume",
    "n_bad": "against the rule",
    "n_left": "left open",
    "opens": "shows",
    "one_key_saving": "save as soon as an answer is chosen",
    "pauses": "pauses the rater",
    "prompt": "question",
    "reading_scale": "interpretation scale",
    "reference_use": "use of reference items",
    "remind_days": "reminder (days before)",
    "shows_given": "auditors see the given labels",
    "shows_names": "raters see names",
    "shows_own_figures": "raters see their own results",
    "thresholds": "custom thresholds",
    "thresholds_for": "custom thresholds apply to",
    "tolerance": "tolerance for disputes",
    "unknown": "outcome unknown",
    "what": "content",
    "why": "reason",
    "without_address": "without a confirmed email address",
}
_NAMES_BY_EVENT: dict[tuple[str, str], str] = {
    (Event.Kind.ATTEMPT_GIVEN, "first"): "first attempt",
    (Event.Kind.ATTEMPT_GIVEN, "items"): "chosen from",
    (Event.Kind.ATTEMPT_GIVEN, "n"): "items",
    (Event.Kind.CODEBOOK_CHANGED, "kind"): "answer type",
    (Event.Kind.DISPUTES_DECIDED, "n"): "decisions",
    (Event.Kind.DISPUTES_REOPENED, "n"): "decisions",
    (Event.Kind.LABELS_SEEN, "a"): "rater",
    (Event.Kind.LABELS_SEEN, "b"): "other rater",
    (Event.Kind.PROJECT_CHANGED, "kind"): "type of rater",
    (Event.Kind.QUALITY_ALERT, "n"): "counted",
    (Event.Kind.REFERENCE_SET, "n"): "answers",
    (Event.Kind.REPORT_NAMED, "before"): "previous name",
    (Event.Kind.ROUND_CHANGED, "key"): "name",
}


def name_in_words(event: Event, name: str) -> str:
    """final_rule: rule for final labels; n_labels: labels."""
    known = _NAMES_BY_EVENT.get((event.kind, name)) or _NAMES.get(name)
    return known or name.removeprefix("n_").removeprefix("is_").replace("_", " ")


def is_shown(event: Event, name: str, value: Any) -> bool:
    about = (event.kind, name)
    return about not in _NOT_SHOWN and (about not in _SHOWN_IF_CHOSEN or bool(value))


def value_in_words(event: Event, name: str, value: Any) -> Any:
    """dawid_skene: Dawid–Skene; no rounds of an export: all; any other value as it is."""
    if value is None or value in ("", []):
        return _EMPTY.get((event.kind, name), value)
    if isinstance(value, list):
        return [value_in_words(event, name, each) for each in value]
    if isinstance(value, dict) and value.keys() == {"from", "name"}:
        # A threshold, as it is entered.
        return f"{value['from']} {value['name']}"
    return _BY_EVENT.get(event.kind, {}).get(name, {}).get(value, value) if isinstance(value, str) else value
