"""A link can open newer reports of the same scope and options too."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reports", "0009_finding_note")]

    operations = [
        migrations.AddField(
            model_name="reportlink",
            name="follows",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
