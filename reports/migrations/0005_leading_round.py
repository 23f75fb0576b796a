from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reports", "0004_round")]

    operations = [
        migrations.AddField(model_name="questionagreement", name="lead", field=models.JSONField(null=True)),
    ]
