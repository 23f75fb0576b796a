"""The history of an item in words: who labeled or changed what, when, and from where, including withdrawn labels."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Case, QuerySet, Value, When

from projects.codebook.former import keys_of
from projects.models import Category, Item, Round
from raters.confidence_scale import in_words
from raters.items.item_letters import HIDDEN
from raters.models import LabelImport, LabelRevision, Rater, User
from raters.passes import NO_RATERS

NOTHING = ""
# Deleted when the import that created them was undone; their name went with them.
FORMER_RATER = "former rater"


@dataclass(frozen=True, slots=True)
class LabelChange:
    """One revision. old, new: in words, empty for no label. by: the person, empty if nobody was signed in.

    at: None if the time could reveal a rater whose name is hidden.
    """

    at: datetime | None
    by: str
    way_in: str
    change: str
    question: str
    rater: str
    rater_kind: str
    pass_number: int
    revision: int
    old: str
    new: str
    old_reason: str
    reason: str
    old_note: str
    note: str
    guidelines_version: int | None
    old_confidence: float | None = None
    confidence: float | None = None
    from_suggestion: bool = False
    # The name of its round; "" for none.
    round: str = ""

    @property
    def old_sure(self) -> str:
        return in_words(self.old_confidence)

    @property
    def sure(self) -> str:
        return in_words(self.confidence)


def revisions_of(item: Item, hidden: Mapping[int, str] | None = None) -> QuerySet[LabelRevision]:
    """Return revisions, newest first. Ordering by ID alone could make the database scan the whole history.

    hidden: the names to use for raters by ID; if given, revisions are ordered by them first, because who labeled before
    others, or after a decision, could reveal a rater as times do.
    """
    revisions = LabelRevision.objects.filter(item_id=item.pk)
    if not hidden:
        return revisions.order_by("-at", "-id")
    # Rater Z comes before Rater AA.
    by_name = sorted(hidden, key=lambda pk: (len(hidden[pk]), hidden[pk]))
    places = (When(rater_id=pk, then=Value(place)) for place, pk in enumerate(by_name))
    return revisions.order_by(Case(*places, default=Value(len(by_name))), "-at", "-id")


@dataclass(slots=True)
class Names:
    """The names for the IDs in some revisions, with one lookup per kind."""

    questions: Mapping[int, str]
    raters: Mapping[int, Rater]
    categories: Mapping[int, str]
    users: Mapping[int, str]
    # None while names are hidden: files are often named after their rater.
    imports: Mapping[int, str] | None
    rounds: Mapping[int, str]
    hidden: Mapping[int, str] | None = None

    def rater(self, pk: int) -> str:
        if self.hidden is not None:
            return self.hidden.get(pk, HIDDEN)
        known = self.raters.get(pk)
        return known.key if known else FORMER_RATER

    def kind(self, rater: Rater | None) -> str:
        """Return the rater's type; while names are hidden, not whether it is a person or a model."""
        return (
            "" if rater is None or (self.hidden is not None and rater.kind not in NO_RATERS) else rater.kind
        )

    def person(self, revision: LabelRevision) -> str:
        """Return who made the change; if names are hidden, only for adjudicators' decisions."""
        if self._is_open(revision):
            return _user(revision.user_id, self)
        return HIDDEN if revision.user_id is not None else ""

    def moment(self, revision: LabelRevision) -> datetime | None:
        """Return when the change was made; if names are hidden, only for adjudicators' decisions.

        A time would reveal the rater to anyone who knows when a colleague was at work.
        """
        return revision.at if self._is_open(revision) else None

    def _is_open(self, revision: LabelRevision) -> bool:
        rater = self.raters.get(revision.rater_id)
        return self.hidden is None or (rater is not None and rater.kind == Rater.Kind.CONSENSUS)


def changes(revisions: Sequence[LabelRevision], hidden: Mapping[int, str] | None = None) -> list[LabelChange]:
    """Return the changes. hidden: the names to use for raters by ID, if their own and those of files are hidden."""
    names = _names(revisions)
    if hidden is not None:
        names.hidden, names.imports = hidden, None
    return [_change(revision, names) for revision in revisions]


def _names(revisions: Sequence[LabelRevision]) -> Names:
    users = User.objects.in_bulk({each.user_id for each in revisions if each.user_id is not None})
    imports = LabelImport.objects.in_bulk({pk for each in revisions if (pk := import_of(each.source))})
    return Names(
        questions=keys_of({each.question_id for each in revisions}),
        raters=Rater.objects.in_bulk({each.rater_id for each in revisions}),
        categories=_categories(revisions),
        users={pk: str(user) for pk, user in users.items()},
        imports={pk: run.file_name for pk, run in imports.items()},
        rounds={pk: round_.key for pk, round_ in _rounds(revisions).items()},
    )


