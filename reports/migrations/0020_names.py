"""Reports keep the names of their project and its rounds; those that have begun keep the present ones."""

from django.db import migrations, models
from django.db.models import Value

KEEP_NAMES = """
UPDATE reports_report report
SET names = jsonb_build_object('project', project.name, 'rounds', coalesce((
    SELECT jsonb_agg(jsonb_build_object('id', round.id, 'key', round.key) ORDER BY round.position, round.id)
    FROM projects_batch round WHERE round.project_id = project.id
), '[]'::jsonb))
FROM projects_project project
WHERE project.id = report.project_id AND report.head_position IS NOT NULL"""


class Migration(migrations.Migration):
    dependencies = [("reports", "0019_disagreement")]

    operations = [
        migrations.AddField(
            model_name="report",
            name="names",
            field=models.JSONField(default=dict, db_default=Value({}, models.JSONField())),
        ),
        migrations.RunSQL(KEEP_NAMES, migrations.RunSQL.noop),
    ]
