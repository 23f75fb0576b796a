"""The labels that an audit is about, as arrays, and the groups that they can be divided into."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import connection, transaction
from django.db.models import QuerySet
from numpy.typing import NDArray

from core.refusals import Refused
from core.shapes import Json
from projects.attributes import in_words
from projects.models import Category, Item, Project, Question, Round
from raters.missing_codes import is_missing
from raters.models import Rater
from raters.models.audits import StoredAuditGroup, StoredPopulation
from raters.passes import ONE_STAGE, RoundStages, superseded

IntArray = NDArray[np.int64]

GIVEN, RATER, ROUND = "given", "rater", "round"
OF_ITEM, OF_RATER = "item:", "rater:"
NO_ROUND = 0
# Shown for labels without a round or an attribute.
NONE = "none"
# The most strata of a sample, and the most groups of an attribute whose sizes are counted.
MOST_GROUPS = 200
# The most divisions that are counted.
MOST_DIVISIONS = 50
# The most items whose attributes are counted.
MOST_DESCRIBED = 200_000

_LABELS = f"""
SELECT DISTINCT ON (l.item_id, l.rater_id)
    l.id, l.item_id, l.rater_id, coalesce(l.batch_id, {NO_ROUND}), coalesce(l.category_id, 0)
FROM raters_label l JOIN raters_rater r ON r.id = l.rater_id
WHERE l.question_id = ANY (%(questions)s) AND r.kind IN ('human', 'model')
    AND NOT l.is_abstention AND NOT {is_missing("l")} AND NOT {superseded("l")}
    AND (%(rounds)s::bigint[] IS NULL OR l.batch_id = ANY (%(rounds)s))
    AND (%(raters)s::bigint[] IS NULL OR l.rater_id = ANY (%(raters)s))
    AND (%(categories)s::bigint[] IS NULL OR l.category_id = ANY (%(categories)s))
ORDER BY l.item_id, l.rater_id, l.pass_number
"""  # noqa: S608


class AuditRefused(Refused):
    """No audit can be drawn like this; the message says why and what to do."""

    code, status_code = "audit_refused", 400


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """The labels of raters, without "cannot tell" and missing ones; of several labels of a rater on an item, the first.

    labels, items, raters, rounds, categories: (L,) IDs, ascending by item and rater; 0 for no round or category.
    """

    question: Question
    labels: IntArray
    items: IntArray
    raters: IntArray
    rounds: IntArray
    categories: IntArray

    def __len__(self) -> int:
        return len(self.labels)


def read_population(question: Question, wanted: StoredPopulation) -> Population:
    """Return the labels of the question that are wanted. Raises AuditRefused for unknown names, and without labels."""
    project = question.project
    params = {
        "questions": [question.pk],
        "rounds": _ids(wanted["rounds"], project.rounds.values_list("key", "pk"), "round"),
        "raters": _raters(project, wanted),
        "categories": _categories(question, wanted),
        # Of labels given again, those that final labels use are audited; of chosen rounds, what was given there.
        **(RoundStages.of(project) if wanted["rounds"] is None else ONE_STAGE).params(),
    }
    row = np.dtype((np.int64, 5))
    with transaction.atomic(), connection.chunked_cursor() as cursor:
        cursor.execute(_LABELS, params)
        found = np.fromiter(cursor, dtype=row)
    if not len(found):
        raise AuditRefused("There are no labels of people or models to audit. Choose other raters or rounds.")
    return Population(question, *np.ascontiguousarray(found.T))


def _ids(keys: Sequence[str] | None, known: Iterable[tuple[str, int]], noun: str) -> list[int] | None:
    if keys is None:
        return None
    ids = dict(known)
    if unknown := [key for key in keys if key not in ids]:
        raise AuditRefused(f"There is no {noun} called “{unknown[0]}”.")
    return [ids[key] for key in keys]


def _categories(question: Question, wanted: StoredPopulation) -> list[int] | None:
    keys = wanted.get("categories") or None
    if keys is not None and question.kind != Question.Kind.SINGLE:
        raise AuditRefused("Only labels of single-choice questions can be limited to some categories.")
    return _ids(keys, question.categories.values_list("key", "pk"), "category")


def _raters(project: Project, wanted: StoredPopulation) -> list[int] | None:
    named = _ids(wanted["raters"], project.raters.values_list("key", "pk"), "rater")
    limit = wanted.get("attribute")
    if not limit:
        return named
    name, value = limit
    found = [
        pk
        for pk, attributes in project.raters.values_list("pk", "attributes")
        if name in attributes and in_words(attributes[name]) == value
    ]
    if not found:
        raise AuditRefused(f"No rater has “{value}” as “{name}”.")
    return found if named is None else [pk for pk in named if pk in found]


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """A division of labels. codes: (L,) the place of each label's value in `values`, which are in a fixed order."""

    by: str
    codes: IntArray
    values: list[str]

    @property
    def sizes(self) -> IntArray:
        return np.bincount(self.codes, minlength=len(self.values))


