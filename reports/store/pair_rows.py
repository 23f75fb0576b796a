"""The rows of pairs, as text for COPY, which any worker can write."""

import json
from collections.abc import Iterable, Sequence

from reports.analysis.pair_blocks import Keep
from reports.analysis.results import PairResult, to_json

COPY_PAIRS = """
COPY reports_pairagreement (
    agreement_id, rater_a_id, rater_b_id, n, counts, figures, observed, expected, kappa, se, ci_low, ci_high, kappa_max,
    reason
) FROM STDIN"""
NULL = r"\N"


def rows_of(ids: Sequence[int]) -> Keep:
    """Return what writes pairs as rows, without the agreement that they are of. ids: of the raters, by column."""

    def rows(pairs: Iterable[PairResult]) -> bytes:
        return "".join(_row(pair, ids) for pair in pairs).encode()

    return rows


def rows_in(rows: bytes, agreement: int) -> bytes:
    """Return the rows with the ID of their agreement."""
    if not rows:
        return b""
    start = b"%d\t" % agreement
    return start + rows[:-1].replace(b"\n", b"\n" + start) + b"\n"


def _row(pair: PairResult, ids: Sequence[int]) -> str:
    counts = str(list(pair.counts))[1:-1]
    # JSON has no other special characters of COPY than this one.
    figures = NULL if pair.figures is None else json.dumps(to_json(pair.figures)).replace("\\", r"\\")
    columns = "\t".join([NULL if value is None else str(value) for value in pair[5:]])
    return f"{ids[pair.rater_a]}\t{ids[pair.rater_b]}\t{pair.n}\t{{{counts}}}\t{figures}\t{columns}\n"
