"""Checks for each column of a project file, as strict as the pages, the API, and file imports."""

from typing import Any, cast

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from core.keys import MAX_KEY
from core.web.strict import CONTROL, texts_in
from projects.attributes import check_attributes
from projects.codebook.codebook_rules import MAX_CATEGORIES, MAX_MISSING, PAGE_KEYS, SHORTCUTS
from projects.media.names import MEDIA, clean_name
from projects.media.refusals import MediaRefused
from projects.models import (
    MAX_ANSWER_TEXT,
    MAX_TEXT,
    Category,
    Item,
    ItemVersion,
    MediaFile,
    Project,
    Question,
    Round,
)
from raters.archive.contents import Model, RowKind
from raters.archive.single_values import (
    BadValue,
    Check,
    any_moment,
    checked_entry,
    choice,
    day,
    digest,
    line,
    moment,
    number,
    or_null,
    probability,
    seconds,
    share,
    text,
    whole,
    yes_no,
)
from raters.models import Label, LabelRevision, ModelConfiguration, Rater
from raters.rounds.chosen_items import ItemSource
from raters.rounds.forms import MAX_IDLE_MINUTES
from raters.rounds.round_plan import RoundPlan, StoredRoundPlan

MAX_FIELDS = 2_000
# The reference items of a plan are stored as `gold`, their original name.
_PLAN = {
    "design", "raters_per_item", "share", "seed", "repeat_share", "is_on_demand", "n_items", "gold",
    "raters", "n_planned", "by", "at",
}  # fmt: skip


def checks_of(kind: RowKind) -> dict[str, Check]:
    """Return a check for each column that holds neither a reference, nor a set of them, nor a former row."""
    others = {*kind.references, *kind.sets, *kind.former}
    return {name: _check_of(kind.model, kind.field_of(name)) for name in kind.columns if name not in others}


def _check_of(model: Model, field: models.Field) -> Check:
    check = _SPECIAL.get((model, str(field.column))) or _by_type(model, field)
    if not field.null:
        return check

    def check_unless_null(value: Any) -> None:
        if value is not None:
            check(value)

    return check_unless_null


def _by_type(model: Model, field: models.Field) -> Check:
    if field.choices:
        return choice(frozenset(value for value, _ in field.flatchoices) | ({""} if field.blank else set()))
    match field:
        case models.BooleanField():
            return yes_no
        case models.IntegerField():
            return whole_within(field)
        case models.FloatField():
            return number
        case models.DateTimeField():
            return moment
        case models.DateField():
            return day
        case models.JSONField():
            return validated(field)
        case models.TextField():
            return text(_LIMITS.get((model, str(field.column))) or field.max_length)
        case models.CharField():
            return line(field.max_length, may_be_empty=field.blank)
    raise NotImplementedError(f"{model.__name__}.{field.name}")


def whole_within(field: models.Field) -> Check:
    low = max(each.limit_value for each in field.validators if isinstance(each, MinValueValidator))
    high = min(each.limit_value for each in field.validators if isinstance(each, MaxValueValidator))
    return whole(low, high)


def answer_text(value: Any) -> None:
    text(MAX_ANSWER_TEXT)(value)
    if not value.strip():
        raise BadValue("must not be empty")


def validated(field: models.Field) -> Check:
    """Check JSON with the validators of its field."""

    def check(value: Any) -> None:
        try:
            field.run_validators(value)
        except ValidationError as error:
            raise BadValue(_rule_of(error)) from None
        check_texts(value)

    return check


def check_texts(value: Any) -> None:
    """Check the characters of every text in a JSON value."""
    for each in texts_in(value):
        _any_line(each)


def project_name(value: Any) -> None:
    line(MAX_KEY)(value)
    if CONTROL.search(value):
        raise BadValue("must not contain control characters, such as line breaks")


def slug(value: Any) -> None:
    line(80)(value)
    try:
        Project._meta.get_field("slug").run_validators(value)
    except ValidationError as error:
        raise BadValue(_rule_of(error)) from None


def _rule_of(error: ValidationError) -> str:
    """Return the messages without a period at their end, since what follows is the value."""
    return " ".join(error.messages).removesuffix(".")


def shortcut(value: Any) -> None:
    if value != "" and (not isinstance(value, str) or value not in SHORTCUTS or value in PAGE_KEYS):
        raise BadValue("must be a digit or a lowercase letter that the labeling page does not use, or empty")


def missing_values(value: Any) -> None:
    if not isinstance(value, list) or len(value) > MAX_MISSING:
        raise BadValue(f"must be a list of at most {MAX_MISSING} numbers")
    for each in value:
        number(each)


def keys(value: Any) -> None:
    if not isinstance(value, list) or len(value) > MAX_CATEGORIES:
        raise BadValue(f"must be a list of at most {MAX_CATEGORIES:,} keys")
    for each in value:
        line(MAX_KEY)(each)


def media_name(value: Any) -> None:
    line(MAX_KEY)(value)
    try:
        is_clean = clean_name(value) == value
    except MediaRefused as refused:
        raise BadValue(str(refused)) from None
    if not is_clean:
        raise BadValue("must be in Unicode normalization form NFC")


def content(value: Any) -> None:
    """Check the fields of an item, as created by an import of items."""
    if not isinstance(value, list) or len(value) > MAX_FIELDS:
        raise BadValue(f"must be a list of at most {MAX_FIELDS:,} fields, each with name, kind, and value")
    for place, part in enumerate(value, start=1):
        try:
            _content_field(part)
        except BadValue as bad:
            raise BadValue(f"field {place}: {bad}") from None


