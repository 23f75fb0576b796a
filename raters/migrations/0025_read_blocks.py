"""What a worker has read of a file survives it, so that another worker can go on from there."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("raters", "0024_import_progress")]

    operations = [
        migrations.CreateModel(
            name="ReadBlock",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveIntegerField()),
                ("reading", models.CharField(max_length=64)),
                ("labels", models.BinaryField()),
                ("items", models.BinaryField()),
                ("kinds", models.BinaryField()),
                ("state", models.JSONField()),
                ("is_last", models.BooleanField(default=False)),
                (
                    "label_import",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="blocks",
                        to="raters.labelimport",
                    ),
                ),
            ],
            options={"ordering": ["position"]},
        ),
        migrations.AddConstraint(
            model_name="readblock",
            constraint=models.UniqueConstraint(
                fields=("label_import", "position"), name="read_block_once_per_position"
            ),
        ),
    ]
