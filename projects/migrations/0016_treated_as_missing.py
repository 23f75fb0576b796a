"""Categories and numbers can be declared as missing: labels keep them, reports leave them out."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0015_webhooks"),
    ]

    operations = [
        migrations.AddField(
            model_name="category",
            name="treated_as_missing",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="question",
            name="missing_values",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.FloatField(), blank=True, db_default=[], default=list, size=None
            ),
        ),
    ]
