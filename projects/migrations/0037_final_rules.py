"""Each question has a rule for its final labels."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0035_text_questions"),
    ]

    operations = [
        migrations.AddField(
            model_name="question",
            name="final_rule",
            field=models.CharField(
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
                db_default="plurality",
                default="plurality",
                max_length=20,
            ),
        ),
        migrations.AddField(
            model_name="question",
            name="final_takes_references",
            field=models.BooleanField(db_default=True, default=True),
        ),
        migrations.AddField(
            model_name="question",
            name="final_threshold",
            field=models.FloatField(blank=True, null=True),
        ),
        migrations.AddConstraint(
            model_name="question",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("final_threshold__isnull", True),
                    models.Q(("final_threshold__gt", 0), ("final_threshold__lte", 1)),
                    _connector="OR",
                ),
                name="question_final_threshold_is_a_share",
            ),
        ),
    ]
