"""Who labeled, as a report keeps it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models import Rater


def labelers(rater_ids: NDArray[np.int64], labels_per_rater: NDArray[np.int64]) -> list[dict[str, Any]]:
    """{"id", "key", "kind", "n_labels"} of each, in the order of their keys; both arrays: (R,)."""
    n_labels = dict(zip(rater_ids.tolist(), labels_per_rater.tolist(), strict=True))
    raters = Rater.objects.filter(pk__in=n_labels).order_by("key")
    return [{"id": r.pk, "key": r.key, "kind": r.kind, "n_labels": n_labels[r.pk]} for r in raters]
