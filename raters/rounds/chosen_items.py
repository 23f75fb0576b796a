"""The items to plan a round on: those in no round yet, or a choice among all items of the project."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NotRequired, TypedDict

import numpy as np
from django.db.models import QuerySet
from numpy.typing import NDArray

from projects.attributes import in_words
from projects.models import Item, Project, Question, Round
from raters.access import refuse_blind_to, refuse_blind_to_items_of, refuse_blind_to_list
from raters.confidence_scale import percent
from raters.items.queries import items_of
from raters.models import Label, Rater
from raters.rounds.assigning.allocation import IntArray
from raters.rounds.assigning.assignment_design import DesignRefused
from raters.rounds.disputed_items import disputed_items, still_disputed

# The maximum number of unknown IDs named in an error message.
MOST_NAMED = 5


class ItemSource(StrEnum):
    FREE = "free"
    LIST = "list"
    ROUND = "round"
    DISPUTED = "disputed"
    ATTRIBUTE = "attribute"
    WORDS = "words"
    IDS = "ids"
    CONFIDENCE = "confidence"


class LowConfidenceOf(StrEnum):
    """Whose confidence must be low: that of any rater, or of all raters who gave one."""

    ANY = "any"
    ALL = "all"


class StoredItemSource(TypedDict):
    """A choice as stored in JSON with the plan of its round; by name, since IDs are specific to one server."""

    kind: str
    about: str
    again: bool
    stratify_by: NotRequired[str]
    # Absent if the whole content was searched.
    field: NotRequired[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemChoice:
    """Where the items of a round come from.

    about: the name of the list or round, `attribute = value`, the search words, the number of IDs, or a description of
    the confidence. pk: ID of the list, round, or question. at_most, by: the maximum confidence, and whose it is.
    attribute, value: the attribute and its value, as text. ids: item IDs as entered, in order.
    field: the content field to search; "" for the whole item.
    again: whether raters may get items that they have labeled before. stratify_by: the attribute whose values keep
    their shares in a sample; "" for a simple random sample.
    """

    source: ItemSource = ItemSource.FREE
    about: str = ""
    pk: int = 0
    attribute: str = ""
    value: str = ""
    ids: tuple[str, ...] = ()
    again: bool = False
    stratify_by: str = ""
    field: str = ""
    at_most: float = 0.0
    by: LowConfidenceOf = LowConfidenceOf.ANY

    def __post_init__(self) -> None:
        if self.again and self.source is ItemSource.FREE:
            raise DesignRefused(
                "Items in no round yet can’t be labeled again. Choose a list, a round, or another choice of items."
            )

    def as_json(self) -> StoredItemSource:
        stored: StoredItemSource = {
            "kind": self.source.value,
            "about": self.about,
            "again": self.again,
            "stratify_by": self.stratify_by,
        }
        if self.field:
            stored["field"] = self.field
        return stored

    @classmethod
    def of_json(cls, stored: StoredItemSource) -> "ItemChoice":
        """Restore what is stored of a choice. The items themselves are in the assignments of the round."""
        return cls(
            source=ItemSource(stored["kind"]),
            about=stored["about"],
            again=stored["again"],
            stratify_by=stored.get("stratify_by", ""),
            field=stored.get("field", ""),
        )

    @classmethod
    def of_low_confidence(
        cls,
        question: Question,
        at_most: float,
        by: LowConfidenceOf,
        *,
        again: bool = False,
        stratify_by: str = "",
    ) -> "ItemChoice":
        raters = "any rater" if by is LowConfidenceOf.ANY else "all raters"
        return cls(
            source=ItemSource.CONFIDENCE,
            about=f"{question.key}: {percent(at_most)} or less, by {raters}",
            pk=question.pk,
            at_most=at_most,
            by=by,
            again=again,
            stratify_by=stratify_by,
        )

    @property
    def words(self) -> str:
        """Where the items come from, phrased to follow “Items: …”."""
        match self.source:
            case ItemSource.FREE:
                return "in no round before"
            case ItemSource.LIST:
                return f"the list “{self.about}”"
            case ItemSource.ROUND:
                return f"those of {self.about}"
            case ItemSource.DISPUTED:
                return f"in dispute in {self.about}" if self.about else "in dispute"
            case ItemSource.ATTRIBUTE:
                return f"with {self.about}"
            case ItemSource.WORDS:
                return f"that contain “{self.about}”" + (f" in “{self.field}”" if self.field else "")
            case ItemSource.CONFIDENCE:
                return f"labeled with low confidence ({self.about})"
            case _:
                return "given by ID"


FREE = ItemChoice()


def items_chosen(project: Project, choice: ItemChoice, *, by: Any = None) -> IntArray:
    """Return the item IDs, (N,), ascending and without withdrawn items. Raises DesignRefused if there are none.

    Those in dispute in a large project are stored ones; `by` asks for them. Raises FiguresNotComputed, and LabelsHidden
    if the choice would tell `by`, who may be None for the program itself, about labels that are hidden from them.
    """
    refuse_hidden_choice(project, choice, by=by)
    match choice.source:
        case ItemSource.FREE:
            # Items that are in no round.
            found = _present(project).filter(assignments__isnull=True)
        case ItemSource.LIST:
            found = _present(project).filter(list_entries__item_list=choice.pk)
        case ItemSource.ROUND:
            found = _present(project).filter(pk__in=_items_of_round(choice.pk))
        case ItemSource.DISPUTED:
            return _in_dispute(project, choice, by=by)
        case ItemSource.ATTRIBUTE:
            return _with_attribute(project, choice.attribute, choice.value)
        case ItemSource.CONFIDENCE:
            found = _present(project).filter(pk__in=_of_low_confidence(project, choice))
        case ItemSource.WORDS:
            found = items_of(project, choice.about, field=choice.field).filter(withdrawn_at=None)
        case _:
            return _by_id(project, choice.ids)
    ids = np.fromiter(found.order_by("pk").values_list("pk", flat=True).iterator(), dtype=np.int64)
    if not len(ids):
        raise DesignRefused(_none(choice))
    return ids


def refuse_hidden_choice(project: Project, choice: ItemChoice, *, by: Any) -> None:
    """Raises LabelsHidden if which items are chosen, or how many, depends on labels to which `by` is blind."""
    if by is None:
        return
    match choice.source:
        case ItemSource.DISPUTED:
            refuse_blind_to(by, project, [choice.about] if choice.pk else None, about="items in dispute")
        case ItemSource.CONFIDENCE:
            refuse_blind_to(by, project, None, about="items labeled with low confidence")
        case ItemSource.ROUND:
            refuse_blind_to_items_of(by, project, [choice.about])
        case ItemSource.LIST:
            refuse_blind_to_list(by, project, choice.pk)


def _none(choice: ItemChoice) -> str:
    if choice.source is ItemSource.FREE:
        return "There are no unassigned items. Import more items first."
    if choice.source in {ItemSource.DISPUTED, ItemSource.ATTRIBUTE, ItemSource.WORDS, ItemSource.CONFIDENCE}:
        return f"There are no items {choice.words}."
    return f"There are no items to choose from: {choice.words} has none."


def _present(project: Project) -> QuerySet[Item]:
    return Item.objects.filter(project=project, withdrawn_at=None)


def _in_dispute(project: Project, choice: ItemChoice, *, by: Any) -> IntArray:
    found, _ = disputed_items(project, choice.pk or None, by=by)
    withdrawn = Item.objects.filter(project=project, withdrawn_at__isnull=False).values_list("pk", flat=True)
    ids = np.setdiff1d(found, np.fromiter(withdrawn, dtype=np.int64))
    if not len(ids):
        raise DesignRefused(_none(choice))
    return ids


def still_eligible(project: Project, items: IntArray, choice: ItemChoice) -> IntArray:
    """Return the items without those whose disputes have been resolved since they were found. Raises DesignRefused."""
    if choice.source is not ItemSource.DISPUTED:
        return items
    still = still_disputed(project, items, choice.pk or None)
    if not len(still):
        raise DesignRefused(_none(choice))
    return still


def _items_of_round(pk: int) -> list[int]:
    """Return the items planned in the round and those with labels imported into it."""
    round_ = Round.objects.get(pk=pk)
    planned = round_.assignments.order_by().values_list("item", flat=True).distinct()
    return [*planned, *round_.labels.order_by().values_list("item", flat=True).distinct()]


def _of_low_confidence(project: Project, choice: ItemChoice) -> "QuerySet[Label, int]":
    """Return the IDs of items with low confidence from people and models. Labels without one are ignored."""
    stated = Label.objects.filter(
        question=choice.pk,
        question__project=project,
        confidence__isnull=False,
        rater__kind__in=[Rater.Kind.HUMAN, Rater.Kind.MODEL],
    )
    low = stated.filter(confidence__lte=choice.at_most).order_by().values_list("item", flat=True)
    if choice.by is LowConfidenceOf.ANY:
        return low
    return low.difference(
        stated.filter(confidence__gt=choice.at_most).order_by().values_list("item", flat=True)
    )


def _with_attribute(project: Project, name: str, value: str) -> IntArray:
    """Return the items with this attribute value, compared as displayed text: a number equals its text."""
    having = _present(project).filter(attributes__has_key=name).values_list("pk", "attributes")
    ids = [pk for pk, attributes in having.iterator() if in_words(attributes[name]) == value]
    if not ids:
        raise DesignRefused(f"No item has {name} = {value}.")
    return np.sort(np.array(ids, dtype=np.int64))


def _by_id(project: Project, written: Sequence[str]) -> IntArray:
    known = dict(_present(project).filter(key__in=written).values_list("key", "pk"))
    wrong = [f"{key[:60]!r} (line {line})" for line, key in enumerate(written, start=1) if key not in known]
    if wrong:
        more = f", and {len(wrong) - MOST_NAMED:,} more" if len(wrong) > MOST_NAMED else ""
        raise DesignRefused(
            f"These are not IDs of items of this project: {', '.join(wrong[:MOST_NAMED])}{more}. Withdrawn items "
            "can’t be planned."
        )
    return np.unique(np.array([known[key] for key in written], dtype=np.int64))


def sampled(
    project: Project, items: IntArray, number: int, choice: ItemChoice, random: np.random.Generator
) -> IntArray:
    """Return a random sample of the items, (number,), with proportional strata if the choice has them.

    Each stratum gets its share rounded down; the largest remainders get one more, ties going to the first stratum.
    """
    if not choice.stratify_by:
        return np.sort(random.choice(items, number, replace=False))
    strata = by_stratum(project, items, choice.stratify_by)
    sizes = np.array([len(each) for each in strata.values()])
    exact = number * sizes / len(items)
    taken = np.floor(exact).astype(np.int64)
    taken[np.argsort(-(exact - taken), kind="stable")[: number - taken.sum()]] += 1
    drawn = [
        random.choice(each, n, replace=False) for each, n in zip(strata.values(), taken.tolist(), strict=True)
    ]
    return np.sort(np.concatenate(drawn))


def strata_of(project: Project, items: IntArray, sample: IntArray, name: str) -> list[tuple[str, int, int]]:
    """Return each value of the attribute as text, with its counts among the items and in the sample."""
    return [
        (value, len(each), int(np.isin(each, sample).sum()))
        for value, each in by_stratum(project, items, name).items()
    ]


def by_stratum(project: Project, items: IntArray, name: str) -> dict[str, NDArray[np.int64]]:
    """Return the items of each value of the attribute, as text. Raises DesignRefused if no item has the attribute."""
    rows = _present(project).filter(attributes__has_key=name).values_list("pk", "attributes")
    values = {pk: in_words(attributes[name]) for pk, attributes in rows.iterator()}
    if not values:
        raise DesignRefused(f"No item has the attribute {name!r}, so a sample can’t be stratified by it.")
    found: dict[str, list[int]] = {}
    for pk in items.tolist():
        found.setdefault(values.get(pk, ""), []).append(pk)
    return {value: np.array(found[value], dtype=np.int64) for value in sorted(found)}
