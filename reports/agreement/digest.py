"""A fingerprint of labels that does not depend on their order or storage."""

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reports.agreement.ratings import Ratings


def labels_digest(
    ratings: Ratings,
    *,
    item_ids: NDArray[np.int64],
    rater_ids: NDArray[np.int64],
    category_ids: Sequence[int],
) -> str:
    """SHA-256, in hexadecimal, of the declared categories and of all labels by item, rater, and category.

    Equal exactly if the category IDs, in declared order, and the triples (item ID, rater ID, category ID)
    are. The hash is of little-endian 64-bit numbers: the numbers of categories, items, raters, and labels;
    the three lists of IDs; and the packed labels, in ascending order, as positions in those lists.
    """
    sha256 = hashlib.sha256()
    sizes = [len(category_ids), len(item_ids), len(rater_ids), ratings.n_labels]
    for numbers in (sizes, category_ids, item_ids, rater_ids):
        sha256.update(np.asarray(numbers, dtype="<i8").tobytes())
    for keys in ratings.packed_blocks():
        sha256.update(keys.astype("<u8").tobytes())
    return sha256.hexdigest()
