"""Questions that are answered in free text."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0034_pass_marks"),
    ]

    operations = [
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.AlterField(
            model_name="question",
            name="kind",
            field=models.CharField(
                choices=[
                    ("single", "Single choice"),
                    ("multiple", "Multiple choice"),
                    ("number", "Number"),
                    ("text", "Free text"),
                ],
                default="single",
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="question",
            name="max_length",
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddConstraint(
            model_name="question",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("max_length__isnull", True),
                    models.Q(("kind", "text"), ("max_length__gte", 1), ("max_length__lte", 10000)),
                    _connector="OR",
                ),
                name="question_max_length_is_of_text",
            ),
        ),
    ]
