"""A round can be another attempt at one with a pass mark."""

import django.core.validators
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("projects", "0038_question_confidence")]

    operations = [
        migrations.CreateModel(
            name="RoundAttempt",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "number",
                    models.PositiveSmallIntegerField(
                        validators=[django.core.validators.MinValueValidator(2)]
                    ),
                ),
                (
                    "first",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="attempts",
                        to="projects.round",
                    ),
                ),
                (
                    "round",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="attempt",
                        to="projects.round",
                    ),
                ),
            ],
            options={"ordering": ["first", "number", "round"]},
        ),
        migrations.AddConstraint(
            model_name="roundattempt",
            constraint=models.CheckConstraint(
                condition=models.Q(("round", models.F("first")), _negated=True),
                name="attempt_at_another_round",
            ),
        ),
        migrations.AddConstraint(
            model_name="roundattempt",
            constraint=models.CheckConstraint(
                condition=models.Q(("number__gte", 2)), name="attempt_after_the_first"
            ),
        ),
    ]
