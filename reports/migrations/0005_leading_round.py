"""Rounds stand apart unless they are pooled, and models are compared with people."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reports", "0004_round")]

    operations = [
        migrations.AddField(model_name="questionagreement", name="lead", field=models.JSONField(null=True)),
        migrations.AlterField(
            model_name="ondemandfigures",
            name="what",
            field=models.CharField(
                choices=[
                    ("two", "A comparison of two reports"),
                    ("time", "Agreement over time"),
                    ("sides", "A comparison"),
                    ("models", "Models beside people"),
                ],
                max_length=8,
            ),
        ),
    ]
