"""Number questions say what raters may enter, and which difference adjudication passes over."""

from django.db import migrations, models
from django.db.models import F, Q

MAX_VALUE = 1e100
IS_ORDERED = Q(minimum__isnull=True) | Q(maximum__isnull=True) | Q(minimum__lte=F("maximum"))
IS_STEP = Q(step__isnull=True) | Q(step__gt=0, step__lte=MAX_VALUE)
IS_TOLERANCE = Q(tolerance__isnull=True) | Q(tolerance__gte=0, tolerance__lte=MAX_VALUE)


def number(name: str) -> migrations.AddField:
    return migrations.AddField(
        model_name="question", name=name, field=models.FloatField(blank=True, null=True)
    )


def check(name: str, condition: Q) -> migrations.AddConstraint:
    return migrations.AddConstraint(
        model_name="question", constraint=models.CheckConstraint(condition=condition, name=name)
    )


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0021_report_named"),
    ]

    operations = [
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        number("minimum"),
        number("maximum"),
        migrations.AddField(
            model_name="question",
            name="is_whole",
            field=models.BooleanField(db_default=False, default=False),
        ),
        number("step"),
        migrations.AddField(
            model_name="question",
            name="unit",
            field=models.CharField(blank=True, db_default="", default="", max_length=40),
        ),
        number("tolerance"),
        check("question_minimum_below_maximum", IS_ORDERED),
        check("question_step_is_positive", IS_STEP),
        check("question_tolerance_is_not_negative", IS_TOLERANCE),
    ]
