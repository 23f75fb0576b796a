"""The message of a bad slug has a comma more; nothing stored is touched."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0012_revoked"),
    ]

    operations = [
        migrations.AlterField(
            model_name="project",
            name="slug",
            field=models.CharField(
                max_length=80,
                unique=True,
                validators=[
                    django.core.validators.RegexValidator(
                        "^[a-z0-9]+(-[a-z0-9]+)*\\Z", "Use lowercase letters, digits, and single hyphens."
                    )
                ],
            ),
        ),
    ]
