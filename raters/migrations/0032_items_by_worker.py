"""Workers load large files of items, too."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0041_run_request_id"),
        ("raters", "0031_less_to_read"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="labelimport", name="import_by_worker_is_of_labels"),
        migrations.AddConstraint(
            model_name="labelimport",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "questions"), _negated=True),
                    ("state__in", ["draft", "done", "cancelled"]),
                    _connector="OR",
                ),
                name="import_by_worker_is_not_of_questions",
            ),
        ),
    ]
