"""Compare one rater with the consensus of the others, and two series of labels with each other."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reports.agreement.results import FloatArray, IntArray, Reason
from reports.analysis.kinds import kind_of
from reports.analysis.kinds.kind import QuestionKind
from reports.analysis.label_arrays import RaterAndOtherLabels, Series, is_same
from reports.analysis.question import QuestionScope
from reports.analysis.results import RaterVersusConsensus, SeriesStatistics


@dataclass(frozen=True, slots=True, eq=False)
class RaterAndConsensus:
    """The rater's labels with the consensus of the others on the same items, one entry for each item.

    is_known: (n,) whether the others have a consensus. is_tied: whether they have labels but no consensus. n_others:
    number of their labels.
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
        """(n,) where the consensus is known and the rater's label is the same."""
        found: NDArray[np.bool_] = self.is_known & is_same(self.own, self.others)
        return found

    @property
    def scores(self) -> FloatArray:
        """(n,) similarity of the rater's label to the consensus: 1 or 0; for sets |A n B| / |A u B|; for numbers, the
        rater's minus the consensus.
        """
        return self.kind.likeness(self.own, self.others)


def rater_and_consensus(scope: QuestionScope, labels: RaterAndOtherLabels) -> RaterAndConsensus:
    kind, own, places = kind_of(scope), labels.own, labels.places
    consensus, is_known, is_tied = kind.consensus_of_others(places, labels.others, n_items=len(own))
    return RaterAndConsensus(
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


def compared(scope: QuestionScope, a: Series, b: Series) -> SeriesStatistics:
    """Return every statistic of two raters for two series of n labels."""
    if not len(a):
        return SeriesStatistics(
            n=0, values={}, categories={}, tests={}, counts=None, reason=Reason.NO_OVERLAP
        )
    return kind_of(scope).series_compared(a, b)


def rater_versus_consensus(scope: QuestionScope, both: RaterAndConsensus) -> RaterVersusConsensus:
    known = both.is_known
    return RaterVersusConsensus(
        figures=compared(scope, both.own.at(known), both.others.at(known)),
        n_items=len(both.items),
        n_alone=int(np.count_nonzero(both.n_others == 0)),
        n_tied=int(np.count_nonzero(both.is_tied)),
        n_same=int(np.count_nonzero(both.is_same)),
    )
