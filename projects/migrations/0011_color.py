"""A category has a color. The column keeps its name: nothing stored is touched."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("projects", "0010_reference_use")]

    operations = [
        migrations.AlterField(
            model_name="category",
            name="colour",
            field=models.CharField(
                blank=True,
                choices=[
                    ("blue", "Blue"),
                    ("orange", "Orange"),
                    ("green", "Green"),
                    ("pink", "Pink"),
                    ("sky", "Sky blue"),
                    ("red", "Red"),
                    ("yellow", "Yellow"),
                    ("grey", "Gray"),
                ],
                db_column="colour",
                max_length=10,
            ),
        ),
        migrations.RenameField(model_name="category", old_name="colour", new_name="color"),
    ]
