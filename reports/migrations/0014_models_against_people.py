"""A new sort of figures that a page asks for: models held against people."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reports", "0012_kept_confidence")]

    operations = [
        migrations.AlterField(
            model_name="ondemandfigures",
            name="what",
            field=models.CharField(
                choices=[
                    ("two", "A comparison of two reports"),
                    ("time", "Agreement over time"),
                    ("sides", "A comparison"),
                    ("models", "Models beside people"),
                    ("groups", "Agreement by subgroup"),
                    ("effect", "Effect of changes"),
                    ("against", "Models against people"),
                ],
                max_length=8,
            ),
        ),
    ]
