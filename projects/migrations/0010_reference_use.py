"""What becomes of reference items is named for them. The column keeps its name: nothing stored is touched."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("projects", "0009_round")]

    operations = [
        migrations.AlterField(
            model_name="round",
            name="gold_use",
            field=models.CharField(
                choices=[("check", "Check"), ("training", "Training")],
                db_column="gold_use",
                default="check",
                max_length=8,
            ),
        ),
        migrations.RenameField(model_name="round", old_name="gold_use", new_name="reference_use"),
    ]
