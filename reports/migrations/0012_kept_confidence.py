"""The labels that a report keeps have their confidence, if any of them has one."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reports", "0011_link_follows")]

    operations = [
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.AddField(
            model_name="labelblock",
            name="confidences",
            field=models.BinaryField(db_default=b"", default=b""),
        ),
        migrations.AddField(
            model_name="questionagreement",
            name="n_confidences",
            field=models.BigIntegerField(db_default=0, default=0),
        ),
    ]
