from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0002_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="invitation",
            name="declined_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="invitation",
            name="username",
            field=models.CharField(blank=True, default="", max_length=150),
        ),
        migrations.AlterField(
            model_name="event",
            name="kind",
            field=models.CharField(
                choices=[
                    ("signed_in", "Signed in"),
                    ("sign_in_failed", "Sign-in failed"),
                    ("password_changed", "Password changed"),
                    ("second_factor_added", "Second factor added"),
                    ("second_factor_removed", "Second factor removed"),
                    ("token_made", "Token made"),
                    ("token_revoked", "Token revoked"),
                    ("member_joined", "Joined"),
                    ("member_removed", "Removed"),
                    ("role_changed", "Role changed"),
                    ("invitation_made", "Invitation made"),
                    ("invitation_withdrawn", "Invitation withdrawn"),
                    ("invitation_declined", "Invitation declined"),
                    ("rater_linked", "Rater linked"),
                    ("rater_unlinked", "Rater unlinked"),
                    ("codebook_changed", "Codebook changed"),
                    ("item_withdrawn", "Item withdrawn"),
                    ("item_put_back", "Item put back"),
                    ("round_planned", "Round planned"),
                    ("round_changed", "Round changed"),
                    ("round_opened", "Round opened"),
                    ("round_closed", "Round closed"),
                    ("round_revealed", "Round revealed"),
                    ("reveal_refused", "Round not revealed: it was not closed"),
                    ("labels_seen", "Others’ labels seen"),
                    ("look_refused", "Others’ labels not shown to one who still labels"),
                    ("final_labels_taken", "Final labels taken"),
                    ("guidelines_changed", "Guidelines changed"),
                    ("media_changed", "Media files changed"),
                    ("exported", "Exported"),
                    ("imported", "Imported"),
                    ("project_imported", "Project imported"),
                    ("report_shared", "Report shared by a link"),
                    ("report_link_withdrawn", "Link to a report withdrawn"),
                    ("report_link_opened", "Report opened by a link"),
                ],
                max_length=30,
            ),
        ),
        migrations.AddConstraint(
            model_name="invitation",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("username", ""), models.Q(("email", ""), ("max_uses", 1)), _connector="OR"
                ),
                name="invitation_to_a_name_is_for_one",
            ),
        ),
    ]
