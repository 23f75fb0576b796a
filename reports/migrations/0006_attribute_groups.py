"""Reports keep the attributes of items and raters, and compute agreement by them."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reports", "0005_leading_round")]

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
                ],
                max_length=8,
            ),
        ),
        migrations.CreateModel(
            name="AttributeGroup",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("unit", models.CharField(choices=[("item", "Items"), ("rater", "Raters")], max_length=5)),
                ("name", models.TextField()),
                ("value", models.TextField(null=True)),
                ("n_values", models.IntegerField()),
                ("members", models.BinaryField()),
                (
                    "report",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="attribute_groups",
                        to="reports.report",
                    ),
                ),
            ],
        ),
    ]
