"""An import says how many labels of how many have been read or written."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("raters", "0023_rows_by_id")]

    operations = [
        migrations.AddField(
            "labelimport", "n_done", models.PositiveIntegerField(db_default=0, default=0, editable=False)
        ),
        migrations.AddField(
            "labelimport", "n_total", models.PositiveIntegerField(db_default=0, default=0, editable=False)
        ),
    ]
