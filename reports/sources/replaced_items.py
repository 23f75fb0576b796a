"""Items of a report whose content was replaced by an import."""

from datetime import datetime

from django.db import connection

from reports.models import Report
from reports.sources.relation import Params

REPLACED = """
SELECT count(DISTINCT version.item_id)
FROM projects_itemversion version JOIN projects_item item ON item.id = version.item_id
WHERE item.project_id = %(project)s AND version.replaced_at >= %(since)s
    AND (%(until)s::timestamptz IS NULL OR version.replaced_at < %(until)s)
    AND EXISTS (
        SELECT FROM raters_label label
        WHERE label.item_id = version.item_id AND label.question_id = ANY (%(questions)s)
            AND (%(rounds)s::bigint[] IS NULL OR label.batch_id = ANY (%(rounds)s))
    )
"""


def n_items_replaced(report: Report, *, until: datetime | None = None) -> int:
    """Return the number of its items whose content was replaced since the report began to read."""
    rounds = report.codebook.get("rounds")
    params: Params = {
        "project": report.project_id,
        "since": report.started_at or report.asked_at,
        "until": until,
        "questions": [question["id"] for question in report.codebook["questions"]],
        "rounds": None if rounds is None else [round_["id"] for round_ in rounds],
    }
    with connection.cursor() as cursor:
        cursor.execute(REPLACED, params)
        return int(cursor.fetchone()[0])
