"""The label history is filtered by person, day, and source along indexes."""

import django.contrib.postgres.indexes
import django.db.models.functions.comparison
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("raters", "0032_items_by_worker"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="labelrevision",
            index=models.Index(fields=["rater_id"], name="revision_of_rater"),
        ),
        migrations.AddIndex(
            model_name="labelrevision",
            index=models.Index(
                condition=models.Q(("user_id__isnull", False)), fields=["user_id"], name="revision_of_user"
            ),
        ),
        migrations.AddIndex(
            model_name="labelrevision",
            index=django.contrib.postgres.indexes.BrinIndex(
                models.F("at"),
                django.db.models.functions.comparison.Collate("source", "C"),
                autosummarize=True,
                name="revision_of_time_and_source",
                pages_per_range=32,
            ),
        ),
    ]
