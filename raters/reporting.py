"""The interface for statistics and reports shown on raters' pages, implemented by the app that computes them.

No module in raters may import reports; the implementation of `Reporting` is passed to `provide` at startup.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from projects.models import Project, Round
from raters.models import Rater

# Estimated arrays, or the code of the reason why there are none.
Estimated = tuple[NDArray[np.float64], ...] | str
# A rater's pages, one per question: the question's key and the URL.
Links = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class PlainFigure:
    """A value with its interval; if either is missing, the code of the reason and the reason in words."""

    value: float | None
    low: float | None
    high: float | None
    reason: str
    why: str


@dataclass(frozen=True, slots=True)
class EffectOnQuestion:
    """How changes affected agreement on one question. n: changes to raters' labels, and how many others made.

    before, after: the primary coefficient of two reports that differ only by these changes, with their URLs; "" if
    there are no such reports. compare: the URL where the two are compared. work_out: the URL where the same is
    computed from the history, "" if no report says how the question is read. had_labels: whether the question had
    labels before; True if there are such reports.
    """

    question: str
    n: int
    n_by_others: int
    is_more: bool
    had_labels: bool = True
    coefficient: str = ""
    before: str = ""
    after: str = ""
    before_address: str = ""
    after_address: str = ""
    compare: str = ""
    work_out: str = ""


@dataclass(frozen=True, slots=True)
class ReportsSince:
    """n: the number of reports. shared: the IDs of those that could be read through a link."""

    n: int
    shared: list[int]


@dataclass(frozen=True, slots=True)
class RoundAgreementChange:
    """What the newest report on a round's items says about one question, compared with the previous round.

    now, change: sentences, "" until they have been computed. address: the URL of the page with the details.
    """

    question: str
    now: str
    change: str
    address: str


class Reporting(Protocol):
    def half_width_of_one(self, *, kappa: float, share: float) -> float:
        """Return the expected half-width of kappa's interval, times the square root of the number of items.

        share: of the more common of two categories. Raises ValueError for a kappa that is impossible with this share.
        """

    def shares_alike(self, same: Sequence[int], shared: Sequence[int]) -> list[PlainFigure]:
        """Return the shares of items with the same answer, each with its Wilson interval."""

    def kappas(self, tables: NDArray[np.int64]) -> list[PlainFigure]:
        """Return unweighted Cohen's kappa for each of (P, K, K) tables."""

    def posteriors(
        self, labels: NDArray[np.int64], shape: tuple[int, int, int]
    ) -> NDArray[np.float64] | None:
        """Return the (items, categories) Dawid–Skene probabilities of each category; None if there is no estimate.

        labels: (L, 3) item, rater, and category, from 0. shape: the numbers of items, raters, and categories.
        """

    def vote_weights(self, labels: NDArray[np.int64], shape: tuple[int, int, int]) -> Estimated:
        """Return ((raters,)) the weight that each rater's vote should have. labels, shape: as for `posteriors`."""

    def error_rates(self, labels: NDArray[np.int64], shape: tuple[int, int, int]) -> Estimated:
        """Return ((categories,), (raters, categories, categories)): how common each category is, and how often each
        rater gives one when another is true, by Dawid–Skene; NaN in the rows of categories a rater has not encountered.

        labels, shape: as for `posteriors`.
        """

    def last_asked_at(self, project: Project) -> datetime | None:
        """Return when the newest report was requested."""

    def pages_of_raters(self, project: Project, raters: Collection[int]) -> dict[int, Links]:
        """Return the pages of these raters by their ID, from the newest finished report."""

    def reports_since(self, project: Project, since: datetime, questions: Collection[int]) -> ReportsSince:
        """Return reports that may have read labels given at that time. questions: whose shared reports are wanted."""

    def effects(self, project: Project, after: int, up_to: int, source: str) -> list[EffectOnQuestion]:
        """Return, by question, how the changes after one history position, up to another, affected agreement.

        source: the source of the changes, as named in revisions; "" for any. Not for viewers who are blind to them.
        """

    def names_round(self, project: Project, key: str) -> bool:
        """Return whether a report refers to a round by this key: it is limited to it, or shows its figures first."""

    def changes_in_round(self, round_: Round) -> list[RoundAgreementChange]:
        """Return the changes by question, from the newest finished report on this round's items; [] without one."""

    def own_pages(self, round_: Round, rater: Rater) -> Links:
        """Return the rater's own pages, from the newest reports with labels of the round; [] if not allowed."""


_provided: list[Reporting] = []


def provide(reporting: Reporting) -> None:
    _provided[:] = [reporting]


def reporting() -> Reporting:
    return _provided[0]
