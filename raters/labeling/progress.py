"""A rater's progress, and the estimated time left at their own pace."""

from dataclasses import dataclass

from core.prepared import prepared_cursor
from raters.models import Rater
from raters.quality.passing import OPEN_TO

# The pace is estimated from the RECENT last items; fewer than LEAST give no estimate.
RECENT, LEAST = 30, 3


@dataclass(frozen=True, slots=True)
class OwnProgress:
    """Progress in open rounds. n_total: the rater's assignments, without pending ones of withdrawn items, and of
    rounds for which the rater has to pass another one first.

    pace: seconds per item, None if unknown. has_free: assignments are available on demand, so the rater's total is not
    known yet.
    """

    n_done: int
    n_total: int
    pace: float | None = None
    has_free: bool = False

    @property
    def seconds_left(self) -> float | None:
        if self.pace is None or self.has_free:
            return None
        return self.pace * (self.n_total - self.n_done)

    @property
    def share(self) -> float:
        return self.n_done / self.n_total if self.n_total else 0.0


# An item's time is the maximum over its labels: all its questions are on one page.
_QUERY = f"""
SELECT
    count(*) FILTER (WHERE a.state = 'done'),
    count(*),
    (
        SELECT CASE WHEN count(*) >= %(least)s THEN percentile_cont(0.5) WITHIN GROUP (ORDER BY spent) END
        FROM (
            SELECT (
                SELECT max(l.seconds) FROM raters_label l
                WHERE l.item_id = last.item_id AND l.rater_id = last.rater_id
                    AND l.pass_number = last.pass_number
            ) AS spent
            FROM raters_assignment last
            WHERE last.rater_id = %(rater)s AND last.state = 'done'
            ORDER BY last.done_at DESC
            LIMIT %(recent)s
        ) paces
        WHERE spent IS NOT NULL
    ),
    EXISTS (
        SELECT FROM raters_assignment free JOIN projects_batch b ON b.id = free.batch_id
        WHERE b.project_id = %(project)s AND b.state = 'open' AND b.paused_at IS NULL
            AND {OPEN_TO.format(round="b")} AND free.rater_id IS NULL AND free.is_on_demand AND free.state = 'pending'
    )
FROM raters_assignment a
JOIN projects_batch b ON b.id = a.batch_id
WHERE a.rater_id = %(rater)s AND b.state = 'open'
    AND (
        a.state = 'done'
        OR (
            b.id IN (
                SELECT id FROM projects_batch given
                WHERE project_id = %(project)s AND {OPEN_TO.format(round="given")}
            )
            AND a.item_id NOT IN (
                SELECT id FROM projects_item WHERE project_id = %(project)s AND withdrawn_at IS NOT NULL
            )
        )
    )
"""  # noqa: S608


def progress_of(rater: Rater) -> OwnProgress:
    with prepared_cursor() as cursor:
        asked = {"rater": rater.pk, "project": rater.project_id, "recent": RECENT, "least": LEAST}
        cursor.execute(_QUERY, asked)
        return OwnProgress(*cursor.fetchone())