def grouping(population: Population, by: str) -> Grouping:
    """Return the labels divided by given label, rater, round, or an attribute of items or raters.

    Raises AuditRefused for an unknown division, and for the given label of a question without single choice.
    """
    question = population.question
    if by == GIVEN:
        if question.kind != Question.Kind.SINGLE:
            raise AuditRefused("Only labels of single-choice questions can be divided by the given label.")
        rows = Category.with_merged.filter(question=question).order_by("position", "pk")
        return _by_id(by, population.categories, dict(rows.values_list("pk", "key")))
    if by == RATER:
        rows_of_raters = question.project.raters.order_by("key").values_list("pk", "key")
        return _by_id(by, population.raters, dict(rows_of_raters))
    if by == ROUND:
        rounds = Round.objects.filter(project=question.project_id).order_by("position", "pk")
        return _by_id(by, population.rounds, {**dict(rounds.values_list("pk", "key")), NO_ROUND: NONE})
    if by.startswith(OF_RATER):
        return _by_attribute(
            by, population.raters, _attributes(Rater.objects.filter(project=question.project_id))
        )
    if by.startswith(OF_ITEM):
        return _by_attribute(
            by, population.items, _attributes(Item.objects.filter(project=question.project_id))
        )
    raise AuditRefused(f"Labels can’t be divided by “{by}”.")


def _attributes(rows: QuerySet[Any]) -> Iterator[tuple[int, Json]]:
    return rows.order_by("pk").values_list("pk", "attributes").iterator()


def _by_id(by: str, ids: IntArray, names: Mapping[int, str]) -> Grouping:
    """Values in the order of `names`, without those that no label has."""
    present = set(np.unique(ids).tolist())
    order = [pk for pk in names if pk in present]
    places = {pk: place for place, pk in enumerate(order)}
    unique, inverse = np.unique(ids, return_inverse=True)
    codes = np.array([places[pk] for pk in unique.tolist()], dtype=np.int64)[inverse]
    return Grouping(by, codes, [names[pk] for pk in order])


def _by_attribute(by: str, ids: IntArray, rows: Iterator[tuple[int, Json]]) -> Grouping:
    name = by.partition(":")[2]
    texts = {pk: in_words(attributes[name]) for pk, attributes in rows if name in attributes}
    unique, inverse = np.unique(ids, return_inverse=True)
    found = [texts.get(pk, NONE) for pk in unique.tolist()]
    if not any(pk in texts for pk in unique.tolist()):
        raise AuditRefused(f"No label has the attribute “{name}”.")
    values = sorted(set(found))
    places = {value: place for place, value in enumerate(values)}
    return Grouping(by, np.array([places[text] for text in found], dtype=np.int64)[inverse], values)


