"""Which version of the codebook each rater saw last; those who labeled before versions were kept saw the first."""

from django.db import migrations, models

SEEN = """
UPDATE raters_rater r SET codebook_seen = 1
WHERE r.kind = 'human'
    AND EXISTS (SELECT FROM projects_codebookversion v WHERE v.project_id = r.project_id)
    AND EXISTS (SELECT FROM raters_assignment a WHERE a.rater_id = r.id AND a.state = 'done')
"""


class Migration(migrations.Migration):
    dependencies = [
        ("raters", "0009_undone_questions"),
        ("projects", "0020_codebook_versions"),
    ]

    operations = [
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.AddField(
            model_name="rater",
            name="codebook_seen",
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.RunSQL(SEEN, migrations.RunSQL.noop),
    ]
