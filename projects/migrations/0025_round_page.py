"""The page of a round: its deadline, reminders, and a pause."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0023_item_list"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="round",
            name="due_on",
            field=models.DateField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="round",
            name="pause_note",
            field=models.CharField(blank=True, db_default="", max_length=500),
        ),
        migrations.AddField(
            model_name="round",
            name="paused_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="round",
            name="paused_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="round",
            name="remind_days",
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="round",
            name="reminded_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="round",
            name="reminded_for",
            field=models.DateField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="round",
            name="site",
            field=models.CharField(blank=True, db_default="", max_length=300),
        ),
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
                    ("codebook_drafted", "Codebook draft changed"),
                    ("codebook_published", "Codebook published"),
                    ("item_withdrawn", "Item withdrawn"),
                    ("item_put_back", "Item restored"),
                    ("round_planned", "Round planned"),
                    ("round_changed", "Round changed"),
                    ("round_opened", "Round opened"),
                    ("round_paused", "Round paused"),
                    ("round_resumed", "Round resumed"),
                    ("round_reminded", "Reminder sent"),
                    ("round_set_back", "Round set back to planned"),
                    ("round_deleted", "Round deleted"),
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
                    ("report_named", "Report name changed"),
                    ("report_shared", "Report link created"),
                    ("report_link_withdrawn", "Report link revoked"),
                    ("report_link_opened", "Report opened through link"),
                ],
                max_length=30,
            ),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.CheckConstraint(
                condition=models.Q(("paused_at__isnull", True), ("state", "open"), _connector="OR"),
                name="batch_paused_is_open",
            ),
        ),
    ]
