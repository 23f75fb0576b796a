"""The labels that a computation uses, as SQL, and the declared positions of their categories."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.lettered import real_ids
from reports.analysis.label_arrays import IdArray
from reports.analysis.question import Kind, QuestionScope

# Up to this range, IDs are looked up in a table rather than by binary search.
MAX_TABLE = 1 << 22


class UndeclaredCategory(ValueError):
    """A label has a category that is not declared."""


# The values of the %(placeholders)s in a statement.
Params = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class LabelSource:
    """Labels of one question.

    relation: SQL that can follow FROM, with the columns item_id, rater_id, category_id, pass_number, batch_id, and
    from_suggestion, and for a scope limited in time labelled_at. params: the values of its %(placeholders)s, none of
    which may be named low, high, rounds, only_raters, only_items, only_since, only_until, or missing, or end in _bits.
    """

    relation: str
    params: Params = field(default_factory=dict)

    def in_rounds(self, round_ids: Sequence[int]) -> "LabelSource":
        relation = f"(SELECT * FROM {self.relation} AS labels WHERE batch_id = ANY (%(rounds)s))"  # noqa: S608
        return LabelSource(relation, {**self.params, "rounds": list(round_ids)})

    def independent(self) -> "LabelSource":
        """Return the labels that were not accepted from a suggestion."""
        relation = f"(SELECT * FROM {self.relation} AS labels WHERE NOT from_suggestion)"  # noqa: S608
        return LabelSource(relation, self.params)

    def in_part(self, scope: QuestionScope) -> "LabelSource":
        """Return the labels in the rounds, raters, items, and time that the scope is limited to; those accepted from a
        suggestion only if the report takes them.
        """
        source = self.in_limits(scope)
        return source if scope.options.suggested else source.independent()

    def in_limits(self, scope: QuestionScope) -> "LabelSource":
        """Return the labels in the rounds, raters, items, and time that the scope is limited to."""
        rounds = scope.counted_rounds
        source = self if rounds is None else self.in_rounds(rounds)
        for name in ("raters", "items"):
            ids = scope.only[name] if scope.only else None
            if ids is not None:
                relation = (
                    f"(SELECT * FROM {source.relation} AS labels"  # noqa: S608
                    f" WHERE {name[:-1]}_id = ANY (%(only_{name})s::bigint[]))"
                )
                found = real_ids(ids) if name == "raters" else ids
                source = LabelSource(relation, {**source.params, f"only_{name}": found})
        if scope.is_of_some_time:
            relation = f"(SELECT * FROM {source.relation} AS labels WHERE {IN_TIME})"  # noqa: S608
            moments = {"only_since": scope.only_since, "only_until": scope.only_until}
            source = LabelSource(relation, {**source.params, **moments})
        return source

    def in_scope(self, scope: QuestionScope) -> "LabelSource":
        """Return the labels in the rounds, raters, items, and time of the scope, without answers treated as missing."""
        source = self.in_part(scope)
        declared = declared_missing(scope)
        if not declared:
            return source
        relation = (
            f"(SELECT * FROM {source.relation} AS labels WHERE ({IS_MISSING[Kind(scope.kind)]}) IS NOT TRUE)"  # noqa: S608
        )
        return LabelSource(relation, {**source.params, "missing": list(declared)})


# Whether a label was made in the time that a scope is limited to.
IN_TIME = """(%(only_since)s::bigint IS NULL
    OR labelled_at >= 'epoch'::timestamptz + %(only_since)s::bigint * interval '1 microsecond')
AND (%(only_until)s::bigint IS NULL
    OR labelled_at < 'epoch'::timestamptz + %(only_until)s::bigint * interval '1 microsecond')"""
# Whether an answer is treated as missing, by the kind of its question. A set is if it contains such a category.
IS_MISSING = {
    Kind.SINGLE: "category_id = ANY (%(missing)s::bigint[])",
    Kind.MULTIPLE: "category_set && %(missing)s::bigint[]",
    Kind.NUMBER: "number = ANY (%(missing)s::float8[])",
}


def declared_missing(scope: QuestionScope) -> dict[int | float, str]:
    """Return the IDs of categories, or the numbers, that are treated as missing, each with its key."""
    if scope.kind == Kind.NUMBER:
        return {value: f"{value:.15g}" for value in scope.missing["values"]}
    return {category["id"]: category["key"] for category in scope.missing["categories"]}


# Adjudicators' decisions are not labels of a rater, so agreement is the same before and after. The rater is looked up
# once per statement, and the index covers the comparison.
OF_RATERS = """rater_id IS DISTINCT FROM (
    SELECT decider.id FROM raters_rater decider JOIN projects_question asked ON asked.project_id = decider.project_id
    WHERE asked.id = %(question)s AND decider.kind = 'consensus'
)"""


def labels_of(question_id: int) -> LabelSource:
    """Return the current labels of a question; an index-only scan of label_of_question can read them."""
    return LabelSource(
        "(SELECT item_id, rater_id, category_id, category_set, number, pass_number, batch_id, from_suggestion,"  # noqa: S608
        " labelled_at"
        f" FROM raters_label WHERE question_id = %(question)s AND {OF_RATERS})",
        {"question": question_id},
    )


class Positions:
    """The declared position of each category, by its ID."""

    def __init__(self, category_ids: Sequence[int]) -> None:
        if len(set(category_ids)) != len(category_ids) or not category_ids:
            raise ValueError(f"declared categories must be one or more, each once, got {list(category_ids)}")
        self._ids = np.array(category_ids, dtype=np.int64)
        self._order = np.argsort(self._ids)
        self._low, self._high = int(self._ids.min()), int(self._ids.max())
        self._table: NDArray[np.int32] | None = None
        if self._high - self._low < MAX_TABLE:
            self._table = np.full(self._high - self._low + 1, -1, dtype=np.int32)
            self._table[self._ids - self._low] = np.arange(len(self._ids))

    def of(self, categories: IdArray) -> NDArray[np.integer]:
        """Return the positions of categories. Raises UndeclaredCategory if one is not declared."""
        if not len(categories):
            return categories
        if categories.min() < self._low or categories.max() > self._high:
            raise UndeclaredCategory(f"category {categories.max()} or {categories.min()} is not declared")
        if self._table is not None:
            positions: NDArray[np.integer] = self._table[categories - self._low]
            is_declared = positions >= 0
        else:
            positions = self._order[np.searchsorted(self._ids, categories, sorter=self._order)]
            is_declared = self._ids[positions] == categories
        if not is_declared.all():
            raise UndeclaredCategory(f"category {categories[~is_declared][0]} is not declared")
        return positions


def arrays_digest(*arrays: NDArray[Any]) -> str:
    """Return the SHA-256 digest of arrays in hexadecimal: of their shapes and their little-endian contents."""
    sha256 = hashlib.sha256()
    for array in arrays:
        sha256.update(np.asarray(array.shape, dtype="<i8").tobytes())
        sha256.update(np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"))).tobytes())
    return sha256.hexdigest()
