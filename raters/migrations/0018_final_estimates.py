"""How reliable raters are, estimated for rules of final labels."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0037_final_rules"),
        ("raters", "0017_label_confidence"),
    ]

    operations = [
        migrations.CreateModel(
            name="FinalEstimate",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "Not started"),
                            ("queued", "Waiting"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Canceled"),
                        ],
                        default="queued",
                        editable=False,
                        max_length=10,
                    ),
                ),
                ("attempt", models.PositiveIntegerField(default=0, editable=False)),
                ("losses", models.PositiveSmallIntegerField(default=0, editable=False)),
                ("lease_until", models.DateTimeField(editable=False, null=True)),
                ("sent_at", models.DateTimeField(editable=False, null=True)),
                ("sends", models.PositiveSmallIntegerField(default=0, editable=False)),
                ("stage", models.CharField(blank=True, editable=False, max_length=60)),
                ("share_done", models.FloatField(default=0, editable=False)),
                ("failure", models.TextField(blank=True, editable=False)),
                (
                    "asked_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("started_at", models.DateTimeField(editable=False, null=True)),
                ("finished_at", models.DateTimeField(editable=False, null=True)),
                (
                    "rule",
                    models.CharField(
                        choices=[
                            ("plurality", "Most frequent label"),
                            ("adjudicated", "Decisions only"),
                            ("unanimous", "Unanimous"),
                            ("majority", "Majority"),
                            ("category_majority", "Majority for each category"),
                            ("median", "Median"),
                            ("mean", "Mean"),
                            ("weighted", "Weighted vote"),
                            ("dawid_skene", "Dawid–Skene"),
                        ],
                        max_length=20,
                    ),
                ),
                ("result", models.JSONField(editable=False, null=True)),
                ("n_labels", models.PositiveIntegerField(default=0, editable=False)),
                ("head_position", models.BigIntegerField(editable=False, null=True)),
                ("head_entry", models.BigIntegerField(editable=False, null=True)),
                ("head_digest", models.CharField(default="", editable=False, max_length=64)),
                (
                    "asked_by",
                    models.ForeignKey(
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "question",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="final_estimates",
                        to="projects.question",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["question", "-id"], name="final_estimate_newest"),
                    models.Index(fields=["state", "lease_until"], name="final_estimate_due"),
                ],
            },
        ),
    ]
