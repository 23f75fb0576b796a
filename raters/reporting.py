"""What pages of raters show of statistics and reports: asked for here, brought by the app that computes them.

No module of raters may import reports; whoever implements `Reporting` is given to `provide` when the program starts.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from projects.models import Project, Round
from raters.models import Rater

# Arrays that were estimated, or the code of the reason why there are none.
Estimated = tuple[NDArray[np.float64], ...] | str
# Pages of a rater, one for each question: its key and the address.
Links = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class PlainFigure:
    """A value with its interval; where one is missing, the code of the reason and the reason in words."""

    value: float | None
    low: float | None
    high: float | None
    reason: str
    why: str


@dataclass(frozen=True, slots=True)
class EffectOnQuestion:
    """What changes did to agreement on one question. n: changes of raters' labels, and how many of these others made.

    before, after: the primary coefficient of two reports of which nothing but these changes lies between, with their
    addresses; "" without such reports. compare: where the two are compared. work_out: where the same is computed from
    the history, "" if no report says how the question is read.
    """

    question: str
    n: int
    n_by_others: int
    is_more: bool
    coefficient: str = ""
    before: str = ""
    after: str = ""
    before_address: str = ""
    after_address: str = ""
    compare: str = ""
    work_out: str = ""


@dataclass(frozen=True, slots=True)
class ReportsSince:
    """n: how many. shared: ids of those that somebody could read by a link."""

    n: int
    shared: list[int]


@dataclass(frozen=True, slots=True)
class ChangeInRound:
    """What the newest report on the items of a round says of one question: in the round, beside the round before.

    now, change: sentences, "" where they are still to be computed. address: of the page that has all of it.
    """

    question: str
    now: str
    change: str
    address: str


class Reporting(Protocol):
    def half_width_of_one(self, *, kappa: float, share: float) -> float:
        """The expected half width of the interval of kappa, times the square root of the number of items.

        share: of the commoner of two categories. Raises ValueError for a kappa that raters cannot have then.
        """

    def shares_alike(self, same: Sequence[int], shared: Sequence[int]) -> list[PlainFigure]:
        """The share of items alike, each with its Wilson interval."""

    def kappas(self, tables: NDArray[np.int64]) -> list[PlainFigure]:
        """Cohen's kappa, unweighted, of each of (P, K, K) tables."""

    def posteriors(
        self, labels: NDArray[np.int64], shape: tuple[int, int, int]
    ) -> NDArray[np.float64] | None:
        """(items, categories) the probability of each category by Dawid and Skene; None where there is no estimate.

        labels: (L, 3) item, rater and category, from 0. shape: how many items, raters and categories there are.
        """

    def vote_weights(self, labels: NDArray[np.int64], shape: tuple[int, int, int]) -> Estimated:
        """((raters,)) how much the vote of each should weigh. labels, shape: as `posteriors` takes them."""

    def error_rates(self, labels: NDArray[np.int64], shape: tuple[int, int, int]) -> Estimated:
        """((categories,), (raters, categories, categories)) how common each category is, and how often each rater gives
        one where another is true, by Dawid and Skene; NaN in the row of a category that a rater has not met.

        labels, shape: as `posteriors` takes them.
        """

    def last_asked_at(self, project: Project) -> datetime | None:
        """When the newest report was asked for."""

    def pages_of_raters(self, project: Project) -> dict[int, Links]:
        """By the id of the rater, from the newest finished report."""

    def reports_since(self, project: Project, since: datetime, questions: Collection[int]) -> ReportsSince:
        """Reports that may have read labels given then. questions: whose shared reports are asked for."""

    def effects(self, project: Project, after: int, up_to: int, source: str) -> list[EffectOnQuestion]:
        """By question, what the changes after the first position of the history, up to the second, did to agreement.

        source: whose changes these are, as revisions name it; "" for whoever's. Not for one who is blind to them.
        """

    def names_round(self, project: Project, key: str) -> bool:
        """Whether a report knows a round by this key: it is limited to it, or its figures are of that round first."""

    def changes_in_round(self, round_: Round) -> list[ChangeInRound]:
        """By question, from the newest finished report on the items of this round; [] without one."""

    def own_pages(self, round_: Round, rater: Rater) -> Links:
        """The rater's own pages, from the newest reports with labels of the round; [] where not allowed."""


_provided: list[Reporting] = []


def provide(reporting: Reporting) -> None:
    _provided[:] = [reporting]


def reporting() -> Reporting:
    return _provided[0]
