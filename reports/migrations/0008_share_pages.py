"""A link opens the pages of a report, with letters for raters, and with items or files if its maker allows them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reports", "0007_report_name")]

    operations = [
        migrations.AddField(
            model_name="reportlink",
            name="opens",
            field=models.CharField(
                choices=[("summary", "One page with the main figures"), ("report", "The whole report")],
                db_default="summary",
                default="summary",
                max_length=7,
            ),
        ),
        migrations.AddField(model_name="reportlink", name="letters", field=models.JSONField(null=True)),
        migrations.AddField(
            model_name="reportlink",
            name="shows_items",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="reportlink",
            name="allows_export",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
