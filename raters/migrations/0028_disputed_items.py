"""Another kind of stored figures: the items in dispute, to plan a round on."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("raters", "0027_decisions_by_source")]

    operations = [
        migrations.AlterField(
            model_name="storedfigures",
            name="what",
            field=models.CharField(
                choices=[
                    ("progress", "Progress"),
                    ("disputes", "Disputes"),
                    ("disputed", "Items in dispute"),
                    ("list", "List"),
                    ("search", "Search"),
                    ("contents", "Contents of an export"),
                ],
                max_length=10,
            ),
        ),
    ]
