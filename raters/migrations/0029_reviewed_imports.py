"""An import knows whether a person agreed to its preview, who is asked again if the whole file differs from it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("raters", "0028_disputed_items")]

    operations = [
        migrations.AddField(
            "labelimport", "is_reviewed", models.BooleanField(db_default=False, default=False, editable=False)
        ),
    ]
