"""Audits: their design, the drawn labels, and certificates."""

import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0040_audit_projects"),
        ("raters", "0018_final_estimates"),
    ]

    operations = [
        migrations.CreateModel(
            name="Audit",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("source_name", models.CharField(max_length=200)),
                ("source_position", models.PositiveBigIntegerField(null=True)),
                ("source_digest", models.CharField(blank=True, default="", max_length=64)),
                ("population", models.JSONField(default=dict)),
                ("n_labels", models.PositiveBigIntegerField()),
                ("n_units", models.PositiveBigIntegerField()),
                (
                    "unit",
                    models.CharField(
                        choices=[("label", "Labels"), ("item", "Items, with all of their labels")],
                        max_length=5,
                    ),
                ),
                ("stratify_by", models.CharField(blank=True, default="", max_length=206)),
                (
                    "allocation",
                    models.CharField(
                        choices=[
                            ("proportional", "In proportion to size"),
                            ("equal", "Equal numbers"),
                            ("optimal", "By size and expected error rate"),
                        ],
                        default="proportional",
                        max_length=12,
                    ),
                ),
                ("strata", models.JSONField(default=list)),
                ("groups", models.JSONField(default=list)),
                ("plan", models.JSONField(default=dict)),
                ("seed", models.PositiveBigIntegerField()),
                ("shows_given", models.BooleanField(default=False)),
                (
                    "double_share",
                    models.FloatField(
                        default=0.0,
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(1),
                        ],
                    ),
                ),
                (
                    "drawn_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                (
                    "drawn_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="audit",
                        to="projects.project",
                    ),
                ),
                (
                    "question",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="audit",
                        to="projects.question",
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="audits",
                        to="projects.project",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="AuditCertificate",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("content", models.JSONField()),
                ("digest", models.CharField(max_length=64)),
                (
                    "issued_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                (
                    "audit",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="certificates",
                        to="raters.audit",
                    ),
                ),
                (
                    "issued_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="AuditedLabel",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("unit", models.PositiveIntegerField()),
                ("stratum", models.PositiveIntegerField(default=0)),
                ("probability", models.FloatField()),
                ("given", models.JSONField()),
                ("rater", models.CharField(max_length=200)),
                ("rater_kind", models.CharField(max_length=10)),
                ("rater_attributes", models.JSONField(default=dict)),
                ("round", models.CharField(blank=True, default="", max_length=200)),
                ("given_at", models.DateTimeField(null=True)),
                ("source_label", models.BigIntegerField(null=True)),
                (
                    "verdict",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("wrong", "The given label is wrong"),
                            ("right", "The given label is right"),
                        ],
                        default="",
                        max_length=5,
                    ),
                ),
                ("verdict_about", models.JSONField(null=True)),
                (
                    "severity",
                    models.CharField(
                        blank=True,
                        choices=[("critical", "Critical"), ("major", "Major"), ("minor", "Minor")],
                        default="",
                        max_length=8,
                    ),
                ),
                ("note", models.CharField(blank=True, default="", max_length=2000)),
                ("reviewed_at", models.DateTimeField(null=True)),
                (
                    "audit",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="labels", to="raters.audit"
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="audited_labels",
                        to="projects.item",
                    ),
                ),
                (
                    "reviewed_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["unit", "id"],
            },
        ),
        migrations.AddConstraint(
            model_name="audit",
            constraint=models.CheckConstraint(
                condition=models.Q(("double_share__gte", 0), ("double_share__lte", 1)),
                name="audit_double_share_is_a_share",
            ),
        ),
        migrations.AddIndex(
            model_name="auditedlabel",
            index=models.Index(fields=["audit", "unit"], name="audited_label_in_order"),
        ),
        migrations.AddConstraint(
            model_name="auditedlabel",
            constraint=models.CheckConstraint(
                condition=models.Q(("probability__gt", 0), ("probability__lte", 1)),
                name="audited_label_probability",
            ),
        ),
        migrations.AddConstraint(
            model_name="auditedlabel",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("verdict", ""), _negated=True), ("severity", ""), _connector="OR"
                ),
                name="audited_label_severity_needs_a_verdict",
            ),
        ),
    ]
