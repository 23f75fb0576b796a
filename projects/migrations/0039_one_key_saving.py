"""A lead says whether answers are saved as soon as they are chosen, or leaves it to each rater."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("projects", "0039_round_attempts")]

    operations = [
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.AddField(
            model_name="project",
            name="one_key_saving",
            field=models.CharField(
                choices=[("raters", "Up to each rater"), ("on", "Always"), ("off", "Never")],
                db_default="raters",
                default="raters",
                max_length=6,
            ),
        ),
    ]
