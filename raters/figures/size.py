"""Which projects are large: counting their labels would take longer than a page should."""

from django.db import connection

from projects.models import Project

# Counting takes about a second per million labels. Of more than this number, pages show stored figures.
MOST_COUNTED = 200_000
# Each stops at the limit, and reads an index only.
_IS_LARGE = """
SELECT EXISTS (
    SELECT FROM raters_label
    WHERE question_id = ANY (ARRAY(SELECT id FROM projects_question WHERE project_id = %(project)s))
    OFFSET %(most)s
) OR EXISTS (
    SELECT FROM raters_assignment
    WHERE batch_id = ANY (ARRAY(SELECT id FROM projects_batch WHERE project_id = %(project)s))
    OFFSET %(most)s
) OR EXISTS (SELECT FROM projects_item WHERE project_id = %(project)s OFFSET %(most)s)
"""


def is_large(project: Project) -> bool:
    """Return whether the project has more than `MOST_COUNTED` labels, assignments, or items."""
    with connection.cursor() as cursor:
        cursor.execute(_IS_LARGE, {"project": project.pk, "most": MOST_COUNTED})
        return bool(cursor.fetchone()[0])
