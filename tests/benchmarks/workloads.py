"""The labels that benchmarks count: seeded, of fixed sizes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Workload:
    name: str
    n_items: int
    n_raters: int
    n_categories: int
    about: str
    # Labels of an item where not everybody labels it: at least, and on average.
    few: tuple[int, float] | None = None
    missing: float = 0.0

    @property
    def is_sparse(self) -> bool:
        return self.few is not None


WORKLOADS = {
    load.name: load
    for load in (
        Workload("a1", 10_000, 10, 5, "10 raters × 10,000 items, 5 categories"),
        Workload("a2", 100_000, 50, 5, "50 raters × 100,000 items, 5 categories"),
        Workload("a2m", 100_000, 50, 5, "a2 with 10 % missing", missing=0.1),
        Workload("a3", 100_000, 200, 10, "200 raters × 100,000 items, 10 categories"),
        Workload("b", 1_000_000, 2_000, 5, "1 million items × 3 of 2,000 raters, 5 categories", few=(3, 3.0)),
        Workload(
            "c",
            2_950_000,
            20_000,
            5,
            "2.95 million items × 2 to 12 of 20,000 raters, 5 categories",
            few=(2, 3.4),
        ),
        Workload("d", 100_000, 50, 100, "50 raters × 100,000 items, 100 categories"),
    )
}


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """Columns of labels in ascending order of item, then rater."""

    items: NDArray[np.int64]
    raters: NDArray[np.int64]
    codes: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.items)


def labels_of(load: Workload) -> Labels:
    random = np.random.default_rng(20_260_101)
    items, raters = _few(load, random) if load.few else _full(load, random)
    truth = random.integers(0, load.n_categories, load.n_items)
    codes = np.where(
        random.random(len(items)) < 0.6, truth[items], random.integers(0, load.n_categories, len(items))
    )
    return Labels(items, raters, codes)


def _full(load: Workload, random: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    is_there = random.random((load.n_items, load.n_raters)) >= load.missing
    items, raters = np.nonzero(is_there)
    return items, raters


def _few(load: Workload, random: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Each item has its number of different raters; the work of raters falls off as 1 / rank."""
    assert load.few is not None
    least, mean = load.few
    wanted = np.full(load.n_items, least)
    if mean > least:
        wanted += np.minimum(random.geometric(1 / (mean - least + 1), load.n_items) - 1, 12 - least)
    shares = np.cumsum(1 / np.arange(1, load.n_raters + 1))
    keys = np.empty(0, dtype=np.int64)
    open_items = np.repeat(np.arange(load.n_items), wanted)
    while len(open_items):
        chosen = np.searchsorted(shares, random.random(len(open_items)) * shares[-1])
        keys = np.unique(np.concatenate((keys, open_items * load.n_raters + chosen)))
        found = np.bincount(keys // load.n_raters, minlength=load.n_items)
        open_items = np.repeat(np.arange(load.n_items), wanted - found)
    # Rank and number of a rater have nothing to do with each other.
    numbers = random.permutation(load.n_raters)
    items, raters = keys // load.n_raters, numbers[keys % load.n_raters]
    order = np.lexsort((raters, items))
    return items[order], raters[order]
