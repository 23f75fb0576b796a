"""Models are compared “and people”: the name on screen of one kind of figures."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("reports", "0020_names"),
    ]

    operations = [
        migrations.AlterField(
            model_name="ondemandfigures",
            name="what",
            field=models.CharField(
                choices=[
                    ("two", "A comparison of two reports"),
                    ("time", "Agreement over time"),
                    ("sides", "A comparison"),
                    ("models", "Models and people"),
                    ("groups", "Agreement by subgroup"),
                    ("effect", "Effect of changes"),
                    ("against", "Models against people"),
                ],
                max_length=8,
            ),
        ),
    ]
