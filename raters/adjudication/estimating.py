"""Estimation of rater reliability on a question, by a worker, for the rule of its final labels."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray

from core.history import Head, head_of
from core.runs.lease import Lease, RunFailed, RunLost
from core.shapes import Json
from core.snapshots import snapshot_connection
from projects.final_rules import FinalRule
from projects.models import Question
from raters.missing_codes import is_missing
from raters.models import FinalEstimate
from raters.passes import RoundStages, superseded
from raters.reporting import Estimated, reporting

PATIENCE = ("SET LOCAL jit = off", "SET LOCAL work_mem = '64MB'")
# The votes that count for final labels: each rater's first label per item, in the latest complete round.
# Parameters: questions (a single one) and `RoundStages.params`.
VOTES = f"""
COPY (
    SELECT DISTINCT ON (l.item_id, l.rater_id) l.item_id::bigint, l.rater_id::bigint, coalesce(l.category_id, 0)::bigint
    FROM raters_label l JOIN raters_rater r ON r.id = l.rater_id
    WHERE l.question_id = ANY (%(questions)s) AND r.kind NOT IN ('consensus', 'reference')
        AND NOT {is_missing("l")} AND NOT {superseded("l")}
    ORDER BY l.item_id, l.rater_id, l.pass_number
) TO STDOUT (FORMAT binary)
"""  # noqa: S608
ABSTENTION = 0
HEADER_BYTES, TRAILER_BYTES = 19, 2
COLUMNS = ("item", "rater", "category")
ROW = np.dtype(
    [("n", ">i2"), *(part for name in COLUMNS for part in ((f"{name}_size", ">i4"), (name, ">i8")))]
)
# Maximum raters x categories x categories to store; every page that shows final labels reads them.
MOST_CELLS = 200_000
WHY_NONE = {
    "too_large": "There are too many labels, raters, or categories to estimate how reliable raters are. Choose "
    "another rule.",
    "no_items": "There are no labels to estimate from.",
    "no_overlap": "No item has labels by two raters, so nothing shows how reliable they are.",
}
UNKNOWN = "How reliable raters are can’t be estimated from these labels."


def estimate_reliability(lease: Lease[FinalEstimate]) -> None:
    """Compute the estimate of the run and save it as done. Raises RunFailed with the reason if it is impossible."""
    run = lease.run
    question = Question.objects.select_related("project").get(pk=run.question_id)
    categories = list(question.compared_categories.values_list("pk", flat=True))
    lease.report_progress("reading labels", 0.0)
    with snapshot_connection(PATIENCE) as opened:
        head = head_of(question.project_id, opened.cursor())
        labels = read_votes(opened, question, categories)
    lease.report_progress("estimating", 0.3)
    result = estimated(FinalRule(run.rule), labels, categories)
    if not run.finish(result=result, n_labels=len(labels), **_of_head(head)):
        raise RunLost


def read_votes(
    opened: psycopg.Connection[Any], question: Question, categories: Sequence[int]
) -> NDArray[np.int64]:
    """Return item, rater, and category IDs of each vote, (L, 3), without "cannot tell"."""
    params = {"questions": [question.pk], **RoundStages.of(question.project).params()}
    with psycopg.ClientCursor(opened) as cursor, cursor.copy(VOTES, params) as copied:
        stream = b"".join(copied)
    n = (len(stream) - HEADER_BYTES - TRAILER_BYTES) // ROW.itemsize
    rows = np.frombuffer(stream, dtype=ROW, offset=HEADER_BYTES, count=n)
    labels = np.column_stack([rows[name].astype(np.int64) for name in COLUMNS])
    return labels[np.isin(labels[:, 2], categories)]


def estimated(rule: FinalRule, labels: NDArray[np.int64], categories: Sequence[int]) -> Json:
    """Return JSON with rater and category IDs and either rater weights or prevalence and error rates."""
    items, of_item = np.unique(labels[:, 0], return_inverse=True)
    raters, of_rater = np.unique(labels[:, 1], return_inverse=True)
    order = np.argsort(categories)
    codes = (
        order[np.searchsorted(np.asarray(categories)[order], labels[:, 2])] if len(labels) else labels[:, 2]
    )
    votes = np.column_stack([of_item, of_rater, codes])
    shape = (len(items), len(raters), len(categories))
    found: Json = {"raters": raters.tolist(), "categories": list(categories)}
    if rule == FinalRule.WEIGHTED:
        return found | {"weights": _or_fail(reporting().vote_weights(votes, shape))[0].tolist()}
    if shape[1] * shape[2] ** 2 > MOST_CELLS:
        raise RunFailed(WHY_NONE["too_large"])
    prevalence, confusion = _or_fail(reporting().error_rates(votes, shape))
    # Error rates are unknown for a category that a rater is not estimated to have met; it then never is the true one.
    return found | {"prevalence": prevalence.tolist(), "confusion": np.nan_to_num(confusion).tolist()}


def _or_fail(found: Estimated) -> tuple[NDArray[np.float64], ...]:
    if isinstance(found, str):
        raise RunFailed(WHY_NONE.get(found, UNKNOWN))
    return found


def _of_head(head: Head) -> Json:
    return {"head_position": head.position, "head_entry": head.entry, "head_digest": head.digest}
