"""Rounds have a pass mark, and open to those who passed others; kinds of events need no migration any more."""

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import projects.models.log


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0033_reference_set"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.CreateModel(
            name="RoundGate",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
            ],
            options={
                "ordering": ["gate__position", "gate"],
            },
        ),
        migrations.AddField(
            model_name="round",
            name="pass_mark",
            field=models.FloatField(
                blank=True,
                null=True,
                validators=[
                    django.core.validators.MinValueValidator(0.01),
                    django.core.validators.MaxValueValidator(1),
                ],
            ),
        ),
        migrations.AlterField(
            model_name="event",
            name="kind",
            field=models.CharField(choices=projects.models.log.event_kinds, max_length=30),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("pass_mark__isnull", True),
                    models.Q(("pass_mark__gt", 0), ("pass_mark__lte", 1)),
                    _connector="OR",
                ),
                name="batch_pass_mark_is_a_share",
            ),
        ),
        migrations.AddField(
            model_name="roundgate",
            name="gate",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="gated", to="projects.round"
            ),
        ),
        migrations.AddField(
            model_name="roundgate",
            name="round",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="gates", to="projects.round"
            ),
        ),
        migrations.AddConstraint(
            model_name="roundgate",
            constraint=models.UniqueConstraint(fields=("round", "gate"), name="round_gate_once"),
        ),
        migrations.AddConstraint(
            model_name="roundgate",
            constraint=models.CheckConstraint(
                condition=models.Q(("round", models.F("gate")), _negated=True),
                name="round_gate_is_another_round",
            ),
        ),
    ]
