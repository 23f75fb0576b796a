"""Which rounds add raters to items by themselves."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0034_pass_marks"),
        ("raters", "0012_quality"),
    ]

    operations = [
        migrations.CreateModel(
            name="AdaptiveOverlap",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "until",
                    models.CharField(
                        choices=[
                            ("majority", "More than half give the same answer"),
                            ("unanimous", "All give the same answer"),
                        ],
                        default="majority",
                        max_length=10,
                    ),
                ),
                ("up_to", models.PositiveSmallIntegerField(default=3)),
                (
                    "questions",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), default=list, size=None
                    ),
                ),
                (
                    "users",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), default=list, size=None
                    ),
                ),
                ("is_active", models.BooleanField(default=True)),
                ("looked_up_to", models.BigIntegerField(default=0)),
                (
                    "changed_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "further",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="adds_to",
                        to="projects.round",
                    ),
                ),
                (
                    "round",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="adaptive",
                        to="projects.round",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("up_to__gte", 2)), name="adaptive_up_to_at_least_2"
                    )
                ],
            },
        ),
    ]
