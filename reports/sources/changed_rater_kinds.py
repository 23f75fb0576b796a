"""Whether raters of a report have another kind now than when it was computed."""

from django.db import connection

from reports.models import Report

_CHANGED = """
SELECT EXISTS (
    SELECT FROM reports_questionagreement agreement
    CROSS JOIN LATERAL jsonb_to_recordset(agreement.raters) AS stored(id bigint, kind text)
    JOIN raters_rater rater ON rater.id = stored.id
    WHERE agreement.report_id = %s AND rater.kind <> stored.kind
)
"""


def have_rater_kinds_changed(report: Report) -> bool:
    """Return whether other raters might count if the report were computed now."""
    with connection.cursor() as cursor:
        cursor.execute(_CHANGED, [report.pk])
        [found] = cursor.fetchone()
    return bool(found)
