"""Stream all final labels of a project in one pass over the labels, sorted by the database, in constant memory."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Any, Protocol, TypedDict

from django.db import connection, transaction

from core.shapes import Json
from core.tables.jsonlines import PART
from core.tables.safe_cells import Cell, csv_lines
from projects.models import Category, Project, Round
from raters.adjudication.conditional_questions import codebook_of, links_of
from raters.adjudication.finals import Condition, FinalAnswer, final_of, nearest, under
from raters.adjudication.rules import FinalLabelRule, Origin
from raters.adjudication.ruling import rules_of
from raters.adjudication.votes import CANNOT_TELL, FinalValue, Voter, Votes
from raters.missing_codes import is_missing
from raters.passes import ONE_STAGE, RoundStages, superseded

CHUNK = 5000
# Lines per chunk of the response, to avoid many tiny writes.
LINES = 500

# Parameters: the project, its questions, items and rounds (IDs, or null for all), `RoundStages.params`, and questions
# whose rule depends on who gave a label.
# Each rater's first label per item in scope counts, as in a report; if rounds label the item again, only labels of
# the latest complete one. References and decisions apply to an item in any round, so they count wherever a rater
# labeled it. Labels treated as missing are not votes; they are included so that an item with nothing else has a row.
VOTES = f"""
SELECT i.key, l.question_id, r.kind, l.category_id, l.category_set, l.number, count(*),
    CASE WHEN r.kind = 'consensus' THEN l.reason ELSE '' END,
    CASE WHEN r.kind = 'consensus' THEN l.note ELSE '' END,
    CASE WHEN r.kind = 'consensus' THEN l.labelled_at END,
    u.username, coalesce(d.is_for_guidelines, false), l.item_id,
    {is_missing("l")}, coalesce(q.tolerance, 0), array_agg(l.rater_id) FILTER (WHERE q.id = ANY (%(by_name)s))
FROM raters_label l
JOIN raters_rater r ON r.id = l.rater_id
JOIN projects_item i ON i.id = l.item_id
JOIN projects_question q ON q.id = l.question_id
LEFT JOIN raters_decision d ON d.label_id = l.id AND r.kind = 'consensus'
LEFT JOIN raters_user u ON u.id = d.decided_by_id
WHERE q.project_id = %(project)s AND q.id = ANY (%(questions)s)
    AND (%(items)s::bigint[] IS NULL OR l.item_id = ANY (%(items)s))
    AND (
        %(rounds)s::bigint[] IS NULL OR l.batch_id = ANY (%(rounds)s)
        OR (r.kind IN ('consensus', 'reference') AND EXISTS (
            SELECT FROM raters_label of_round
            WHERE of_round.item_id = l.item_id AND of_round.question_id = l.question_id
                AND of_round.batch_id = ANY (%(rounds)s)
        ))
    )
    AND (l.pass_number = 1 OR NOT EXISTS (
        SELECT FROM raters_label earlier
        WHERE earlier.item_id = l.item_id AND earlier.question_id = l.question_id
            AND earlier.rater_id = l.rater_id AND earlier.pass_number < l.pass_number
            AND (%(rounds)s::bigint[] IS NULL OR earlier.batch_id = ANY (%(rounds)s))
            AND NOT {is_missing("earlier")} AND NOT {superseded("earlier")}
    ))
    AND (r.kind IN ('consensus', 'reference') OR NOT {superseded("l")})
GROUP BY i.key, l.item_id, q.position, l.question_id, r.kind, l.category_id, l.category_set, l.number, 8, 9, 10, 11, 12,
    q.tolerance
