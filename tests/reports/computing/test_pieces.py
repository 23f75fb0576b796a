"""Work that is computed in pieces, each by an analysis of its own, gives the same figures to the last bit."""

import json
from itertools import pairwise, product

import numpy as np
import pytest

from reports.agreement import counting_dense, counting_sparse
from reports.agreement.blockwise import ComputeBlocks, ShardBlocks, here
from reports.agreement.intervals import replicates
from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.ratings import DenseRatings, to_sparse
from reports.agreement.sample import Sample
from reports.agreement.sets.members import SetSample
from reports.agreement.weights import Level, Weights
from reports.analysis.analyze import analyze
from reports.analysis.kinds import kind_of
from reports.analysis.options import IntervalMethod, Options
from reports.analysis.question import Kind
from reports.analysis.results import to_json
from reports.store.pair_rows import rows_of
from tests.reports.analyzed import asked
from tests.sizes import some

METHODS = ["analytic", "percentile", "bca", "jackknife"]
RANDOM = np.random.default_rng(5)


def codes(n_categories: int, *, n_items: int = 90, n_raters: int = 4) -> np.ndarray:
    truth = RANDOM.integers(0, n_categories, (n_items, 1))
    found = np.where(
        RANDOM.random((n_items, n_raters)) < 0.7, truth, RANDOM.integers(0, n_categories, (n_items, n_raters))
    )
    found[RANDOM.random(found.shape) < 0.15] = n_categories
    return found


def ratings(of: np.ndarray, n_categories: int) -> DenseRatings:
    return DenseRatings(of.astype(np.uint8), n_categories, int((of < n_categories).sum()))


def numbers() -> NumberSample:
    values = RANDOM.normal(size=(70, 1)) + RANDOM.normal(scale=0.5, size=(70, 6))
    values[RANDOM.random(values.shape) < 0.1] = np.nan
    return NumberSample(np.round(values, 1))


SETS = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 1]], dtype=bool)
MANY = "".join(map(chr, range(65, 105)))
# Each kind of question and scale: sample, kind, level, categories, weights.
QUESTIONS = {
    "nominal": (Sample(ratings(codes(3), 3)), Kind.SINGLE, Level.NOMINAL, "abc", Weights.UNWEIGHTED),
    "sparse": (
        Sample(to_sparse(ratings(codes(3), 3))),
        Kind.SINGLE,
        Level.NOMINAL,
        "abc",
        Weights.UNWEIGHTED,
    ),
    "many": (Sample(ratings(codes(40), 40)), Kind.SINGLE, Level.NOMINAL, MANY, Weights.UNWEIGHTED),
    "weighted": (Sample(ratings(codes(4), 4)), Kind.SINGLE, Level.ORDINAL, "abcd", Weights.QUADRATIC),
    "sets": (SetSample(ratings(codes(4), 4), SETS), Kind.MULTIPLE, Level.NOMINAL, "abc", Weights.UNWEIGHTED),
    "numbers": (numbers(), Kind.NUMBER, Level.INTERVAL, "", Weights.UNWEIGHTED),
    "ranks": (numbers(), Kind.NUMBER, Level.ORDINAL, "", Weights.UNWEIGHTED),
}


class Shared:
    """Computes the blocks of each work in this many pieces, each as a worker would that has only the labels."""

    def __init__(self, question, n_pieces: int) -> None:
        self._question, self._n_pieces = question, n_pieces
        self.n_blocks: dict[str, int] = {}

    def __call__(self, work, report_progress):
        assert work.key not in self.n_blocks
        self.n_blocks[work.key] = work.n_blocks
        bounds = np.unique(np.linspace(0, work.n_blocks, self._n_pieces + 1).astype(int)).tolist()
        # The state of a stream travels as JSON.
        states = json.loads(json.dumps(work.states(bounds[:-1])))
        for (first, last), state in zip(pairwise(bounds), states, strict=True):
            yield from map(work.unpacked, self._piece(work.key, first, last, state))

    def _piece(self, key, first, last, state):
        labels, scope, raters = self._question()
        piece = ShardBlocks(key, first, last, state, lambda share: None)
        kind_of(scope).analysis(labels, raters).share(piece, rows_of(labels.rater_ids.tolist()))
        assert piece.found is not None
        return piece.found


@pytest.mark.parametrize(("name", "method"), some(product(QUESTIONS, METHODS), every=5))
def test_pieces_give_the_same_figures_to_the_last_bit(name, method, monkeypatch):
    # Small blocks, so that there are many.
    monkeypatch.setattr(replicates, "BLOCK_CELLS", 1 << 10)
    monkeypatch.setattr(counting_dense, "PANEL_COLUMNS", 1)
    monkeypatch.setattr(counting_dense, "BLOCK_CELLS", 1)
    monkeypatch.setattr(counting_sparse, "BLOCK_EVENTS", 1 << 5)
    sample, kind, level, categories, weights = QUESTIONS[name]
    options = Options(interval=IntervalMethod(method), replicates=300, weights=weights)

    def question():
        return asked(sample, kind, level=level, categories=categories, options=options)

    def figures(compute: ComputeBlocks = here):
        labels, scope, raters = question()
        rows: list[bytes] = []
        keep = rows_of(labels.rater_ids.tolist())
        result = analyze(labels, scope, raters, keep=keep, store=rows.append, compute=compute)
        return to_json(result), b"".join(rows)

    whole = figures()
    assert whole[0]["n_pairs"] == whole[1].count(b"\n") > 0
    for n_pieces in (1, 2, 5):
        shared = Shared(question, n_pieces)
        assert repr(figures(shared)) == repr(whole)
        assert min(shared.n_blocks.pop("pairs"), shared.n_blocks.pop("findings")) > 2
        assert bool(shared.n_blocks) == (method != "analytic")
