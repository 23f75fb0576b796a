"""The disputes of large projects, as a worker last stored them: how many there are, and the most disputed ones.

Decisions are known at once: what has been decided since is left out, and counted as decided.
"""

from collections.abc import Sequence
from dataclasses import asdict, astuple, replace
from functools import cached_property
from typing import Any

from core.shapes import Json
from projects.models import Project
from raters.adjudication.disputes import (
    Dispute,
    DisputeCount,
    DisputeFilter,
    DisputeRow,
    OpenDisputes,
    n_waiting,
    read,
    rows,
)
from raters.figures.size import is_large
from raters.figures.stored_figures import StoredFigure, stored_figures
from raters.models import Assignment, Label, Rater, StoredFigures

# The number listed, the most disputed first; filters lead to others.
MOST_LISTED = 2_000


def disputes_to_store(project: Project, asked: Json) -> Json:
    """Count and list the disputes of a filter, of which `asked` is the JSON."""
    wanted = DisputeFilter(**{**asked, "hidden": tuple(asked["hidden"])})
    counts, found = read(project, wanted, limit=MOST_LISTED)
    return {
        "counts": [[question, count.n, count.n_decided] for question, count in counts.items()],
        "open": [astuple(dispute) for dispute in found],
        "n_waiting": n_waiting(project, wanted),
    }


class StoredDisputes(OpenDisputes):
    """The same as OpenDisputes, from what was stored."""

    def __init__(self, project: Project, wanted: DisputeFilter, stored: StoredFigure, *, first: int) -> None:
        super().__init__(project, wanted, first=first)
        self.counted, self._result = stored.counted, stored.result

    @cached_property
    def _read(self) -> tuple[dict[int, DisputeCount], list[Dispute]]:
        counts = {question: DisputeCount(n, n_decided) for question, n, n_decided in self._result["counts"]}
        found = [Dispute(*row) for row in self._result["open"]]
        decided = _decided(self._project, found)
        for _, question in decided:
            counts[question] = replace(counts[question], n_decided=counts[question].n_decided + 1)
        hidden = _hidden(self._wanted, found)
        return counts, [
            each for each in found if (each.item, each.question) not in decided and each.item not in hidden
        ]

    @property
    def n_waiting(self) -> int:
        return int(self._result["n_waiting"])

    @property
    def n_listed(self) -> int | None:
        """How many are listed if there are more; None if all are."""
        n = len(self._read[1])
        return n if n < self.total.n_open else None

    def __len__(self) -> int:
        return len(self._read[1])

    def __getitem__(self, page: slice) -> list[DisputeRow]:
        return rows(self._read[1][page])


def open_disputes(project: Project, wanted: DisputeFilter, *, first: int, by: Any) -> OpenDisputes:
    """Return the disputes: counted now, or those of a large project that were last stored.

    Raises FiguresNotComputed.
    """
    if not is_large(project):
        return OpenDisputes(project, wanted, first=first)
    stored = stored_figures(project, StoredFigures.What.DISPUTES, asdict(wanted), by=by)
    return StoredDisputes(project, wanted, stored, first=first)


def _decided(project: Project, found: Sequence[Dispute]) -> set[tuple[int, int]]:
    """Return the items and questions that have been decided since."""
    labels = Label.objects.filter(
        rater__project=project,
        rater__kind=Rater.Kind.CONSENSUS,
        item__in={dispute.item for dispute in found},
    )
    listed = {(dispute.item, dispute.question) for dispute in found}
    return listed & set(labels.values_list("item", "question"))


def _hidden(wanted: DisputeFilter, found: Sequence[Dispute]) -> set[int]:
    """Return the items that the viewer has come to label blind since."""
    if not wanted.hidden:
        return set()
    blind = Assignment.objects.filter(round__in=wanted.hidden, item__in={dispute.item for dispute in found})
    return set(blind.values_list("item", flat=True))