def divisions_of(question: Question) -> list[tuple[str, str]]:
    """Return all divisions that exist, each with its name for people."""
    project = question.project
    found = [(GIVEN, "Given label")] if question.kind == Question.Kind.SINGLE else []
    found.append((RATER, "Rater"))
    if project.rounds.exists():
        found.append((ROUND, "Round"))
    for prefix, noun, table in ((OF_RATER, "raters", "raters_rater"), (OF_ITEM, "items", "projects_item")):
        found += [(prefix + name, f"{name} ({noun})") for name in _attributes_in(table, project)]
    return found


def _attributes_in(table: str, project: Project) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT DISTINCT jsonb_object_keys(attributes) FROM {table} "  # noqa: S608
            "WHERE project_id = %s AND attributes <> '{}' ORDER BY 1",
            [project.pk],
        )
        return [name for (name,) in cursor.fetchall()]


def names_by_key(question: Question) -> dict[str, str]:
    """Return the name of each category, and its key where it has none."""
    return {each.key: str(each) for each in Category.with_merged.filter(question=question)}


def counted_groups(population: Population) -> list[StoredAuditGroup]:
    """Return the numbers of labels by each value, for the first divisions with not too many values."""
    found: list[StoredAuditGroup] = []
    n_items = len(np.unique(population.items))
    for by, _ in divisions_of(population.question)[:MOST_DIVISIONS]:
        if by.startswith(OF_ITEM) and n_items > MOST_DESCRIBED:
            continue
        try:
            divided = grouping(population, by)
        except AuditRefused:
            # None of these labels has the attribute.
            continue
        if len(divided.values) <= MOST_GROUPS:
            sizes = divided.sizes.tolist()
            found += [
                {"by": by, "value": value, "n_labels": n}
                for value, n in zip(divided.values, sizes, strict=True)
            ]
    return found


@dataclass(frozen=True, slots=True, eq=False)
class SamplingUnits:
    """What is drawn. of_label: (L,) the unit of each label. strata: (U,) the stratum of each unit."""

    of_label: IntArray
    strata: IntArray
    values: list[str]

    @property
    def sizes(self) -> IntArray:
        """(H,) units in each stratum."""
        return np.bincount(self.strata, minlength=len(self.values))

    @property
    def n_labels(self) -> IntArray:
        """(H,) labels in each stratum."""
        return np.bincount(self.strata[self.of_label], minlength=len(self.values))


def units_of(population: Population, *, by_item: bool, stratify_by: str) -> SamplingUnits:
    """Return the labels, or the items with their labels, divided into strata; "" for a single stratum.

    Raises AuditRefused if an item could be in two strata, or there are more than MOST_GROUPS.
    """
    if by_item:
        _, first, of_label = np.unique(population.items, return_index=True, return_inverse=True)
    else:
        first = of_label = np.arange(len(population))
    if not stratify_by:
        return SamplingUnits(of_label, np.zeros(len(first), dtype=np.int64), ["all"])
    if by_item and not stratify_by.startswith(OF_ITEM):
        raise AuditRefused(
            "Items can only be stratified by an attribute of items. Audit labels, or choose one."
        )
    divided = grouping(population, stratify_by)
    if len(divided.values) > MOST_GROUPS:
        raise AuditRefused(
            f"{len(divided.values):,} strata are too many; at most {MOST_GROUPS} are possible. Choose another division."
        )
    return SamplingUnits(of_label, divided.codes[first], divided.values)


def drawn_units(units: SamplingUnits, drawn: IntArray, seed: int) -> IntArray:
    """Return the drawn units in random order: a simple random sample without replacement of each stratum.

    drawn: (H,) how many of each. The first k of the order are such a sample, too, for every k.
    """
    random = np.random.default_rng(seed)
    chosen = [
        random.choice(np.flatnonzero(units.strata == stratum), n, replace=False)
        for stratum, n in enumerate(drawn.tolist())
        if n
    ]
    return random.permutation(np.concatenate(chosen))
