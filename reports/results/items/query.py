"""Which items an address asks for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlencode

from django.http import Http404, QueryDict

from reports.analysis.question import CategoryRead

# What each field is called in an address, in the order in which they are written.
PARAMETERS = {
    "has": "has",
    "row": "row",
    "column": "column",
    "row_lacks": "row_lacks",
    "column_lacks": "column_lacks",
    "window": "window",
    "rater": "rater",
    "says": "says",
    "abstains": "abstains",
    "one_of": "one_of",
    "most": "most",
    "among": "in",
    "repeat": "repeat",
    "round": "round",
    "guidelines": "guidelines",
    "since": "from",
    "until": "to",
    "also": "also",
    "without": "without",
    "raters": "raters",
    "estimated": "estimated",
    "unlike": "unlike",
    "attribute": "attribute",
    "value": "value",
    "words": "q",
}
SEVERAL = ("has", "one_of")
LONGEST_WORDS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemQuery:
    """The items behind a number, as an address names them; None for what it says nothing of.

    among: which of the items, such as those in dispute. words: what their names or texts contain.
    Of all raters: has: categories that somebody chose. rater, says: who has a label, and which. abstains: who could not
    tell. one_of: two raters of whom only one has a label. most: the category that most raters chose. round, guidelines:
    only labels made in it, or under this version, count; "" for none. since, until: when the last label was made.
    also, without: another list that has the items too, or has not. raters: whose labels count, by their ids.
    estimated, unlike: by the estimate of Dawid and Skene. attribute, value: of the items, as the report kept them.
    Of two raters, or of one rater and the others: row, column: the category of the first answer, and of the second.
    Of one rater: row_lacks, column_lacks: a category that the answer is not, or does not hold. window: of time. repeat:
    items that were labeled twice.
    """

    has: tuple[str, ...] = ()
    row: str | None = None
    column: str | None = None
    row_lacks: str | None = None
    column_lacks: str | None = None
    window: str | None = None
    rater: str | None = None
    says: str | None = None
    abstains: str | None = None
    one_of: tuple[str, ...] = ()
    most: str | None = None
    among: str | None = None
    repeat: str | None = None
    round: str | None = None
    guidelines: str | None = None
    since: str | None = None
    until: str | None = None
    also: str | None = None
    without: str | None = None
    raters: str | None = None
    estimated: str | None = None
    unlike: str | None = None
    attribute: str | None = None
    value: str | None = None
    words: str | None = None

    @classmethod
    def parsed(cls, address: QueryDict) -> "ItemQuery":
        found: dict[str, Any] = {
            field: tuple(address.getlist(name)) if field in SEVERAL else address.get(name)
            for field, name in PARAMETERS.items()
        }
        return cls(**found)

    @property
    def searched(self) -> str:
        return (self.words or "").strip()[:LONGEST_WORDS]

    @property
    def is_of_a_part(self) -> bool:
        """Whether it asks for labels of one round, of one version of the guidelines, or of some time."""
        return any(part is not None for part in (self.round, self.guidelines, self.since, self.until))

    def __str__(self) -> str:
        """As it stands in an address, with its question mark; "" for all items."""
        asked = {name: getattr(self, field) for field, name in PARAMETERS.items()}
        said = {name: value for name, value in asked.items() if value is not None and value != ()}
        return f"?{urlencode(said, doseq=True)}" if said else ""


ALL_ITEMS = ItemQuery()
IN_DISPUTE, IN_AGREEMENT, COMPARED = (
    ItemQuery(among=which) for which in ("dispute", "agreement", "compared")
)

T = TypeVar("T")


def known(found: Mapping[str, T], key: str, thing: str) -> T:
    """What an address names. Raises Http404 for what the report does not have."""
    if key not in found:
        raise Http404(f"The report has no such {thing}.")
    return found[key]


def category_of(categories: Sequence[CategoryRead], key: str) -> tuple[int, str]:
    """The place and the name of a category that an address names by its key."""
    places = {each["key"]: (place, each["name"] or each["key"]) for place, each in enumerate(categories)}
    return known(places, key, "category")
