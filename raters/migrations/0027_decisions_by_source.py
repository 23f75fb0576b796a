"""Revisions that adjudicators wrote are found by their source, without reading all others."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("raters", "0026_stored_figures")]

    operations = [
        migrations.AddIndex(
            model_name="labelrevision",
            index=models.Index(
                condition=models.Q(("source__startswith", "decision by ")),
                fields=["source"],
                name="revision_of_decision",
            ),
        ),
    ]
