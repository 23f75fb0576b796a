"""How far a project's history goes, and which revisions a reader had seen at some point in it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# The revisions that a reader up to a head had seen: those of the entries up to its position. Entries get
# their ids when they are written and their positions when they are committed, so a few with lower ids may come later.
# Params: those of `Head.params`.
VISIBLE_ENTRIES = """(
    entry_id <= %(head_entry)s
    AND entry_id <> ALL (ARRAY(
        SELECT id FROM core_historyentry
        WHERE project_id = %(head_project)s AND id <= %(head_entry)s
            AND (position > %(head_position)s OR position IS NULL)
    ))
)"""

# What is read of new entries in one step: at most so many of them, with about so many rows.
_MOST_ENTRIES, _MOST_ROWS = 2_000, 20_000

_HEAD = """
SELECT coalesce(max(position), 0), coalesce(max(id), 0), coalesce((
    SELECT encode(digest, 'hex') FROM core_historyentry
    WHERE project_id = %(project)s AND position IS NOT NULL ORDER BY position DESC LIMIT 1
), '')
FROM (
    (SELECT position, NULL::bigint AS id FROM core_historyentry
        WHERE project_id = %(project)s AND position IS NOT NULL ORDER BY position DESC LIMIT 1)
    UNION ALL
    (SELECT NULL, id FROM core_historyentry
        WHERE project_id = %(project)s AND position IS NOT NULL ORDER BY id DESC LIMIT 1)
) ends
"""


@dataclass(frozen=True, slots=True)
class Head:
    """The end of a project's chain as one transaction saw it.

    position: of its last entry, 0 without any. entry: the highest id among its entries. digest: of the last entry, in
    hexadecimal. Someone who keeps position and digest can check later whether
    anything up to there was altered or removed.
    """

    project_id: int
    position: int
    entry: int
    digest: str

    @property
    def params(self) -> Mapping[str, int]:
        """The parameters of SEEN."""
        return {"head_project": self.project_id, "head_position": self.position, "head_entry": self.entry}

    def __str__(self) -> str:
        return f"{self.position}:{self.digest}"


def end_of_step(project: str, after: str) -> str:
    """Return SQL for the position up to which new entries are read in one step; null if there are none.

    project, after: SQL for the ID of the project, and for the position that was read up to. An entry is always read as
    a whole, however many rows it has.
    """
    return f"""(
        SELECT max(position) FROM (
            SELECT position, sum(n_rows) OVER (ORDER BY position) - n_rows AS n_before
            FROM (
                SELECT position, n_rows FROM core_historyentry
                WHERE project_id = {project} AND position > {after} ORDER BY position LIMIT {_MOST_ENTRIES}
            ) AS entries
        ) AS counted
        WHERE n_before < {_MOST_ROWS}
    )"""  # noqa: S608


def head_of(project_id: int, cursor: Any) -> Head:
    """The head as the transaction of this cursor sees it."""
    cursor.execute(_HEAD, {"project": project_id})
    position, entry, digest = cursor.fetchone()
    return Head(project_id, position, entry, digest)
