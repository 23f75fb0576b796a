"""Filters of a question's labels: as a query string, in words, and as the labels they keep."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from functools import reduce
from urllib.parse import urlencode

import numpy as np
from django.http import Http404, QueryDict

from core.keys import MAX_KEY
from core.templatetags.shown import count
from raters.items.queries import items_of
from reports.analysis.label_arrays import IdArray
from reports.analysis.options import RaterKind
from reports.analysis.question import FilterJson
from reports.results.items.query import ItemQuery
from reports.results.items.question_items import items_of_question
from reports.sources.attribute_members import stored_attributes, stored_groups
from reports.sources.filtered import LabelCriteria
from reports.store.sides import round_ids
from reports.store.stored_result import StoredResult

ITEM, RATER = "item", "rater"
# With more items, a limited report would store more IDs than labels.
MOST_SAVED = 100_000
MICROSECONDS = 1_000_000
DAY = 24 * 3600 * MICROSECONDS
LONGEST = 2_000
MOST_WORDS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelFilter:
    """Whose labels are kept, on which items; () or "" for all.

    raters: keys. kinds: of raters. rater_attribute, item_attribute: "name=value". items: the query string of a list of
    items of this question, including its question mark. words: text that items contain, in the content field `field` or
    anywhere. round: its key. since, until: days, both included.
    """

    raters: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    rater_attribute: str = ""
    item_attribute: str = ""
    items: str = ""
    words: str = ""
    field: str = ""
    round: str = ""
    since: date | None = None
    until: date | None = None

    @classmethod
    def parsed(cls, address: QueryDict) -> "LabelFilter":
        """Parse a query string. Raises Http404 for an invalid day."""
        return cls(
            # Text fields may be empty.
            raters=tuple(key for text in address.getlist("raters") if (key := text.strip())),
            kinds=tuple(kind for kind in address.getlist("kind") if kind in set(map(str, RaterKind))),
            rater_attribute=address.get("rater_attribute", ""),
            item_attribute=address.get("item_attribute", ""),
            items=address.get("items", "")[:LONGEST],
            words=address.get("words", "").replace("\0", "").strip()[:MOST_WORDS],
            field=address.get("field", "").replace("\0", "").strip()[:MAX_KEY],
            round=address.get("round", ""),
            since=_day(address.get("since", "")),
            until=_day(address.get("until", "")),
        )

    @property
    def is_empty(self) -> bool:
        # A field without words excludes nothing.
        return replace(self, field="") == EVERYTHING

    def __str__(self) -> str:
        """The query string including its question mark; "" for all labels."""
        asked = {
            "raters": self.raters,
            "kind": self.kinds,
            "rater_attribute": self.rater_attribute,
            "item_attribute": self.item_attribute,
            "items": self.items,
            "words": self.words,
            "field": self.words and self.field,
            "round": self.round,
            "since": self.since and self.since.isoformat(),
            "until": self.until and self.until.isoformat(),
        }
        chosen = {name: value for name, value in asked.items() if value}
        return f"?{urlencode(chosen, doseq=True)}" if chosen else ""


EVERYTHING = LabelFilter()


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise Http404("There is no such day.") from None


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a filter keeps of a report's labels, and each of its parts in words."""

    keep: LabelCriteria
    words: tuple[str, ...]

    @property
    def sentence(self) -> str:
        return "; ".join(self.words)


class UnknownRater(Http404):
    """A rater who is not in the report, or was misspelled."""


def resolved(result: StoredResult, label_filter: LabelFilter) -> Resolved:
    """Resolve a filter. Raises Http404 for anything the report does not have."""
    raters, items = _raters(result, label_filter), _items(result, label_filter)
    keep, words = LabelCriteria(), [each for _, each in (*raters, *items)]
    if raters:
        keep = replace(keep, raters=_common([ids for ids, _ in raters]))
    if items:
        keep = replace(keep, items=_common([ids for ids, _ in items]))
    if label_filter.round:
        rounds = round_ids(result.row)
        if label_filter.round not in rounds:
            raise Http404("The report has no such round.")
        keep = replace(keep, round=rounds[label_filter.round])
        words.append(f"round “{label_filter.round}”")
    if label_filter.since:
        keep = replace(keep, since=_moment(label_filter.since))
        words.append(f"labeled from {label_filter.since.isoformat()} on")
    if label_filter.until:
        keep = replace(keep, until=_moment(label_filter.until) + DAY)
        words.append(f"labeled until {label_filter.until.isoformat()}")
    return Resolved(keep, tuple(words))


