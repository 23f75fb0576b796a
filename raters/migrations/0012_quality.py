"""Who passed which round, quality rules with their alerts, and raters who are paused."""

import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0034_pass_marks"),
        ("raters", "0011_asked_again"),
    ]

    operations = [
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.CreateModel(
            name="Qualification",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("n", models.PositiveIntegerField()),
                ("n_right", models.PositiveIntegerField()),
                ("is_passed", models.BooleanField()),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("note", models.CharField(blank=True, db_default="", max_length=500)),
            ],
        ),
        migrations.CreateModel(
            name="QualityAlert",
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
                            ("reference", "Reference answers"),
                            ("repeats", "Blind repeats"),
                            ("speed", "Speed"),
                            ("same_answer", "Same answer in a row"),
                        ],
                        max_length=12,
                    ),
                ),
                ("rule", models.CharField(max_length=500)),
                ("about", models.CharField(blank=True, db_default="", max_length=500)),
                ("n", models.PositiveIntegerField()),
                ("n_bad", models.PositiveIntegerField()),
                ("probability", models.FloatField(blank=True, null=True)),
                ("has_paused", models.BooleanField(default=False)),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
                ("note", models.CharField(blank=True, db_default="", max_length=500)),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="QualityCount",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("standing", models.JSONField(default=dict)),
            ],
        ),
        migrations.CreateModel(
            name="QualityRule",
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
                            ("reference", "Reference answers"),
                            ("repeats", "Blind repeats"),
                            ("speed", "Speed"),
                            ("same_answer", "Same answer in a row"),
                        ],
                        max_length=12,
                    ),
                ),
                (
                    "n",
                    models.PositiveSmallIntegerField(
                        validators=[django.core.validators.MinValueValidator(1)]
                    ),
                ),
                ("limit", models.PositiveSmallIntegerField()),
                ("acceptable", models.FloatField(blank=True, null=True)),
                ("at_most", models.FloatField(blank=True, null=True)),
                ("seconds", models.FloatField(blank=True, null=True)),
                ("pauses", models.BooleanField(default=False)),
                ("message", models.CharField(blank=True, db_default="", max_length=500)),
                ("is_active", models.BooleanField(default=True)),
                ("looked_up_to", models.BigIntegerField(default=0)),
                ("changed_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
        ),
        migrations.AddField(
            model_name="rater",
            name="may_resume",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="rater",
            name="pause_note",
            field=models.CharField(blank=True, db_default="", max_length=500),
        ),
        migrations.AddField(
            model_name="rater",
            name="paused_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="rater",
            name="paused_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddConstraint(
            model_name="rater",
            constraint=models.CheckConstraint(
                condition=models.Q(("may_resume", False), ("paused_at__isnull", False), _connector="OR"),
                name="rater_resumes_from_a_pause",
            ),
        ),
        migrations.AddField(
            model_name="qualification",
            name="decided_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="qualification",
            name="rater",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="qualifications", to="raters.rater"
            ),
        ),
        migrations.AddField(
            model_name="qualification",
            name="round",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="qualifications",
                to="projects.round",
            ),
        ),
        migrations.AddField(
            model_name="qualityalert",
            name="closed_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="qualityalert",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="quality_alerts",
                to="projects.project",
            ),
        ),
        migrations.AddField(
            model_name="qualityalert",
            name="rater",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="quality_alerts", to="raters.rater"
            ),
        ),
        migrations.AddField(
            model_name="qualitycount",
            name="rater",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="raters.rater"
            ),
        ),
        migrations.AddField(
            model_name="qualityrule",
            name="changed_by",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="qualityrule",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="quality_rules",
                to="projects.project",
            ),
        ),
        migrations.AddField(
            model_name="qualitycount",
            name="rule",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="counts", to="raters.qualityrule"
            ),
        ),
        migrations.AddConstraint(
            model_name="qualification",
            constraint=models.UniqueConstraint(
                fields=("round", "rater"), name="qualification_once_per_round_rater"
            ),
        ),
        migrations.AddConstraint(
            model_name="qualification",
            constraint=models.CheckConstraint(
                condition=models.Q(("n_right__lte", models.F("n"))), name="qualification_of_its_items"
            ),
        ),
        migrations.AddIndex(
            model_name="qualityalert",
            index=models.Index(
                condition=models.Q(("closed_at__isnull", True)), fields=["project"], name="quality_alert_open"
            ),
        ),
        migrations.AddConstraint(
            model_name="qualityrule",
            constraint=models.UniqueConstraint(fields=("project", "kind"), name="quality_rule_once_per_kind"),
        ),
        migrations.AddConstraint(
            model_name="qualityrule",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "same_answer"), ("limit__gte", 2)),
                    models.Q(models.Q(("kind", "same_answer"), _negated=True), ("limit__lt", models.F("n"))),
                    _connector="OR",
                ),
                name="quality_rule_can_alert",
            ),
        ),
        migrations.AddConstraint(
            model_name="qualityrule",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "speed"), ("seconds__gt", 0)),
                    models.Q(models.Q(("kind", "speed"), _negated=True), ("seconds__isnull", True)),
                    _connector="OR",
                ),
                name="quality_rule_speed_has_seconds",
            ),
        ),
        migrations.AddConstraint(
            model_name="qualityrule",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("acceptable__isnull", True), ("kind", "same_answer")),
                    models.Q(
                        models.Q(("kind", "same_answer"), _negated=True),
                        ("acceptable__gte", 0),
                        ("acceptable__lt", 1),
                    ),
                    _connector="OR",
                ),
                name="quality_rule_acceptable_is_a_share",
            ),
        ),
        migrations.AddConstraint(
            model_name="qualitycount",
            constraint=models.UniqueConstraint(fields=("rule", "rater"), name="quality_count_once_per_rater"),
        ),
    ]
