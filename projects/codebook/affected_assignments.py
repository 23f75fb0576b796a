"""The open and planned rounds, with their assignments, that a change of the codebook affects."""

from dataclasses import dataclass

from django.db import connection

from projects.models import Project

_ROUNDS = """
SELECT b.key, b.state,
    count(*) FILTER (WHERE a.state = 'pending' AND i.withdrawn_at IS NULL),
    count(*) FILTER (WHERE a.state = 'done'),
    count(DISTINCT a.rater_id) FILTER (WHERE a.state = 'pending')
FROM projects_batch b
LEFT JOIN raters_assignment a ON a.batch_id = b.id
LEFT JOIN projects_item i ON i.id = a.item_id
WHERE b.project_id = %s AND b.state <> 'closed'
GROUP BY b.id
HAVING count(a.id) > 0
ORDER BY b.position, b.id
"""


@dataclass(frozen=True, slots=True)
class AffectedRound:
    key: str
    is_open: bool
    n_pending: int
    n_done: int
    n_raters: int


@dataclass(frozen=True, slots=True)
class AffectedAssignments:
    """n_pending: assignments in open rounds that have yet to be labeled. n_done: those already done."""

    rounds: list[AffectedRound]

    @property
    def n_pending(self) -> int:
        return sum(each.n_pending for each in self.rounds if each.is_open)

    @property
    def n_done(self) -> int:
        return sum(each.n_done for each in self.rounds if each.is_open)


def affected_assignments(project: Project) -> AffectedAssignments:
    with connection.cursor() as cursor:
        cursor.execute(_ROUNDS, [project.pk])
        rows = cursor.fetchall()
    return AffectedAssignments([AffectedRound(key, state == "open", *counts) for key, state, *counts in rows])
