"""The items of a round are read in order, from an index, instead of all assignments and labels."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("raters", "0029_reviewed_imports")]

    operations = [
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(fields=["round", "item"], name="assignment_of_round"),
        ),
        # After the new index is built, which also finds the assignments of a round.
        migrations.AlterField(
            model_name="assignment",
            name="round",
            field=models.ForeignKey(
                blank=True,
                db_column="batch_id",
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="assignments",
                to="projects.round",
            ),
        ),
    ]
