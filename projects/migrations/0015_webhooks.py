"""Addresses that are told what happens in a project, and what was sent to them."""

import uuid

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0014_import_undone"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name="event",
            name="kind",
            field=models.CharField(
                choices=[
                    ("signed_in", "Signed in"),
                    ("sign_in_failed", "Sign-in failed"),
                    ("session_ended", "Session ended"),
                    ("password_changed", "Password changed"),
                    ("second_factor_added", "Two-factor authentication turned on"),
                    ("second_factor_removed", "Two-factor authentication turned off"),
                    ("token_made", "Token created"),
                    ("token_revoked", "Token revoked"),
                    ("member_joined", "Joined"),
                    ("member_removed", "Removed"),
                    ("role_changed", "Role changed"),
                    ("invitation_made", "Invitation created"),
                    ("invitation_withdrawn", "Invitation revoked"),
                    ("invitation_declined", "Invitation declined"),
                    ("rater_linked", "Rater linked"),
                    ("rater_unlinked", "Rater unlinked"),
                    ("codebook_changed", "Codebook changed"),
                    ("item_withdrawn", "Item withdrawn"),
                    ("item_put_back", "Item restored"),
                    ("round_planned", "Round planned"),
                    ("round_changed", "Round changed"),
                    ("round_opened", "Round opened"),
                    ("round_closed", "Round closed"),
                    ("round_revealed", "Round revealed"),
                    ("reveal_refused", "Reveal refused: round not closed"),
                    ("labels_seen", "Other raters’ labels viewed"),
                    ("look_refused", "Other raters’ labels hidden during labeling"),
                    ("final_labels_taken", "Final labels exported"),
                    ("guidelines_changed", "Guidelines changed"),
                    ("media_changed", "Media files changed"),
                    ("exported", "Exported"),
                    ("imported", "Imported"),
                    ("import_undone", "Import undone"),
                    ("webhook_made", "Webhook added"),
                    ("webhook_changed", "Webhook changed"),
                    ("webhook_deleted", "Webhook deleted"),
                    ("webhook_disabled", "Webhook turned off after failures"),
                    ("project_changed", "Settings changed"),
                    ("project_closed", "Project closed"),
                    ("project_reopened", "Project reopened"),
                    ("project_deletion_requested", "Project deletion requested"),
                    ("project_deletion_canceled", "Project restored"),
                    ("project_deleted", "Project deleted"),
                    ("person_erased", "Person erased"),
                    ("project_imported", "Project imported"),
                    ("report_shared", "Report link created"),
                    ("report_link_withdrawn", "Report link revoked"),
                    ("report_link_opened", "Report opened through link"),
                ],
                max_length=30,
            ),
        ),
        migrations.CreateModel(
            name="Webhook",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("url", models.CharField(max_length=1000)),
                ("description", models.CharField(blank=True, max_length=200)),
                (
                    "events",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(
                            choices=[
                                ("labels.saved", "Labels saved"),
                                ("round.closed", "Round closed"),
                                ("report.done", "Report done"),
                                ("dispute.decided", "Dispute decided"),
                                ("import.done", "Import done"),
                            ],
                            max_length=20,
                        ),
                        size=None,
                    ),
                ),
                ("secret", models.TextField()),
                ("former_secret", models.TextField(blank=True, default="")),
                ("former_secret_until", models.DateTimeField(null=True)),
                ("is_active", models.BooleanField(default=True)),
                ("disabled_at", models.DateTimeField(null=True)),
                ("disabled_why", models.TextField(blank=True, default="")),
                ("n_failed", models.PositiveIntegerField(default=0)),
                ("site", models.CharField(max_length=300)),
                ("told_up_to", models.BigIntegerField(default=0)),
                ("told_at", models.DateTimeField(null=True)),
                (
                    "made_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                (
                    "made_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="webhooks",
                        to="projects.project",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
            },
        ),
        migrations.CreateModel(
            name="Delivery",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "Not started"),
                            ("queued", "Waiting"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Canceled"),
                        ],
                        default="queued",
                        editable=False,
                        max_length=10,
                    ),
                ),
                ("attempt", models.PositiveIntegerField(default=0, editable=False)),
                ("losses", models.PositiveSmallIntegerField(default=0, editable=False)),
                ("lease_until", models.DateTimeField(editable=False, null=True)),
                ("sent_at", models.DateTimeField(editable=False, null=True)),
                ("sends", models.PositiveSmallIntegerField(default=0, editable=False)),
                ("stage", models.CharField(blank=True, editable=False, max_length=60)),
                ("share_done", models.FloatField(default=0, editable=False)),
                ("failure", models.TextField(blank=True, editable=False)),
                (
                    "asked_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("started_at", models.DateTimeField(editable=False, null=True)),
                ("finished_at", models.DateTimeField(editable=False, null=True)),
                (
                    "due_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("event_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("labels.saved", "Labels saved"),
                            ("round.closed", "Round closed"),
                            ("report.done", "Report done"),
                            ("dispute.decided", "Dispute decided"),
                            ("import.done", "Import done"),
                            ("test", "Test"),
                        ],
                        max_length=20,
                    ),
                ),
                ("payload", models.JSONField()),
                ("n_tries", models.PositiveSmallIntegerField(default=0)),
                ("tries", models.JSONField(default=list)),
                ("status", models.PositiveSmallIntegerField(null=True)),
                ("answer", models.TextField(blank=True, default="")),
                (
                    "asked_by",
                    models.ForeignKey(
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "webhook",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="projects.webhook",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "deliveries",
                "ordering": ["-id"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("state__in", ["queued", "running"])),
                        fields=["due_at"],
                        name="delivery_under_way",
                    ),
                    models.Index(fields=["asked_at"], name="delivery_by_age"),
                ],
            },
        ),
    ]