ORDER BY l.item_id, q.position, l.question_id
"""  # noqa: S608
COLUMNS = [
    "item",
    "question",
    "label",
    "origin",
    "n_raters",
    "n_cannot_tell",
    "share_agree",
    "reason",
    "note",
    "for_guidelines",
    "decided_by",
    "decided_at",
    "shares",
    "rule",
    "certainty",
]


@dataclass(frozen=True, slots=True)
class FinalLabel:
    """label: a category key, the keys of a set, or a number; None for "cannot tell" and for no final label.

    is_missing: the decision is treated as missing, so there is no label. shares: the soft label. rule: the rule of the
    question, whatever the origin.
    """

    item_id: int
    item: str
    question: str
    label: str | list[str] | float | None
    final: FinalAnswer
    rule: str
    reason: str
    note: str
    is_for_guidelines: bool
    decided_by: str
    decided_at: datetime | None
    is_missing: bool = False
    shares: Mapping[str, float] | None = None

    @property
    def origin(self) -> Origin:
        return self.final.origin

    def as_json(self) -> "ExportedLabel":
        return {
            "item": self.item,
            "question": self.question,
            "label": self.label,
            "origin": str(self.origin),
            "n_raters": self.final.n_raters,
            "n_cannot_tell": self.final.n_cannot_tell,
            "share_agree": self.final.share_agree,
            "reason": self.reason,
            "note": self.note,
            "for_guidelines": self.is_for_guidelines,
            "decided_by": self.decided_by or None,
            "decided_at": self.decided_at.isoformat() if self.decided_at else None,
            "shares": None if self.shares is None else dict(self.shares),
            "rule": self.rule,
            "certainty": self.final.certainty,
        }

    def as_cells(self) -> list[Cell]:
        found: Json = {**self.as_json()}
        if isinstance(self.label, list):
            found["label"] = PART.join(self.label) or NO_CATEGORY
        found["for_guidelines"] = "yes" if self.is_for_guidelines else ""
        found["shares"] = "" if self.shares is None else json.dumps(dict(self.shares), ensure_ascii=False)
        return [found[name] for name in COLUMNS]


class ExportedLabel(TypedDict):
    """A final label in JSON, in the order of COLUMNS."""

    item: str
    question: str
    label: str | list[str] | float | None
    origin: str
    n_raters: int
    n_cannot_tell: int
    share_agree: float | None
    reason: str
    note: str
    for_guidelines: bool
    decided_by: str | None
    decided_at: str | None
    shares: dict[str, float] | None
    rule: str
    certainty: float | None


# The empty set, as opposed to an empty cell, which means no label.
NO_CATEGORY = "{}"


def final_labels(project: Project, round_: Round | None = None) -> Iterator[FinalLabel]:
    """Yield the final label of every item and question with labels, in the order of items and codebook.

    A single statement, so that the result is consistent even if labels change meanwhile.
    """
    questions = dict(project.questions.compared().values_list("pk", "key"))
    rows = Category.with_merged.filter(question__in=questions)
    categories = dict(rows.values_list("pk", "key"))
    rules = rules_of(project)
    params = votes_params(project, list(questions), rules, rounds=None if round_ is None else [round_.pk])
    yield from finals_from(rows_of_votes(params), questions, categories, conditions_of(project), rules)


def votes_params(
    project: Project,
    questions: Sequence[int],
    rules: Mapping[int, FinalLabelRule],
    *,
    rounds: Sequence[int] | None,
    items: Sequence[int] | None = None,
) -> Json:
    """Return the parameters of VOTES. questions: IDs. rounds, items: IDs, or None for all."""
    return {
        "project": project.pk,
        "items": items,
        "questions": questions,
        "rounds": rounds,
        "by_name": [pk for pk, rule in rules.items() if rule.reliability is not None],
        **(RoundStages.of(project) if rounds is None else ONE_STAGE).params(),
    }


def conditions_of(project: Project) -> dict[int, list[Condition]]:
    """Return the conditions of each conditional question by its ID, nearest first."""
    found: dict[int, list[Condition]] = {}
    for link in links_of(codebook_of(project)):
        found.setdefault(link.question, []).append((link.parent, frozenset(link.categories)))
    return found


def finals_from(
    rows: Iterable[tuple[Any, ...]],
    questions: Mapping[int, str],
    categories: Mapping[int, str],
    conditions: Mapping[int, Sequence[Condition]],
    rules: Mapping[int, FinalLabelRule],
) -> Iterator[FinalLabel]:
    """Yield final labels from rows of VOTES, with earlier questions first. questions, categories: keys by ID."""
    for _, of_item in groupby(rows, key=lambda row: row[12]):
        finals: dict[int, FinalAnswer] = {}
        for question, votes in groupby(of_item, key=lambda row: row[1]):
            found = _final_label(list(votes), questions[question], categories, rules[question])
            if condition := nearest(conditions.get(question, ()), finals):
                final = under(condition, finals, found.final)
                if final is not found.final:
                    found = replace(found, final=final, label=None, shares=None)
            finals[question] = found.final
            yield found


def rows_of_votes(params: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    # Within a transaction, a server-side cursor returns the rows in chunks.
    with transaction.atomic(), connection.chunked_cursor() as cursor:
        plan_for_all_rows()
        cursor.execute(VOTES, params)
        while rows := cursor.fetchmany(CHUNK):
            yield from rows


def plan_for_all_rows() -> None:
    """Make the planner expect all rows to be read: by default, it optimizes for the first ones, 50x slower here."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL cursor_tuple_fraction = 1")


