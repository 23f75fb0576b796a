"""Questions can ask raters how sure they are of each answer."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("projects", "0037_final_rules")]

    operations = [
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.AddField(
            model_name="question",
            name="confidence",
            field=models.CharField(
                choices=[
                    ("off", "Don’t ask"),
                    ("optional", "Ask, optional"),
                    ("required", "Ask, required"),
                ],
                db_default="off",
                default="off",
                max_length=10,
            ),
        ),
    ]
