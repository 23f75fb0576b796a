"""Labels keep the id that they have where they come from; raters have attributes.

The id is no part of what a label says: neither the revisions nor their digests have a column for it.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("raters", "0007_undone_imports"),
    ]

    operations = [
        # An upgrade is one transaction: what an earlier migration changed is checked now, since a table cannot be
        # altered while its constraints wait.
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.AddField(
            model_name="rater",
            name="attributes",
            field=models.JSONField(blank=True, db_default=models.Value({}, models.JSONField()), default=dict),
        ),
        migrations.AddField(
            model_name="label",
            name="source_id",
            field=models.CharField(blank=True, db_default="", max_length=200),
        ),
        migrations.AddConstraint(
            model_name="label",
            constraint=models.UniqueConstraint(
                condition=models.Q(("source_id", ""), _negated=True),
                fields=("rater", "question", "source_id"),
                name="label_once_per_source_id",
            ),
        ),
    ]
