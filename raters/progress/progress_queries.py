"""What the database counts of a project, in a fixed number of queries."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any, Self, TypedDict

from django.db import connection, transaction

from core.shapes import Json
from core.tolerance import sql_beyond
from projects.models import Project, Question, Round
from raters.access import further_rounds
from raters.adjudication import disputes
from raters.adjudication.conditional_questions import codebook_of
from raters.adjudication.rule_conditions import questions_unasked_by_rule
from raters.adjudication.uncertain_finals import left_open
from raters.labeling.missing_answers import missing_answer_counts
from raters.labeling.progress import RECENT
from raters.missing_codes import is_missing
from raters.models import Rater
from raters.passes import RoundStages, first_in_round

VOTERS = (Rater.Kind.HUMAN, Rater.Kind.MODEL)

# Pending assignments of withdrawn items do not count.
_COUNTED = """(
    state = 'done'
    OR item_id NOT IN (SELECT id FROM projects_item WHERE project_id = %(project)s AND withdrawn_at IS NOT NULL)
)"""
_PLACES = f"""
SELECT batch_id, rater_id, count(*), count(*) FILTER (WHERE state = 'done'),
    count(*) FILTER (WHERE is_guideline_unclear{{seen}}), max(greatest(last_seen_at, done_at)), max(done_at)
FROM raters_assignment
WHERE batch_id = ANY (%(rounds)s) AND {_COUNTED}
GROUP BY 1, 2
"""  # noqa: S608
# Leaves out labels of items that the viewer still labels; added if there are such items.
_VISIBLE = """ AND item_id NOT IN (
    SELECT item_id FROM raters_assignment hidden WHERE hidden.batch_id = ANY (%(hidden)s::bigint[])
)"""
# Lists the few raters whose labels do not count, so that all labels of a question are read sequentially.
_LABEL_COUNTS = """
SELECT rater_id, question_id, batch_id, count(*), count(*) FILTER (WHERE is_abstention),
    count(*) FILTER (WHERE note <> ''), max(labelled_at), max(pass_number)
FROM raters_label
WHERE question_id = ANY (%(questions)s) AND NOT rater_id = ANY (%(no_voters)s::bigint[]){seen}
GROUP BY 1, 2, 3
"""
# Over each rater's last items, as on the rater's own page: the current pace, and fast with many labels.
# An item's time is the maximum over its labels: all its questions are on one page.
_PACES = """
SELECT rater.id, percentile_cont(0.5) WITHIN GROUP (ORDER BY spent), 3600 * count(*) / nullif(sum(spent), 0)
FROM unnest(%(voters)s::bigint[]) rater (id)
CROSS JOIN LATERAL (
    SELECT item_id, pass_number FROM raters_assignment
    WHERE rater_id = rater.id AND state = 'done'
    ORDER BY done_at DESC
    LIMIT %(recent)s
) last
CROSS JOIN LATERAL (
    SELECT max(seconds) AS spent FROM raters_label
    WHERE item_id = last.item_id AND question_id = ANY (%(questions)s) AND rater_id = rater.id
        AND pass_number = last.pass_number
) of_item
WHERE spent IS NOT NULL
GROUP BY 1
"""
# Numbers agree within the tolerance of their question.
_TOLERANCE = "(SELECT tolerance FROM projects_question q WHERE q.id = l.question_id)"
SAME = f"""CASE WHEN l.number IS NULL OR known.number IS NULL
    THEN (l.category_id, l.category_set, l.number)
        IS NOT DISTINCT FROM (known.category_id, known.category_set, known.number)
    ELSE NOT {sql_beyond("abs(l.number - known.number)", _TOLERANCE)} END"""
# As in reports, labels accepted from a suggestion say nothing about agreement.
_IS_ANSWER = f"""NOT l.is_abstention AND NOT known.is_abstention AND NOT l.from_suggestion AND NOT known.from_suggestion
    AND NOT {is_missing("l")} AND NOT {is_missing("known")}"""
# The first of several references counts.
REFERENCE = f"""
raters_label l
JOIN (
    SELECT DISTINCT ON (item_id, question_id) * FROM raters_label
    WHERE rater_id = ANY (%(references)s) AND NOT {is_missing("raters_label")}
    ORDER BY item_id, question_id, rater_id, pass_number
) known ON known.item_id = l.item_id AND known.question_id = l.question_id
WHERE l.rater_id = ANY (%(voters)s) AND l.question_id = ANY (%(compared)s) AND {first_in_round("l")} AND {_IS_ANSWER}
"""  # noqa: S608
REPEATS = f"""
raters_label l
JOIN raters_label known ON known.item_id = l.item_id AND known.question_id = l.question_id
    AND known.rater_id = l.rater_id AND known.batch_id IS NOT DISTINCT FROM l.batch_id
    AND known.pass_number < l.pass_number AND {first_in_round("known")}