def _final_label(
    rows: Sequence[tuple[Any, ...]], question: str, categories: Mapping[int, str], rule: FinalLabelRule
) -> FinalLabel:
    votes = votes_in(rows)
    final = final_of(votes, tolerance=rows[0][14], rule=rule)
    about = next((row for row in rows if row[2] == Voter.CONSENSUS), None)
    return FinalLabel(
        item_id=rows[0][12],
        item=rows[0][0],
        question=question,
        label=_label(final.value, categories),
        final=final,
        rule=str(rule.kind),
        reason=about[7] if about else "",
        note=about[8] if about else "",
        decided_at=about[9] if about else None,
        decided_by=(about[10] or "") if about else "",
        is_for_guidelines=bool(about and about[11]),
        is_missing=bool(about and about[13]),
        shares=shares_of(votes, categories),
    )


def shares_of(votes: Iterable[Votes], categories: Mapping[int, str]) -> dict[str, float] | None:
    """Return the soft label: the share of raters with a label whose label is or contains each category.

    Largest first, without categories that nobody chose. Shares of sets need not add up to 1. None without labels and
    for numbers.
    """
    answers = [each for each in votes if each.voter is Voter.RATER and not each.value.is_abstention]
    n = sum(each.n for each in answers)
    if not n or any(each.value.number is not None for each in answers):
        return None
    counts: Counter[int] = Counter()
    for each in answers:
        held = (each.value.category,) if each.value.category is not None else each.value.category_set or ()
        for category in held:
            counts[category] += each.n
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], categories[pair[0]]))
    return {categories[pk]: count / n for pk, count in ordered}


def votes_in(rows: Iterable[tuple[Any, ...]]) -> list[Votes]:
    """Return the votes from the rows of one item and question. People and models are both raters, so their equal values
    are combined.
    """
    counts: dict[tuple[Voter, FinalValue], int] = {}
    raters: dict[tuple[Voter, FinalValue], tuple[int, ...]] = {}
    for row in rows:
        voter = Voter(row[2]) if row[2] in {Voter.CONSENSUS, Voter.REFERENCE} else Voter.RATER
        value = FinalValue(row[3], None if row[4] is None else tuple(row[4]), row[5])
        if row[13]:
            if voter is not Voter.CONSENSUS:
                continue
            # It still is a decision: that there is no label.
            value = CANNOT_TELL
        counts[voter, value] = counts.get((voter, value), 0) + row[6]
        if row[15]:
            raters[voter, value] = (*raters.get((voter, value), ()), *row[15])
    return [Votes(*key, n, raters.get(key, ())) for key, n in counts.items()]


def _label(value: FinalValue | None, categories: Mapping[int, str]) -> str | list[str] | float | None:
    if value is None or value.is_abstention:
        return None
    if value.category is not None:
        return categories[value.category]
    if value.category_set is not None:
        return [categories[pk] for pk in value.category_set]
    return value.number


class ExportableLabel(Protocol):
    """A final label, with or without fields of its item."""

    def as_json(self) -> Mapping[str, Any]: ...

    def as_cells(self) -> list[Cell]: ...


def csv_of(labels: Iterable[ExportableLabel], further: Sequence[str] = ()) -> Iterator[str]:
    """Return final labels as CSV. further: columns in addition to COLUMNS."""
    return in_pieces(csv_lines(_with_head((label.as_cells() for label in labels), further)))


def _with_head(rows: Iterable[list[Cell]], further: Sequence[str]) -> Iterator[list[Cell]]:
    yield [*COLUMNS, *further]
    yield from rows


def json_lines_of(labels: Iterable[ExportableLabel], further: Sequence[str] = ()) -> Iterator[str]:
    return in_pieces(json.dumps(label.as_json(), ensure_ascii=False) + "\n" for label in labels)


def in_pieces(lines: Iterable[str]) -> Iterator[str]:
    held: list[str] = []
    for line in lines:
        held.append(line)
        if len(held) >= LINES:
            yield "".join(held)
            held.clear()
    yield "".join(held)


FORMATS = {"csv": csv_of, "jsonl": json_lines_of}
TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson"}
