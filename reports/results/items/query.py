"""Selection of items by a query string."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlencode

from django.http import Http404, QueryDict

from reports.analysis.question import CategoryJson
from reports.analysis.results import Json

# The parameter of each field, in the order in which they are written.
PARAMETERS = {
    "has": "has",
    "row": "row",
    "column": "column",
    "row_lacks": "row_lacks",
    "column_lacks": "column_lacks",
    "window": "window",
    "rater": "rater",
    "label": "label",
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
    "decided": "decided",
    "model": "model",
    "alpha": "alpha",
    "delta": "delta",
    "against": "against",
    "drawn": "drawn",
    "words": "q",
}
SEVERAL = ("has", "one_of")
LONGEST_WORDS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemQuery:
    """The items behind a number, as selected by a query string; None for parameters that are not given.

    among: which of the items, such as those in dispute. words: text in their names or contents.
    For all raters: has: categories that any rater chose. rater, label: who has a label, and which. abstains: who could
    not tell. one_of: two raters of whom only one has a label. most: the category that most raters chose. round,
    guidelines: only labels in this round, or under this version, count; "" for none. since, until: the time of the
    latest label. also, without: another list that includes the items, or does not. raters: IDs of those whose labels
    count. estimated, unlike: by the Dawid–Skene estimate. attribute, value: of the items, as stored with the report.
    decided: "yes" for items that a model may decide alone, "no" for those left to people; model, alpha, delta, against,
    drawn: as on the page about this.
    For two raters, or one rater and the others: row, column: the category of the first answer, and of the second.
    For one rater: row_lacks, column_lacks: a category that the answer is not, or does not include. window: of time.
    repeat: items that were labeled twice.
    """

    has: tuple[str, ...] = ()
    row: str | None = None
    column: str | None = None
    row_lacks: str | None = None
    column_lacks: str | None = None
    window: str | None = None
    rater: str | None = None
    label: str | None = None
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
    decided: str | None = None
    model: str | None = None
    alpha: str | None = None
    delta: str | None = None
    against: str | None = None
    drawn: str | None = None
    words: str | None = None

    @classmethod
    def parsed(cls, address: QueryDict) -> "ItemQuery":
        found: Json = {
            field: tuple(address.getlist(name)) if field in SEVERAL else address.get(name)
            for field, name in PARAMETERS.items()
        }
        return cls(**found)

    @property
    def searched(self) -> str:
        return (self.words or "").strip()[:LONGEST_WORDS]

    @property
    def is_of_a_part(self) -> bool:
        """Whether the query is for labels of one round, of one version of the guidelines, or of a period."""
        return any(part is not None for part in (self.round, self.guidelines, self.since, self.until))

    def __str__(self) -> str:
        """The query string including its question mark; "" for all items."""
        asked = {name: getattr(self, field) for field, name in PARAMETERS.items()}
        chosen = {name: value for name, value in asked.items() if value is not None and value != ()}
        return f"?{urlencode(chosen, doseq=True)}" if chosen else ""


ALL_ITEMS = ItemQuery()
IN_DISPUTE, IN_AGREEMENT, COMPARED = (
    ItemQuery(among=which) for which in ("dispute", "agreement", "compared")
)

T = TypeVar("T")


def known(found: Mapping[str, T], key: str, thing: str) -> T:
    """Return the value of a key from a URL. Raises Http404 if the report does not have it."""
    if key not in found:
        raise Http404(f"The report has no such {thing}.")
    return found[key]


def category_of(categories: Sequence[CategoryJson], key: str) -> tuple[int, str]:
    """Return the position and the name of the category with this key."""
    places = {each["key"]: (place, each["name"] or each["key"]) for place, each in enumerate(categories)}
    return known(places, key, "category")
