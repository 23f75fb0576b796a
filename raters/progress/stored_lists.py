"""The lists of large projects, as a worker last stored them: how long they are, and what comes first.

What a page shows of them is read when it is shown, so that it is as it is now.
"""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from core.shapes import Json
from projects.models import Project, Question, Round
from raters.figures.size import is_large
from raters.figures.stored_figures import StoredFigure, stored_figures
from raters.models import Rater, StoredFigures
from raters.progress.progress_lists import ListFilter, ListRow, ListRows, ProgressCount
from raters.progress.progress_queries import FREE, progress_params, rows_of

# The number listed, in order.
MOST_LISTED = 10_000


def list_to_store(project: Project, asked: Json) -> Json:
    """Count and find what is in a list, of whose filter `asked` is the JSON."""
    wanted = ListFilter(**{**asked, "what": ProgressCount(asked["what"]), "hidden": tuple(asked["hidden"])})
    if wanted.what is ProgressCount.FREE and not wanted.hidden and wanted.round is None:
        return _free(project)
    found = ListRows(project, wanted)
    return {"n": len(found), "ids": found.ids(MOST_LISTED)}


def _free(project: Project) -> Json:
    """The same by a query that reads the assignments once, not for each item."""
    asked = progress_params(
        project,
        raters=list(Rater.objects.filter(project=project)),
        rounds=list(Round.objects.filter(project=project).values_list("pk", flat=True)),
        questions=list(Question.objects.filter(project=project)),
    )
    rows = rows_of(FREE, asked | {"most": MOST_LISTED})
    return {"n": rows[0][1] if rows else 0, "ids": [pk for pk, _ in rows]}


class StoredRows:
    """For a paginator. n: how many there were; those listed are the first of them."""

    def __init__(self, project: Project, wanted: ListFilter, stored: StoredFigure) -> None:
        self._project, self._wanted = project, wanted
        self._ids: list[int] = stored.result["ids"]
        self.n: int = stored.result["n"]
        self.counted = stored.counted

    def __len__(self) -> int:
        return len(self._ids)

    def __getitem__(self, page: slice) -> Sequence[ListRow]:
        return ListRows(self._project, self._wanted, among=self._ids[page])[:]


def list_rows(project: Project, wanted: ListFilter, *, by: Any) -> ListRows | StoredRows:
    """Return what is in a list now or, of a large project, what was stored. Raises FiguresNotComputed."""
    if not is_large(project):
        return ListRows(project, wanted)
    asked = asdict(replace(wanted, letters=None))
    del asked["letters"]
    return StoredRows(project, wanted, stored_figures(project, StoredFigures.What.LIST, asked, by=by))
