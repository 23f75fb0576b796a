"""A project can be an audit of another one."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0039_one_key_saving"),
    ]

    operations = [
        migrations.AddField(
            model_name="project",
            name="is_audit",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
    ]
