"""One rater beside the consensus of the others, and two series of labels against each other."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reports.agreement.results import FloatArray, IntArray, Reason
from reports.analysis.kinds import kind_of
from reports.analysis.kinds.kind import QuestionKind
from reports.analysis.labels import LabelsBeside, Series, is_same
from reports.analysis.question import Scope
from reports.analysis.results import Json


@dataclass(frozen=True, slots=True, eq=False)
class Beside:
    """The rater's labels with the consensus of the others on the same items, one entry for each item.

    is_known: (n,) whether the others have a consensus. is_tied: they have labels and none. n_others: their labels.
    """

    kind: QuestionKind
    items: IntArray
    own: Series
    others: Series
    is_known: NDArray[np.bool_]
    is_tied: NDArray[np.bool_]
    n_others: NDArray[np.int64]
    times: FloatArray
    seconds: FloatArray

    @property
    def is_same(self) -> NDArray[np.bool_]:
        """(n,) where both are known and the same."""
        found: NDArray[np.bool_] = self.is_known & is_same(self.own, self.others)
        return found

    @property
    def scores(self) -> FloatArray:
        """(n,) how far the rater's label is like the consensus: 1 or 0; of sets |A n B| / |A u B|; of numbers how much
        higher the rater's is.
        """
        return self.kind.likeness(self.own, self.others)


def beside_of(scope: Scope, labels: LabelsBeside) -> Beside:
    kind, own, places = kind_of(scope), labels.own, labels.places
    consensus, is_known, is_tied = kind.consensus_of_others(places, labels.others, n_items=len(own))
    return Beside(
        kind,
        own.items,
        kind.series(own),
        consensus,
        is_known,
        is_tied,
        np.bincount(places, minlength=len(own)),
        own.times,
        own.seconds,
    )


def compared(scope: Scope, a: Series, b: Series) -> Json:
    """Two labels to each of n questions against each other: every statistic of two raters, as JSON.

    counts: of single choice, the confusion matrix with rows a, unless it is large.
    """
    if not len(a):
        return {
            "n": 0,
            "values": {},
            "categories": {},
            "tests": {},
            "counts": None,
            "reason": str(Reason.NO_OVERLAP),
        }
    return {"n": len(a), **kind_of(scope).series_compared(a, b), "reason": ""}
