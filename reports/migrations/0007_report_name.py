"""Reports have a name; figures on demand a public identifier that nobody can guess, and a new kind: effects."""

from django.contrib.postgres.functions import RandomUUID
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("reports", "0006_attribute_groups"),
    ]

    operations = [
        migrations.AddField(
            model_name="report",
            name="name",
            field=models.CharField(blank=True, db_default="", default="", max_length=120),
        ),
        migrations.AddField(
            model_name="ondemandfigures",
            name="public",
            field=models.UUIDField(db_default=RandomUUID(), editable=False, unique=True),
        ),
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
                ],
                max_length=8,
            ),
        ),
    ]