WHERE l.rater_id = ANY (%(voters)s) AND l.question_id = ANY (%(compared)s) AND l.pass_number > 1 AND {_IS_ANSWER}
"""
_MATCHES = "SELECT l.rater_id, count(*), count(*) FILTER (WHERE {same}) FROM {pairs}{seen} GROUP BY 1"
_ITEMS = """
SELECT
    n,
    (SELECT count(*) FROM planned),
    (SELECT count(*) FROM planned WHERE is_finished),
    CASE WHEN n > (SELECT count(*) FROM planned) THEN (
        SELECT count(*) FROM unplanned
        WHERE (
            SELECT l.id FROM raters_label l WHERE l.item_id = unplanned.id AND l.rater_id = ANY (%(voters)s) LIMIT 1
        ) IS NULL
    ) ELSE 0 END,
    (SELECT count(*) FROM planned WHERE NOT is_finished AND NOT is_waiting)
FROM (SELECT count(*) AS n FROM projects_item WHERE project_id = %(project)s) of_project
"""
_PLANNED = f"""
SELECT item_id, bool_and(state = 'done') AS is_finished,
    bool_or(state <> 'done' AND batch_id NOT IN (
        SELECT id FROM projects_batch WHERE project_id = %(project)s AND state = 'closed'
    )) AS is_waiting
