"""One question of a report: what is read for it, on which scale, and whether it can be computed at all."""

from dataclasses import dataclass
from typing import Any

from reports.agreement.sample import Scale
from reports.agreement.weights import Level

# Cells of all tables of counts together: the most that a report stores for one question.
MAX_CELLS = 200_000_000


class QuestionUnfit(Exception):
    """A question that cannot be computed as it is declared; its one argument is the reason, as results have it."""


@dataclass(frozen=True, slots=True)
class Scope:
    """One question of a report's codebook, with the batches that the report is about."""

    question: dict[str, Any]
    batch_ids: list[int] | None

    @property
    def category_ids(self) -> list[int]:
        return [category["id"] for category in self.question["categories"]]

    @property
    def level(self) -> Level:
        """Ratios of categories are compared as intervals; the results say so."""
        level = self.question["level"]
        return Level.INTERVAL if level == "ratio" else Level(level)

    @property
    def values(self) -> list[float] | None:
        """The declared values, where the level has distances between them; else ranks count."""
        if self.level is not Level.INTERVAL:
            return None
        return [category["value"] for category in self.question["categories"]]

    @property
    def scale(self) -> Scale:
        return Scale(len(self.category_ids), self.level, None if self.values is None else tuple(self.values))

    def refuse_unfit(self) -> None:
        """Raises QuestionUnfit if the categories do not make the declared scale.

        Ranks in place of missing values would be another statistic under the same name.
        """
        if not self.category_ids:
            raise QuestionUnfit("no_categories")
        if self.values is None:
            return
        if None in self.values:
            raise QuestionUnfit("values_missing")
        if len(set(self.values)) < len(self.values):
            raise QuestionUnfit("equal_values")


def scopes_of(codebook: dict[str, Any]) -> list[Scope]:
    batches = codebook["batches"]
    batch_ids = None if batches is None else [batch["id"] for batch in batches]
    return [Scope(question, batch_ids) for question in codebook["questions"]]
