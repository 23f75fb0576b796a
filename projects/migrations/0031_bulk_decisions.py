"""Deciding many disputes at once, and undoing it, are events of their own kind."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0028_layout"),
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
                    ("codebook_drafted", "Codebook draft changed"),
                    ("codebook_published", "Codebook published"),
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
                    ("disputes_decided", "Disputes resolved in bulk"),
                    ("disputes_reopened", "Bulk decisions undone"),
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
    ]
