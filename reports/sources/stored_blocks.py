"""The stored labels of a report in narrow types, so that only the ones needed have to be widened.

Recently read columns are cached in the process. They never change: blocks are written once, with their report.
"""

from collections.abc import Collection, Iterator, Mapping
from threading import Lock
from typing import Any

import numpy as np
from cachetools import LRUCache
from django.db import connection
from numpy.typing import NDArray

from raters.lettered import visible_ids
from reports.models import LabelBlock, QuestionAgreement
from reports.sources.packing import CompactArray, unpack
from reports.sources.rows import COLUMNS, Rows

MEMBERS = "members"
# The columns that filters read take 30 MB for five million labels.
MAX_BYTES = 128 << 20
# Only sets have members, whose array is never empty, even if there are no sets.
NO_MEMBERS = CompactArray(0, np.empty(0, dtype=bool))
NOTHING: NDArray[Any] = np.empty(0, dtype=np.int64)

Block = Mapping[str, CompactArray]
_held: LRUCache[tuple[str, int, str], CompactArray] = LRUCache(
    MAX_BYTES, getsizeof=lambda each: each.values.nbytes
)
_lock = Lock()


def stored_blocks(agreement: QuestionAgreement, columns: Collection[str]) -> Iterator[Block]:
    """Yield the columns of each block in the order of items, with the members of its sets."""
    wanted = [*columns, MEMBERS]
    # A database restored under the same name may have other labels with the same IDs.
    of = f"{connection.settings_dict['NAME']} {agreement.digest}"
    ids = LabelBlock.objects.filter(agreement=agreement).order_by("first_item").values_list("pk", flat=True)
    for pks in _some(list(ids), 16):
        found: dict[int, dict[str, CompactArray]] = {pk: {} for pk in pks}
        with _lock:
            for pk in pks:
                held = {name: _held.get((of, pk, name)) for name in wanted}
                found[pk] = {name: each for name, each in held.items() if each is not None}
        incomplete = [pk for pk in pks if len(found[pk]) < len(wanted)]
        for block in LabelBlock.objects.filter(pk__in=incomplete).only(*wanted) if incomplete else ():
            read = {name: _unpacked(block, name) for name in wanted if name not in found[block.pk]}
            found[block.pk] |= read
            with _lock:
                for name, each in read.items():
                    if each.values.nbytes < MAX_BYTES:
                        _held[of, block.pk, name] = each
        yield from (found[pk] for pk in pks)


def _some(ids: list[int], size: int) -> Iterator[list[int]]:
    yield from (ids[start : start + size] for start in range(0, len(ids), size))


def _unpacked(block: LabelBlock, name: str) -> CompactArray:
    packed = bytes(getattr(block, name))
    return unpack(packed) if packed else NO_MEMBERS


def rows_of(agreement: QuestionAgreement, block: Block, places: NDArray[np.int64]) -> Rows:
    """Return the rows at these positions of a block; columns that were not read are empty."""
    found: dict[str, NDArray[Any]] = {
        name: block[name].at(places) if name in block else NOTHING for name in COLUMNS
    }
    found["raters"] = visible_ids(found["raters"])
    members = None
    if len(flat := block[MEMBERS].values):
        n_categories = len(agreement.categories)
        members = flat.reshape(-1, n_categories) if n_categories else np.zeros((1, 0), dtype=bool)
    return Rows(**found, members=members)
