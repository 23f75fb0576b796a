"""Questions that were deleted because the import that created them was undone: their history finds its project by them.

Rows are written by a trigger alone: raters.0009_undone_questions.
"""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0017_attributes"),
    ]

    operations = [
        migrations.CreateModel(
            name="FormerQuestion",
            fields=[
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("key", models.CharField(max_length=200)),
                ("kind", models.CharField(max_length=10)),
                ("label_import_id", models.BigIntegerField()),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="former_questions",
                        to="projects.project",
                    ),
                ),
            ],
        ),
    ]
