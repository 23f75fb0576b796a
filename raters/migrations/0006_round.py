"""A batch is called a round, in the models and in the options of imports, and putting off skipping.

Tables and columns keep their names.
"""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models

# The role of a column, and what the whole file is of.
IMPORTS = """
UPDATE raters_labelimport SET
    options = options - 'batch'
        || CASE WHEN options ? 'batch' THEN jsonb_build_object('round', options->'batch') ELSE '{}'::jsonb END
        || CASE WHEN options->'columns' ? 'batch' THEN jsonb_build_object('columns',
            (options->'columns') - 'batch' || jsonb_build_object('round', options->'columns'->'batch'))
            ELSE '{}'::jsonb END
WHERE options ? 'batch' OR options->'columns' ? 'batch';
UPDATE raters_labelimport SET preview = jsonb_set(preview, '{new}',
    (preview->'new') - 'batch' || jsonb_build_object('round', preview->'new'->'batch'))
WHERE preview->'new' ? 'batch';
UPDATE raters_labelimport SET preview = jsonb_set(preview, '{staged,places}',
    (preview->'staged'->'places') - 'batch' || jsonb_build_object('round', preview->'staged'->'places'->'batch'))
WHERE preview->'staged'->'places' ? 'batch';
"""


def round_of(related_name: str, **options: Any) -> models.ForeignKey:
    return models.ForeignKey(
        blank=True,
        db_column="batch_id",
        null=True,
        on_delete=django.db.models.deletion.PROTECT,
        related_name=related_name,
        to="projects.round",
        **options,
    )


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0009_round"),
        ("raters", "0005_project_uploads"),
    ]

    operations = [
        migrations.AlterField("assignment", "batch", round_of("assignments")),
        migrations.RenameField("assignment", "batch", "round"),
        migrations.AlterField("label", "batch", round_of("labels", db_index=False)),
        migrations.RenameField("label", "batch", "round"),
        migrations.AlterField(
            "labelrevision", "batch_id", models.BigIntegerField(db_column="batch_id", null=True)
        ),
        migrations.RenameField("labelrevision", "batch_id", "round_id"),
        migrations.AlterField(
            "assignment", "put_off_at", models.DateTimeField(blank=True, db_column="put_off_at", null=True)
        ),
        migrations.RenameField("assignment", "put_off_at", "skipped_at"),
        # The indexes stand as they are.
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveIndex("assignment", "assignment_free"),
                migrations.AddIndex(
                    "assignment",
                    models.Index(
                        fields=["round", "position", "id"],
                        condition=models.Q(state="pending", is_on_demand=True),
                        name="assignment_free",
                    ),
                ),
                migrations.RemoveIndex("label", "label_of_question"),
                migrations.AddIndex(
                    "label",
                    models.Index(
                        fields=["question", "item"],
                        include=("rater", "category", "pass_number", "round"),
                        name="label_of_question",
                    ),
                ),
            ],
        ),
        migrations.RunSQL(IMPORTS, migrations.RunSQL.noop),
    ]