def _rounds(revisions: Sequence[LabelRevision]) -> dict[int, Round]:
    return Round.objects.in_bulk({each.round_id for each in revisions if each.round_id is not None})


def _categories(revisions: Sequence[LabelRevision]) -> dict[int, str]:
    """Return the names of the categories, marking those that have been merged since."""
    ids: set[int] = set()
    for each in revisions:
        old = each.old_value or {}
        ids |= {each.category_id or 0, old.get("category_id") or 0}
        ids |= {*(each.category_set or ()), *(old.get("category_set") or ())}
    found = Category.with_merged.select_related("merged_into").filter(pk__in=ids)
    return {
        category.pk: f"{category} (now {category.merged_into})" if category.merged_into else str(category)
        for category in found
    }


def _change(revision: LabelRevision, names: Names) -> LabelChange:
    old = revision.old_value
    is_withdrawn = revision.change == LabelRevision.Change.WITHDRAWN
    rater = names.raters.get(revision.rater_id)
    return LabelChange(
        at=names.moment(revision),
        by=names.person(revision),
        way_in=source_in_words(revision.source, names.imports),
        change=revision.get_change_display(),
        question=names.questions.get(revision.question_id, f"question {revision.question_id}"),
        rater=names.rater(revision.rater_id),
        rater_kind=names.kind(rater),
        pass_number=revision.pass_number,
        revision=revision.revision,
        old=_words(old, names) if old else NOTHING,
        new=NOTHING if is_withdrawn else _words(_columns_of(revision), names),
        old_reason=(old or {}).get("reason", ""),
        reason=revision.reason,
        old_note=(old or {}).get("note", ""),
        note=revision.note,
        guidelines_version=revision.guidelines_version,
        # Missing in rows from before confidences existed.
        old_confidence=(old or {}).get("confidence"),
        confidence=revision.confidence,
        from_suggestion=revision.from_suggestion,
        round=names.rounds.get(revision.round_id or 0, ""),
    )


def _columns_of(revision: LabelRevision) -> dict[str, object]:
    return {
        "category_id": revision.category_id,
        "category_set": revision.category_set,
        "number": revision.number,
        "text": revision.text,
        "is_abstention": revision.is_abstention,
    }


def _words(columns: Mapping[str, Any], names: Names) -> str:
    if columns["is_abstention"]:
        return "cannot tell"
    if columns["category_id"] is not None:
        return _category(columns["category_id"], names)
    if columns["category_set"] is not None:
        return ", ".join(_category(pk, names) for pk in columns["category_set"]) or "none of these"
    # Changes from before free text existed have none.
    if columns.get("text") is not None:
        return str(columns["text"])
    return f"{columns['number']:.12g}"


def _category(pk: int, names: Names) -> str:
    return names.categories.get(pk, f"category {pk}")


def _user(pk: int | None, names: Names) -> str:
    return "" if pk is None else names.users.get(pk, f"account {pk}")


_IMPORT = re.compile(r"import (\d{1,18})")
# As written by `raters.labeling`, `raters.merging.actions`, and `raters.adjudication`.
_SOURCES = {"page": "labeling page", "api": "API"}


def import_of(source: str) -> int | None:
    """Return the import that a revision came from, directly or by its undoing."""
    found = _IMPORT.fullmatch(source.removeprefix("undo of "))
    return int(found[1]) if found else None


def source_in_words(source: str, imports: Mapping[int, str] | None) -> str:
    """Return, for example, "labeling page, undo" for "page, undo"; unknown sources unchanged.

    imports: their file names; None if these must not be shown.
    """
    if source.startswith("undo of "):
        return f"undo of {source_in_words(source.removeprefix('undo of '), imports)}"
    if (pk := import_of(source)) is not None:
        return "import" if imports is None else f"import of {imports.get(pk, f'file {pk}')}"
    if source.startswith("sql by "):
        return f"database, by user {source.removeprefix('sql by ')}"
    if source.startswith(("merge by ", "decision by ")):
        what, _, where = source.partition(" by ")
        words = {"merge": "category merged", "decision": "adjudication"}[what]
        return words + (
            ", API" + where.removeprefix("api") if where.startswith("api") else where.removeprefix("page")
        )
    head, comma, rest = source.partition(",")
    return _SOURCES.get(head, head) + comma + rest