def _content_field(part: Any) -> None:
    if not isinstance(part, dict) or not {"name", "kind", "value"} <= part.keys() <= {
        "name",
        "kind",
        "value",
        "alt",
    }:
        raise BadValue("must have name, kind, and value, optionally alt, and nothing else")
    _content_kind(part["kind"])
    if "alt" in part and part["kind"] not in MEDIA:
        raise BadValue("only images, audio, and video can have alternative text")
    _field_name(part["name"])
    for name in ("value", "alt"):
        _content_text(part.get(name, ""))


def attributes(value: Any) -> None:
    """Check attributes of an item or a rater, as created by the API and label imports."""
    try:
        check_attributes(value)
    except ValueError as error:
        raise BadValue(str(error)) from None


def configuration(value: Any) -> None:
    """Check what a model is asked with: its prompt has line breaks."""
    if not isinstance(value, dict) or value.keys() != _OF_CONFIGURATION.keys():
        raise BadValue(f"must have exactly {', '.join(sorted(_OF_CONFIGURATION))}")
    checked_entry(value, _OF_CONFIGURATION)


def plans(value: Any) -> None:
    """Check the designs of a round, as stored by the rounds page."""
    if not isinstance(value, list):
        raise BadValue("must be a list of plans")
    for place, entry in enumerate(value, start=1):
        try:
            _plan(entry)
        except BadValue as bad:
            raise BadValue(f"plan {place}: {bad}") from None
        except (LookupError, TypeError, ValueError) as error:
            raise BadValue(f"plan {place} cannot be carried out: {error}") from None


def _plan(entry: Any) -> None:
    if not isinstance(entry, dict) or entry.keys() - {"chosen", "n_left_out"} != _PLAN:
        raise BadValue(f"must have exactly {', '.join(sorted(_PLAN))}")
    checked_entry({"n_left_out": 0, **entry}, _OF_PLAN)
    reference_items = entry["gold"]
    if reference_items is not None:
        if not isinstance(reference_items, dict) or reference_items.keys() != {"number", "share"}:
            raise BadValue("gold must have number and share")
        checked_entry(reference_items, _OF_REFERENCE_ITEMS)
    if "chosen" in entry:
        chosen = entry["chosen"]
        if not isinstance(chosen, dict) or chosen.keys() - {"field"} != _OF_CHOICE.keys():
            raise BadValue(f"chosen must have {', '.join(_OF_CHOICE)}")
        checked_entry({"field": "", **chosen}, {**_OF_CHOICE, "field": line(MAX_KEY, may_be_empty=True)})
    RoundPlan.of_json(cast(StoredRoundPlan, entry))


def _keys(value: Any) -> None:
    if not isinstance(value, list):
        raise BadValue("must be a list of names")
    for each in value:
        _any_line(each)


_any_line = line(None, may_be_empty=True)
_content_kind = choice(frozenset(Item.Field.values))
_field_name = line(MAX_KEY)
_content_text = line(MAX_TEXT, may_be_empty=True)
_count = whole(0, 2**31 - 1)
_OF_REFERENCE_ITEMS: dict[str, Check] = {"number": _count, "share": or_null(share)}
_OF_CHOICE: dict[str, Check] = {
    "kind": choice(frozenset(ItemSource)),
    "about": line(MAX_TEXT, may_be_empty=True),
    "again": yes_no,
    "stratify_by": line(MAX_KEY, may_be_empty=True),
}
_OF_PLAN: dict[str, Check] = {
    "design": text(20),
    "raters_per_item": _count,
    "share": share,
    "seed": _count,
    "repeat_share": share,
    "is_on_demand": yes_no,
    "n_items": or_null(_count),
    "raters": _keys,
    "n_planned": _count,
    "n_left_out": _count,
    "by": _any_line,
    "at": moment,
}
_OF_CONFIGURATION: dict[str, Check] = {
    **dict.fromkeys(("endpoint", "model", "answer_format", "instructions", "system", "schema"), text(None)),
    **dict.fromkeys(("questions", "fields_left_out"), _keys),
    "temperature": or_null(number),
    "seed": or_null(whole(-(2**63), 2**63 - 1)),
    "has_guidelines": yes_no,
}
# Columns of the history, with the same maximum lengths as those of labels.
_LIMITS: dict[tuple[Model, str], int] = {
    (LabelRevision, "reason"): MAX_KEY,
    (LabelRevision, "note"): MAX_TEXT,
}
_SPECIAL: dict[tuple[Model, str], Check] = {
    (Project, "name"): project_name,
    (Project, "slug"): slug,
    (Category, "shortcut"): shortcut,
    (Question, "missing_values"): missing_values,
    (Question, "asked_if_categories"): keys,
    (Round, "plans"): plans,
    (Round, "idle_minutes"): whole(1, MAX_IDLE_MINUTES),
    (Item, "content"): content,
    (Item, "attributes"): attributes,
    (ItemVersion, "content"): content,
    (Rater, "attributes"): attributes,
    (ModelConfiguration, "content"): configuration,
    (ModelConfiguration, "digest"): digest,
    (MediaFile, "name"): media_name,
    (MediaFile, "sha256"): digest,
    (MediaFile, "n_bytes"): whole(1, 2**63 - 1),
    (Question, "max_length"): whole(1, MAX_ANSWER_TEXT),
    (Label, "text"): answer_text,
    (LabelRevision, "text"): answer_text,
    (Label, "reason"): text(MAX_KEY),
    (Label, "seconds"): seconds,
    (Label, "confidence"): probability,
    (LabelRevision, "confidence"): probability,
    # Label imports accept any time given in the file.
    (Label, "labelled_at"): any_moment,
}
