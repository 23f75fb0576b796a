import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("knox", "0009_extend_authtoken_field"),
        ("raters", "0002_history"),
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
                        choices=[
                            ("read", "Read: see everything that you may see"),
                            ("label", "Label: see your own work, save and skip"),
                            ("manage", "Manage: everything that you may do"),
                        ],
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