def _moment(day: date) -> int:
    return int(datetime.combine(day, time(), tzinfo=UTC).timestamp()) * MICROSECONDS


Part = tuple[IdArray, str]


def _common(parts: Sequence[IdArray]) -> IdArray:
    return reduce(np.intersect1d, parts)


def _raters(result: StoredResult, label_filter: LabelFilter) -> list[Part]:
    found: list[Part] = []
    if label_filter.raters:
        ids = {rater.key: rater.id for rater in result.raters}
        if unknown := set(label_filter.raters) - set(ids):
            raise UnknownRater(f"The report has no rater “{min(unknown)}”.")
        keys = sorted(set(label_filter.raters))
        words = f"raters {', '.join(keys)}" if len(keys) <= FEW_NAMED else f"{count(len(keys))} chosen raters"
        found.append((np.array([ids[key] for key in keys], dtype=np.int64), words))
    if label_filter.kinds:
        ids_of_kind = [rater.id for rater in result.raters if rater.kind in label_filter.kinds]
        found.append(
            (
                np.array(ids_of_kind, dtype=np.int64),
                " and ".join(RaterKind(kind).many for kind in label_filter.kinds),
            )
        )
    if label_filter.rater_attribute:
        found.append(_group(result, RATER, label_filter.rater_attribute))
    return found


# More raters are counted rather than named.
FEW_NAMED = 6


def _items(result: StoredResult, label_filter: LabelFilter) -> list[Part]:
    found: list[Part] = []
    if label_filter.item_attribute:
        found.append(_group(result, ITEM, label_filter.item_attribute))
    if label_filter.items:
        query = ItemQuery.parsed(QueryDict(label_filter.items.removeprefix("?")))
        listed = items_of_question(query, result)
        ids = listed.ids().astype(np.int64)
        title = listed.title[:1].lower() + listed.title[1:]
        found.append((ids, f"{count(len(ids))} item{'' if len(ids) == 1 else 's'} of the list “{title}”"))
    if label_filter.words:
        those = items_of(result.report.project, label_filter.words, field=label_filter.field).values_list(
            "pk", flat=True
        )
        where = f" in “{label_filter.field}”" if label_filter.field else ""
        found.append(
            (np.sort(np.array(those, dtype=np.int64)), f"items that contain “{label_filter.words}”{where}")
        )
    return found


def _group(result: StoredResult, unit: str, asked: str) -> Part:
    name, _, value = asked.partition("=")
    groups = stored_groups(result.report, unit, name)
    found = next((group for group in groups if group.value == value), None)
    if found is None:
        raise Http404(f"The report has no {unit} whose {name} is {value}.")
    return found.ids, f"{unit}s whose {name} is {value}"


def attribute_choices(result: StoredResult, unit: str) -> list[tuple[str, str]]:
    """Return each value of each attribute, in its query-string form and in words."""
    return [
        (f"{each.name}={group.value}", f"{each.name}: {group.value}")
        for each in stored_attributes(result.report)
        if each.unit == unit and not each.has_too_many
        for group in stored_groups(result.report, unit, each.name)
    ]


def filter_limits(found: Resolved) -> FilterJson:
    """Return the limits of a report computed for a filter; its round is requested separately."""
    keep = found.keep
    only = FilterJson(
        raters=None if keep.raters is None else keep.raters.tolist(),
        items=None if keep.items is None else keep.items.tolist(),
        words=found.sentence,
    )
    if keep.has_moments:
        only["since"], only["until"] = keep.since, keep.until
    return only
