"""Pages of reports with millions of pairs need not read all of them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reports", "0017_shard_raters")]

    operations = [
        migrations.AddField(
            model_name="questionagreement", name="pair_totals", field=models.JSONField(null=True)
        ),
        migrations.AddIndex(
            model_name="pairagreement",
            index=models.Index(fields=["agreement", "kappa", "rater_a", "rater_b"], name="pair_by_kappa"),
        ),
    ]
