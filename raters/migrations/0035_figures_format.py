"""Stored figures record the format of their result."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("raters", "0034_former_assignees"),
    ]

    operations = [
        migrations.AddField(
            model_name="storedfigures",
            name="format",
            field=models.PositiveSmallIntegerField(db_default=0, default=0, editable=False),
        ),
    ]
