"""Items in dispute, most disputed first, counted by the database in one query."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypedDict

from django.db import connection, transaction
from django.db.models import QuerySet

from projects.models import Item, Project, Question, Round
from raters.adjudication.conditional_questions import (
    NONE_KNOWN,
    UnaskedQuestions,
    codebook_of,
    is_asked_params,
    links_of,
)
from raters.adjudication.dispute_queries import ANY, BOTH, ITEMS, TOTAL, TOTAL_OF_CHOICES, TOTAL_OF_ONCE
from raters.adjudication.exporting import plan_for_all_rows
from raters.adjudication.rule_conditions import questions_unasked_by_rule
from raters.adjudication.uncertain_finals import NONE_LEFT, UncertainFinals, left_open
from raters.figures.stored_figures import NOW
from raters.items.queries import excerpt
from raters.models import Label, Rater
from raters.passes import ONE_STAGE, RoundStages

# Items read at once.
AT_ONCE = 20_000
# Query parameters.
Asked = dict[str, Any]


@dataclass(frozen=True, slots=True)
class DisputeFilter:
    """A filter for disputes; None matches any. hidden: rounds whose items the viewer may not see. list: an item list.
    items: only these items.

    includes_waiting: include items whose planned labels are not all in.
    """

    question: int | None = None
    round: int | None = None
    list: int | None = None
    hidden: tuple[int, ...] = ()
    includes_waiting: bool = False
    items: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class DisputeCount:
    n: int
    n_decided: int

    @property
    def n_open(self) -> int:
        return self.n - self.n_decided


@dataclass(frozen=True, slots=True)
class UndecidedCounts:
    """n: undecided disputes, each on one item and question. n_items: the number of items involved."""

    n: int
    n_items: int


@dataclass(frozen=True, slots=True)
class Dispute:
    """An item and question with different answers by raters. entropy: entropy of the labels, in bits."""

    item: int
    question: int
    n_labels: int
    n_most: int
    n_values: int
    entropy: float


@dataclass(frozen=True, slots=True)
class DisputeRow:
    dispute: Dispute
    item: Item
    question: Question
    excerpt: str


class OpenDisputes:
    """Undecided disputes for a paginator, with a length and slices. One query counts them and reads the first page."""

    # Those that a large project stores have a moment, and an end (see `stored_disputes`).
    counted = NOW

    def __init__(self, project: Project, wanted: DisputeFilter, *, first: int = 50) -> None:
        self._project, self._wanted, self._first = project, wanted, first

    @property
    def n_waiting(self) -> int:
        """The number of disputes not offered yet because planned labels are not all in."""
        # Only open rounds can have labels still to come.
        is_open = self._project.rounds.filter(state=Round.State.OPEN).exists()
        return n_waiting(self._project, self._wanted) if is_open else 0

    @cached_property
    def _read(self) -> tuple[dict[int, DisputeCount], list[Dispute]]:
        return read(self._project, self._wanted, limit=self._first)

    @property
    def counts(self) -> dict[int, DisputeCount]:
        """Counts by question, including decided disputes."""
        return self._read[0]

    @property
    def total(self) -> DisputeCount:
        counts = self.counts.values()
        return DisputeCount(sum(each.n for each in counts), sum(each.n_decided for each in counts))

    @property
    def n_listed(self) -> int | None:
        """How many are listed if there are more; None if all are."""
        return None

    @property
    def firsts(self) -> list[Dispute]:
        return self._read[1][: self._first]

    def __len__(self) -> int:
        return self.total.n_open

    def __getitem__(self, page: slice) -> list[DisputeRow]:
        if page.stop <= self._first:
            return rows(self._read[1][page])
        _, found = read(self._project, self._wanted, limit=page.stop - page.start, offset=page.start)
        return rows(found)


class QuestionDisputeCounts(TypedDict):
    """Part of a row of `BOTH`: the number of disputes for a question."""

    question_id: int
    n: int
    n_decided: int


class DisputeColumns(TypedDict):
    """Part of a row of `BOTH`: an item in dispute."""

    item_id: int
    question_id: int
    n_labels: int
    n_most: int
    n_values: int
    entropy: float


def read(
    project: Project, wanted: DisputeFilter, *, limit: int, offset: int = 0
) -> tuple[dict[int, DisputeCount], list[Dispute]]:
    """Return the number of disputes by question, and up to `limit` open ones, most disputed first."""
    [cells] = rows_of(BOTH, params_of(project, wanted), limit=limit, offset=offset)
    counted: list[QuestionDisputeCounts]
    listed: list[DisputeColumns]
    counted, listed = (_json(cell) for cell in cells)
    counts = {each["question_id"]: DisputeCount(each["n"], each["n_decided"]) for each in counted}
    return counts, [_dispute(row) for row in listed]


def undecided(params: Asked, *, has_repeats: bool = True, is_of_choices: bool = False) -> UndecidedCounts:
    """Count undecided disputes, for pages that show only the number.

    has_repeats: whether any label may be of a later pass. is_of_choices: whether all questions are single choice.
    """
    once = TOTAL_OF_CHOICES if is_of_choices else TOTAL_OF_ONCE
    [(n, n_items)] = rows_of(TOTAL if has_repeats else once, params)
    return UndecidedCounts(n, n_items)


def n_waiting(project: Project, wanted: DisputeFilter) -> int:
    """Return the number of undecided disputes not offered yet because planned labels are not all in."""
    asked = params_of(project, replace(wanted, includes_waiting=True))
    with_waiting, offered = undecided(asked), undecided(params_of(project, wanted))
    return with_waiting.n - offered.n


def has_undecided(project: Project, wanted: DisputeFilter) -> bool:
    """Return whether any undecided dispute is offered."""
    [(found,)] = rows_of(ANY, params_of(project, wanted))
    return bool(found)


def undecided_items(project: Project, wanted: DisputeFilter) -> list[int]:
    return list(each_undecided_item(project, wanted))


def each_undecided_item(project: Project, wanted: DisputeFilter) -> Iterator[int]:
    """Yield the same, in no order, without keeping all of them in memory."""
    with transaction.atomic(), connection.chunked_cursor() as cursor:
        plan_for_all_rows()
        cursor.execute(ITEMS, params_of(project, wanted))
        while rows := cursor.fetchmany(AT_ONCE):
            yield from (pk for (pk,) in rows)


def dispute_params(
    wanted: DisputeFilter,
    *,
    questions: Sequence[Question],
    raters: Iterable[Rater],
    stages: RoundStages,
    open_places: UncertainFinals = NONE_LEFT,
    unasked: UnaskedQuestions = NONE_KNOWN,
) -> Asked:
    """Return the query parameters. questions: the project's questions, with categories if any is conditional.
    raters: at least the consensus and the references. open_places: `left_open` for the filtered round. unasked:
    `questions_unasked_by_rule`.
    """
    consensus, references = (
        [rater.pk for rater in raters if rater.kind == kind]
        for kind in (Rater.Kind.CONSENSUS, Rater.Kind.REFERENCE)
    )
    return {
        "questions": [
            each.pk for each in questions if each.is_compared and wanted.question in {None, each.pk}
        ],
        # Their labels are not votes.
        "no_voters": consensus + references,
        "consensus": consensus[0] if consensus else None,
        "round": wanted.round,
        "list": wanted.list,
        "items": None if wanted.items is None else list(wanted.items),
        "hidden": list(wanted.hidden),
        "includes_waiting": wanted.includes_waiting,
        **(stages if wanted.round is None else ONE_STAGE).params(),
        **open_places.params,
        **is_asked_params(links_of(questions), stages, unasked),
    }


def params_of(project: Project, wanted: DisputeFilter) -> Asked:
    known = Rater.objects.filter(project=project, kind__in=[Rater.Kind.CONSENSUS, Rater.Kind.REFERENCE])
    questions = codebook_of(project)
    return dispute_params(
        wanted,
        questions=questions,
        raters=list(known),
        stages=RoundStages.of(project),
        open_places=left_open(project, questions, wanted.round, wanted.items),
        unasked=questions_unasked_by_rule(project, questions, wanted.items),
    )


def rows_of(query: str, params: Asked, **more: int) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query, {**params, **more})
        return list(cursor.fetchall())


def _json(cell: Any) -> Any:
    # Django's cursors return JSON as text.
    return json.loads(cell) if isinstance(cell, str) else cell


def _dispute(row: DisputeColumns) -> Dispute:
    return Dispute(
        row["item_id"], row["question_id"], row["n_labels"], row["n_most"], row["n_values"], row["entropy"]
    )


def rows(found: Sequence[Dispute]) -> list[DisputeRow]:
    items = Item.objects.in_bulk([dispute.item for dispute in found])
    questions = Question.objects.in_bulk({dispute.question for dispute in found})
    return [
        DisputeRow(d, items[d.item], questions[d.question], excerpt(items[d.item], 80))
        for d in found
        if d.item in items and d.question in questions
    ]


def decided_labels(project: Project, wanted: DisputeFilter, *, is_flagged: bool = False) -> QuerySet[Label]:
    """Return the decisions, which are labels of the consensus rater, newest first."""
    found = Label.objects.filter(rater__project=project, rater__kind=Rater.Kind.CONSENSUS)
    if wanted.question is not None:
        found = found.filter(question=wanted.question)
    if wanted.round is not None:
        found = found.filter(item__in=Label.objects.filter(round=wanted.round).values("item"))
    if wanted.list is not None:
        found = found.filter(item__list_entries__item_list=wanted.list)
    if wanted.hidden:
        found = found.exclude(item__assignments__round__in=wanted.hidden)
    if is_flagged:
        found = found.filter(decision__is_for_guidelines=True)
    about = found.select_related("item", "question", "category", "decision__decided_by")
    return about.order_by("-labelled_at", "-pk")
