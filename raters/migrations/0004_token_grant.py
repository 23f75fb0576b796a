import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("knox", "0009_extend_authtoken_field"),
        ("raters", "0003_history_chain"),
    ]

    operations = [
        migrations.CreateModel(
            name="TokenGrant",
            fields=[
                (
                    "token",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="grant",
                        serialize=False,
                        to=settings.KNOX_TOKEN_MODEL,
                    ),
                ),
                ("name", models.CharField(blank=True, max_length=80)),
                (
                    "scope",
                    models.CharField(
                        choices=[("read", "Read"), ("label", "Label"), ("manage", "Manage")],
                        max_length=10,
                    ),
                ),
                ("last_used_at", models.DateTimeField(null=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("scope__in", ["read", "label", "manage"])),
                        name="token_scope_is_known",
                    )
                ],
            },
        ),
    ]
