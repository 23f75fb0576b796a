"""What people call the details of events, which are stored under the names of fields."""

from typing import Any

from django.db.models import Model

from projects.final_rules import FinalRule
from projects.models import Category, Event, Project, Question, Round
from raters.models import AuditedLabel, Rater

Choices = dict[str, dict[str, str]]


def _choices(*models: type[Model]) -> Choices:
    fields = [field for model in models for field in model._meta.concrete_fields]
    return {field.name: {str(key): str(words) for key, words in field.flatchoices} for field in fields}


# Whose fields the changes are. An event about a project or one of its raters has the same kind; they share no choices.
_OF_QUESTION = _choices(Question, Category)
_BY_EVENT: dict[str, Choices] = {
    Event.Kind.PROJECT_CHANGED: _choices(Project, Rater),
    Event.Kind.CODEBOOK_CHANGED: _OF_QUESTION
    | {"change": {"made": "question added", "deleted": "question deleted", "ordered": "reordered"}},
    Event.Kind.FINAL_RULE_CHANGED: _OF_QUESTION,
    Event.Kind.FINAL_RULE_ESTIMATED: {"rule": dict(FinalRule.choices)},
    Event.Kind.ROUND_CHANGED: _choices(Round),
    Event.Kind.REVEAL_REFUSED: _choices(Round),
    Event.Kind.AUDIT_REVIEWED: {
        "verdict": dict(AuditedLabel.Verdict.choices),
        "severity": dict(AuditedLabel.Severity.choices),
    },
}

_NAMES = {
    "adjudication_reasons": "decision reasons",
    "allows_abstention": "“Cannot tell” allowed",
    "asked_if_categories": "asked only if one of",
    "asked_if_question": "asked only if, question",
    "coefficient": "primary coefficient",
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
    "one_key_saving": "save as soon as an answer is chosen",
    "prompt": "question",
    "reading_scale": "interpretation scale",
    "reference_use": "use of reference items",
    "remind_days": "reminder (days before)",
    "shows_names": "raters see names",
    "shows_own_figures": "raters see their own results",
    "thresholds": "custom thresholds",
    "tolerance": "tolerance for disputes",
}
_NAMES_BY_EVENT: dict[tuple[str, str], str] = {
    (Event.Kind.CODEBOOK_CHANGED, "kind"): "answer type",
    (Event.Kind.PROJECT_CHANGED, "kind"): "type of rater",
    (Event.Kind.ROUND_CHANGED, "key"): "name",
}


def name_in_words(event: Event, name: str) -> str:
    """final_rule: rule for final labels; n_labels: labels."""
    known = _NAMES_BY_EVENT.get((event.kind, name)) or _NAMES.get(name)
    return known or name.removeprefix("n_").removeprefix("is_").replace("_", " ")


def value_in_words(event: Event, name: str, value: Any) -> Any:
    """dawid_skene: Dawid–Skene; any other value as it is."""
    return _BY_EVENT.get(event.kind, {}).get(name, {}).get(value, value) if isinstance(value, str) else value
