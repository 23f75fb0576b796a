"""An import of labels can be undone; what it created is noted as ranges of ids."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("raters", "0006_round"),
    ]

    operations = [
        # An upgrade is one transaction, in which 0006 changed these rows: their constraints are checked now, since a
        # table cannot be altered while they wait.
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.AddField(
            model_name="labelimport",
            name="undone",
            field=models.JSONField(default=dict, editable=False),
        ),
        migrations.AddField(
            model_name="labelimport",
            name="undone_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="labelimport",
            name="undone_by",
            field=models.ForeignKey(
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.CreateModel(
            name="ImportedRange",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("item", "Item"),
                            ("rater", "Rater"),
                            ("question", "Question"),
                            ("category", "Category"),
                            ("round", "Round"),
                            ("revision", "Revision"),
                        ],
                        max_length=8,
                    ),
                ),
                ("first_id", models.BigIntegerField()),
                ("last_id", models.BigIntegerField()),
                (
                    "label_import",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="ranges",
                        to="raters.labelimport",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("first_id__lte", models.F("last_id"))),
                        name="imported_range_in_order",
                    )
                ],
            },
        ),
    ]
