"""A question can be asked only of those who chose certain categories of an earlier question."""

import django.contrib.postgres.fields
from django.db import migrations, models
from django.db.models import Q

HAS_BOTH_OR_NEITHER = Q(asked_if_question="", asked_if_categories=[]) | ~Q(asked_if_question="") & ~Q(
    asked_if_categories=[]
)


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0025_round_page"),
    ]

    operations = [
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.AddField(
            model_name="question",
            name="asked_if_question",
            field=models.CharField(blank=True, db_default="", default="", max_length=200),
        ),
        migrations.AddField(
            model_name="question",
            name="asked_if_categories",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=200),
                blank=True,
                db_default=[],
                default=list,
                size=None,
            ),
        ),
        migrations.AddConstraint(
            model_name="question",
            constraint=models.CheckConstraint(
                condition=HAS_BOTH_OR_NEITHER, name="question_condition_is_whole"
            ),
        ),
    ]
