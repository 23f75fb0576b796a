"""The raters with labels, as stored with a report."""

import numpy as np
from numpy.typing import NDArray

from raters.models import Rater
from reports.analysis.question import LabelerJson


def labelers(rater_ids: NDArray[np.int64], labels_per_rater: NDArray[np.int64]) -> list[LabelerJson]:
    """Return the raters in the order of their keys. Both arrays: (R,)."""
    n_labels = dict(zip(rater_ids.tolist(), labels_per_rater.tolist(), strict=True))
    raters = Rater.objects.filter(pk__in=n_labels).order_by("key")
    return [{"id": r.pk, "key": r.key, "kind": r.kind, "n_labels": n_labels[r.pk]} for r in raters]
