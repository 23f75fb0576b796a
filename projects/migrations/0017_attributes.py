"""Items have attributes, which agreement may be compared by."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0016_treated_as_missing"),
    ]

    operations = [
        # An upgrade is one transaction: what an earlier migration changed is checked now, since a table cannot be
        # altered while its constraints wait.
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.AddField(
            model_name="item",
            name="attributes",
            field=models.JSONField(blank=True, db_default=models.Value({}, models.JSONField()), default=dict),
        ),
    ]