FROM raters_assignment
WHERE batch_id = ANY (%(rounds)s) AND {_COUNTED}
GROUP BY item_id
"""  # noqa: S608
# If every item is in a round, others are not looked for; items in no round are checked for labels one
# by one.
_UNPLANNED = """
SELECT id FROM projects_item WHERE project_id = %(project)s AND withdrawn_at IS NULL
EXCEPT SELECT item_id FROM planned
"""
_COUNTS = f"WITH planned AS MATERIALIZED ({_PLANNED}), unplanned AS MATERIALIZED ({_UNPLANNED}) {_ITEMS}"

# Items in no round and without labels, with their number.
FREE = f"""
WITH planned AS MATERIALIZED ({_PLANNED}), unplanned AS MATERIALIZED ({_UNPLANNED})
SELECT id, count(*) OVER () FROM unplanned
WHERE (
    SELECT l.id FROM raters_label l WHERE l.item_id = unplanned.id AND l.rater_id = ANY (%(voters)s) LIMIT 1
) IS NULL
ORDER BY id LIMIT %(most)s
"""  # noqa: S608
_OTHERS = "SELECT rater_id, count(*) FROM raters_label WHERE rater_id = ANY (%(no_voters)s) GROUP BY 1"


# Query parameters: the project, IDs, and numbers.
Asked = dict[str, int | list[int]]
Row = Sequence[Any]


def progress_params(
    project: Project, *, raters: Sequence[Rater], rounds: Sequence[int], questions: Sequence[Question]
) -> Asked:
    """Return the query parameters of this module."""
    return {
        "project": project.pk,
        "rounds": list(rounds),
        "questions": [question.pk for question in questions],
        "compared": [question.pk for question in questions if question.is_compared],
        "voters": [rater.pk for rater in raters if rater.kind in VOTERS],
        "no_voters": [rater.pk for rater in raters if rater.kind not in VOTERS],
        "references": [rater.pk for rater in raters if rater.kind == Rater.Kind.REFERENCE],
    }


class ProgressRows(TypedDict):
    """What the database counts, as rows. Moments are text if the rows were stored."""

    places: list[Row]
    labels: list[Row]
    paces: list[Row]
    reference: list[Row]
    repeats: list[Row]
    missing_answers: list[Row]
    disputed: Row
    items: Row


@dataclass(frozen=True, slots=True)
class ProjectParts:
    """What a project has now, whose rows are counted.

    Rounds of further raters whose assignments tell of labels of hidden rounds are left out.
    """

    raters: list[Rater]
    rounds: list[Round]
    questions: list[Question]

    @classmethod
    def of(cls, project: Project, hidden: Sequence[int]) -> Self:
        raters, rounds = Rater.objects.filter(project=project), Round.objects.filter(project=project)
        rounds = rounds.exclude(pk__in=further_rounds(project, hidden))
        return cls(list(raters), list(rounds), codebook_of(project))


def progress_rows(project: Project, hidden: Sequence[int], known: ProjectParts | None = None) -> ProgressRows:
    """Count as `progress_figures.figures_of` documents."""
    known = known or ProjectParts.of(project, hidden)
    raters, questions, rounds = known.raters, known.questions, [each.pk for each in known.rounds]
    asked = progress_params(project, raters=raters, rounds=rounds, questions=questions)
    asked["hidden"] = list(hidden)
    seen = _VISIBLE if hidden else ""
    with transaction.atomic():
        # So that groups of a hundred thousand labels fit in memory and are not written to disk.
        rows_of("SELECT set_config('work_mem', '64MB', true), set_config('jit', 'off', true)", {})
        places = rows_of(_PLACES.format(seen=seen), asked)
        labels, paces = (
            rows_of(_LABEL_COUNTS.format(seen=seen), asked),
            rows_of(_PACES, asked | {"recent": RECENT}),
        )
        has_repeats = any(last_pass > 1 for *_, last_pass in labels)
        of_label = seen.replace(" item_id", " l.item_id", 1)
        reference = _match_counts(REFERENCE, of_label, asked) if asked["references"] else []
        repeats = _match_counts(REPEATS, of_label, asked) if has_repeats else []
        missing_answers = missing_answer_counts(project, questions, rounds, hidden=hidden)
        # The following queries group by item in index order, which takes half the time of hashing.
        rows_of("SELECT set_config('enable_hashagg', 'off', true)", {})
        disputed = _disputed(project, questions, raters, hidden, has_repeats=has_repeats)
        [items] = rows_of(_COUNTS, asked)
    return {
        "places": places,
        "labels": labels,
        "paces": paces,
        "reference": reference,
        "repeats": repeats,
        "missing_answers": [astuple(each) for each in missing_answers],
        "disputed": (disputed.n_items, disputed.n),
        "items": items,
    }


def progress_to_store(project: Project, hidden: Sequence[int]) -> Json:
    """Return the rows, and how many labels references and decisions have."""
    known = ProjectParts.of(project, hidden)
    others = rows_of(
        _OTHERS, progress_params(project, raters=known.raters, rounds=[], questions=known.questions)
    )
    return {**progress_rows(project, hidden, known), "others": others}


def _match_counts(pairs: str, seen: str, params: Asked) -> list[Row]:
    return rows_of(_MATCHES.format(same=SAME, pairs=pairs, seen=seen), params)


def _disputed(
    project: Project,
    questions: Sequence[Question],
    raters: Sequence[Rater],
    hidden: Sequence[int],
    *,
    has_repeats: bool,
) -> disputes.UndecidedCounts:
    stages = RoundStages.of(project)
    asked = disputes.dispute_params(
        disputes.DisputeFilter(hidden=tuple(hidden)),
        questions=questions,
        raters=raters,
        stages=stages,
        open_places=left_open(project, questions, None),
        unasked=questions_unasked_by_rule(project, questions),
    )
    compared = [question for question in questions if question.is_compared]
    is_of_choices = all(question.kind == Question.Kind.SINGLE for question in compared)
    has_stages = bool(stages.numbers)
    return disputes.undecided(asked, has_repeats=has_repeats or has_stages, is_of_choices=is_of_choices)


def rows_of(query: str, params: Asked) -> list[Row]:
    with connection.cursor() as cursor:
        cursor.execute(query, params)
        return list(cursor.fetchall())
