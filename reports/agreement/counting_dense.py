"""Confusion matrices from the full matrix: products of one-hot blocks, or np.bincount of each pair."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from reports.agreement.building import MAX_PRODUCT_CATEGORIES
from reports.agreement.pair_counts import BLOCK_CELLS, PairCounts, pair_block
from reports.agreement.ratings import DenseRatings

# Items of a one-hot block.
BLOCK_ITEMS = 2048
# Columns (categories x raters) of a product; more raters are processed panel by panel.
PANEL_COLUMNS = 1280
# Float32 counts are exact below this many items.
EXACT_ITEMS = 1 << 24

Range = tuple[int, int]
Float32Array = NDArray[np.float32]


EVERY = slice(0, None)


def count(
    ratings: DenseRatings, *, min_shared: int, threads: int, blocks: slice = EVERY
) -> Iterator[PairCounts]:
    """Yield these blocks."""
    if ratings.n_raters < 2:
        return
    counted = by_products if has_products(ratings) else by_bincount
    for block in counted(ratings, threads=threads, blocks=blocks):
        yield block if min_shared <= 0 else block.only(block.n >= min_shared)


def n_blocks(ratings: DenseRatings) -> int:
    if ratings.n_raters < 2:
        return 0
    return len(_products(ratings)) if has_products(ratings) else len(_steps(ratings))


def has_products(ratings: DenseRatings) -> bool:
    return ratings.n_categories <= MAX_PRODUCT_CATEGORIES


def by_products(ratings: DenseRatings, *, threads: int, blocks: slice = EVERY) -> Iterator[PairCounts]:
    """Yield tables as blocks of X'X, where X has a column for each rater and category, with 1 where they co-occur.

    Without missing labels, the last category is not counted, but derived from the margins.
    Exact: the products are counts below 2^24, and are converted from float32 before they could reach it.
    BLAS should run with one thread (OPENBLAS_NUM_THREADS=1): this function has its own threads.
    """
    todo = _products(ratings)
    chosen = range(*blocks.indices(len(todo)))
    margins = np.zeros((ratings.n_raters, ratings.n_categories), dtype=np.int64)
    with ThreadPoolExecutor(threads) as pool:
        for place, (left, right) in enumerate(todo[: chosen.stop]):
            if place not in chosen and left != right:
                continue
            counts = _product(ratings, left, right, threads=threads, pool=pool)
            if left == right:
                margins[slice(*left)] = _margins(counts, ratings, left)
            if place in chosen:
                yield _pairs_of_product(counts, left, right, margins)


def _products(ratings: DenseRatings) -> list[tuple[Range, Range]]:
    panels = _panels(ratings.n_raters, max(1, PANEL_COLUMNS // ratings.n_categories))
    # Products of a panel with itself come first: their diagonals hold the margins that the others need.
    return [*zip(panels, panels, strict=True), *combinations(panels, 2)]


def _is_complete(ratings: DenseRatings) -> bool:
    return ratings.n_labels == ratings.codes.size


def _margins(counts: NDArray[np.signedinteger], ratings: DenseRatings, panel: Range) -> NDArray[np.int64]:
    """(R, K) the number of items that each rater of a panel put in each category, the last by subtraction."""
    n_raters = panel[1] - panel[0]
    counted = counts.diagonal().reshape(counts.shape[0] // n_raters, n_raters).T
    last = ratings.n_items - counted.sum(axis=1, dtype=np.int64)
    return np.column_stack((counted, last))[:, : ratings.n_categories]


def _n_counted(ratings: DenseRatings) -> int:
    return ratings.n_categories - _is_complete(ratings)


def _panels(n_raters: int, width: int) -> list[Range]:
    return [(start, min(start + width, n_raters)) for start in range(0, n_raters, width)]


def _product(
    ratings: DenseRatings, left: Range, right: Range, *, threads: int, pool: ThreadPoolExecutor
) -> NDArray[np.signedinteger]:
    """Return the counts of every counted category of the left raters with every one of the right raters."""
    # Each thread takes its own range of items; no range is so long that float32 would lose a count.
    n_stretches = max(min(threads, -(-ratings.n_items // BLOCK_ITEMS)), -(-ratings.n_items // EXACT_ITEMS))
    bounds = np.linspace(0, ratings.n_items, n_stretches + 1).astype(int)
    stretches = pairwise(bounds.tolist())
    parts = pool.map(lambda stretch: _range_product(ratings, left, right, stretch), stretches)
    kind: type[np.signedinteger] = np.int64 if ratings.n_items >= EXACT_ITEMS else np.int32
    total: NDArray[np.signedinteger] = next(parts).astype(kind)
    for part in parts:
        np.add(total, part, out=total, casting="unsafe")
    return total


def _range_product(ratings: DenseRatings, left: Range, right: Range, items: Range) -> Float32Array:
    n_counted = _n_counted(ratings)
    width_left, width_right = ((stop - start) * n_counted for start, stop in (left, right))
    total = np.zeros((width_left, width_right), dtype=np.float32)
    product = np.empty_like(total)
    for start in range(*items, BLOCK_ITEMS):
        codes = ratings.codes[start : min(start + BLOCK_ITEMS, items[1])]
        x = _one_hot(codes[:, slice(*left)], n_counted)
        y = x if left == right else _one_hot(codes[:, slice(*right)], n_counted)
        np.matmul(x.T, y, out=product)
        total += product
    return total


def _one_hot(codes: NDArray[np.unsignedinteger], n_counted: int) -> Float32Array:
    """(items, categories x raters), so that the innermost loop runs over the many raters."""
    categories = np.arange(n_counted, dtype=codes.dtype)
    is_in = codes[:, None, :] == categories[None, :, None]
    return is_in.reshape(len(codes), n_counted * codes.shape[1]).astype(np.float32)


def _pairs_of_product(
    counts: NDArray[np.signedinteger], left: Range, right: Range, margins: NDArray[np.int64]
) -> PairCounts:
    """Cut the tables of the pairs (a, b), a before b, out of a product."""
    n_left, n_right = left[1] - left[0], right[1] - right[0]
    tables = counts.reshape(counts.shape[0] // n_left, n_left, counts.shape[1] // n_right, n_right)
    if left == right:
        rows, columns = np.triu_indices(n_left, k=1)
    else:
        rows, columns = (index.ravel() for index in np.indices((n_left, n_right)))
    counted = tables.transpose(1, 3, 0, 2)[rows, columns]
    rows, columns = rows + left[0], columns + right[0]
    if counted.shape[1] < margins.shape[1]:
        counted = _with_last(counted, margins[rows], margins[columns])
    return pair_block(rows, columns, counted)


def _with_last(
    counted: NDArray[np.signedinteger], of_rows: NDArray[np.int64], of_columns: NDArray[np.int64]
) -> NDArray[np.signedinteger]:
    """(P, K, K) tables from those without the last category and the margins of both raters, (P, K)."""
    tables = np.empty((len(counted), of_rows.shape[1], of_rows.shape[1]), dtype=counted.dtype)
    tables[:, :-1, :-1] = counted
    tables[:, :-1, -1] = of_rows[:, :-1] - counted.sum(axis=2)
    tables[:, -1, :] = of_columns - tables[:, :-1, :].sum(axis=1)
    return tables


def by_bincount(ratings: DenseRatings, *, threads: int, blocks: slice = EVERY) -> Iterator[PairCounts]:
    """Yield tables by counting (row, column) of each pair, in one thread, since np.bincount holds the GIL."""
    n_categories = ratings.n_categories
    by_rater = np.ascontiguousarray(ratings.codes.T)
    rows, columns = np.triu_indices(ratings.n_raters, k=1)
    for pairs in _steps(ratings)[blocks]:
        tables = np.empty((len(rows[pairs]), n_categories, n_categories), dtype=np.int32)
        _bincount_pairs(by_rater, rows[pairs], columns[pairs], tables)
        yield pair_block(rows[pairs], columns[pairs], tables)


def _steps(ratings: DenseRatings) -> list[slice]:
    """Return the pairs of each block, by their positions."""
    n_pairs = ratings.n_raters * (ratings.n_raters - 1) // 2
    step = max(1, BLOCK_CELLS // ratings.n_categories**2)
    return [slice(start, start + step) for start in range(0, n_pairs, step)]


def _bincount_pairs(
    by_rater: NDArray[np.unsignedinteger],
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    tables: NDArray[np.int32],
) -> None:
    n_categories = tables.shape[1]
    width = n_categories + 1
    current, cells = -1, np.empty(0, dtype=np.int64)
    pair = np.empty(by_rater.shape[1], dtype=np.int64)
    for table, row, column in zip(tables, rows, columns, strict=True):
        if row != current:
            current, cells = row, by_rater[row].astype(np.int64) * width
        np.add(cells, by_rater[column], out=pair)
        counts = np.bincount(pair, minlength=width * width).reshape(width, width)
        table[:] = counts[:n_categories, :n_categories]
