"""Whether a round was ever labeled in, what was changed or withdrawn, and low confidence are read from indexes."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("raters", "0030_items_of_round")]

    operations = [
        migrations.AddIndex(
            model_name="label",
            index=models.Index(
                condition=models.Q(("confidence__isnull", False)),
                fields=["question", "confidence"],
                include=("item", "rater"),
                name="label_of_confidence",
            ),
        ),
        migrations.AddIndex(
            model_name="labelrevision",
            index=models.Index(
                condition=models.Q(("round_id__isnull", False)), fields=["round_id"], name="revision_of_round"
            ),
        ),
        migrations.AddIndex(
            model_name="labelrevision",
            index=models.Index(
                condition=models.Q(("change", "I"), _negated=True),
                fields=["question_id", "entry_id", "id"],
                name="revision_of_change",
            ),
        ),
    ]
