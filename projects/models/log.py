"""The log of a project's events other than labels."""

from django.db import models
from django.db.models.functions import Now


def event_kinds() -> list[tuple[str, str]]:
    """Return the kinds; a function, so that a new kind needs no migration."""
    return Event.Kind.choices


class Event(models.Model):
    """An access-related event, written once; the database refuses to change or delete it.

    It has no foreign keys, because the log outlives its subjects. Written by `projects.events.record`.
    """

    class Kind(models.TextChoices):
        SIGNED_IN = "signed_in", "Signed in"
        SIGN_IN_FAILED = "sign_in_failed", "Sign-in failed"
        SESSION_ENDED = "session_ended", "Session ended"
        PASSWORD_CHANGED = "password_changed", "Password changed"
        PASSWORD_LINK_MADE = "password_link_made", "Password link created"
        SECOND_FACTOR_ADDED = "second_factor_added", "Two-factor authentication turned on"
        SECOND_FACTOR_REMOVED = "second_factor_removed", "Two-factor authentication turned off"
        TOKEN_MADE = "token_made", "Token created"
        TOKEN_REVOKED = "token_revoked", "Token revoked"
        MEMBER_JOINED = "member_joined", "Joined"
        MEMBER_REMOVED = "member_removed", "Removed"
        ROLE_CHANGED = "role_changed", "Role changed"
        INVITATION_MADE = "invitation_made", "Invitation created"
        INVITATION_WITHDRAWN = "invitation_withdrawn", "Invitation revoked"
        INVITATION_DECLINED = "invitation_declined", "Invitation declined"
        RATER_LINKED = "rater_linked", "Rater linked"
        RATER_UNLINKED = "rater_unlinked", "Rater unlinked"
        CODEBOOK_CHANGED = "codebook_changed", "Codebook changed"
        CODEBOOK_DRAFTED = "codebook_drafted", "Codebook draft changed"
        CODEBOOK_PUBLISHED = "codebook_published", "Codebook published"
        ITEM_WITHDRAWN = "item_withdrawn", "Item withdrawn"
        ITEM_PUT_BACK = "item_put_back", "Item restored"
        ROUND_PLANNED = "round_planned", "Round planned"
        ROUND_CHANGED = "round_changed", "Round changed"
        ADAPTIVE_CHANGED = "adaptive_changed", "Adaptive overlap changed"
        ROUND_OPENED = "round_opened", "Round opened"
        ROUND_PAUSED = "round_paused", "Round paused"
        PASS_DECIDED = "pass_decided", "Rater let through or held back"
        ATTEMPT_GIVEN = "attempt_given", "Rater given another attempt"
        ROUND_RESUMED = "round_resumed", "Round resumed"
        ROUND_REMINDED = "round_reminded", "Reminder sent"
        ROUND_SET_BACK = "round_set_back", "Round set back to planned"
        ROUND_DELETED = "round_deleted", "Round deleted"
        ROUND_CLOSED = "round_closed", "Round closed"
        ROUND_REVEALED = "round_revealed", "Round revealed"
        REVEAL_REFUSED = "reveal_refused", "Reveal refused: round not closed"
        LABELS_SEEN = "labels_seen", "Other raters’ labels viewed"
        LOOK_REFUSED = "look_refused", "Other raters’ labels hidden during labeling"
        FINAL_LABELS_TAKEN = "final_labels_taken", "Final labels exported"
        FINAL_RULE_CHANGED = "final_rule_changed", "Rule for final labels changed"
        FINAL_RULE_ESTIMATED = "final_rule_estimated", "Reliability of raters estimated for final labels"
        DISPUTES_DECIDED = "disputes_decided", "Disputes resolved in bulk"
        DISPUTES_REOPENED = "disputes_reopened", "Bulk decisions undone"
        AUDIT_DRAWN = "audit_drawn", "Audit drawn"
        AUDIT_ASSIGNED = "audit_assigned", "Audit assigned to auditors"
        AUDIT_REVIEWED = "audit_reviewed", "Difference in an audit reviewed"
        AUDIT_CERTIFIED = "audit_certified", "Certificate of an audit issued"
        REFERENCE_SET = "reference_set", "Reference answers set"
        QUALITY_RULE_CHANGED = "quality_rule_changed", "Quality rule changed"
        QUALITY_ALERT = "quality_alert", "Quality alert"
        QUALITY_ALERT_CLOSED = "quality_alert_closed", "Quality alert closed"
        RATER_PAUSED = "rater_paused", "Rater paused"
        RATER_RESUMED = "rater_resumed", "Rater resumed"
        QUESTION_ASKED = "question_asked", "Question about an item asked"
        QUESTION_ANSWERED = "question_answered", "Question about an item answered"
        GUIDELINES_CHANGED = "guidelines_changed", "Guidelines changed"
        MEDIA_CHANGED = "media_changed", "Media files changed"
        EXPORTED = "exported", "Exported"
        IMPORTED = "imported", "Imported"
        IMPORT_UNDONE = "import_undone", "Import undone"
        IMPORT_CANCELED = "import_canceled", "Import canceled"
        MODEL_RUN_STARTED = "model_run_started", "Items sent to a model"
        MODEL_RUN_CANCELED = "model_run_canceled", "Model run canceled"
        MODEL_RUN_ENDED = "model_run_ended", "Model run ended"
        ITEM_LIST_MADE = "item_list_made", "List of items created"
        WEBHOOK_MADE = "webhook_made", "Webhook added"
        WEBHOOK_CHANGED = "webhook_changed", "Webhook changed"
        WEBHOOK_DELETED = "webhook_deleted", "Webhook deleted"
        WEBHOOK_DISABLED = "webhook_disabled", "Webhook turned off after failures"
        PROJECT_CHANGED = "project_changed", "Settings changed"
        PROJECT_CLOSED = "project_closed", "Project closed"
        PROJECT_REOPENED = "project_reopened", "Project reopened"
        PROJECT_DELETION_REQUESTED = "project_deletion_requested", "Project deletion requested"
        PROJECT_DELETION_CANCELED = "project_deletion_canceled", "Project restored"
        PROJECT_DELETED = "project_deleted", "Project deleted"
        PERSON_ERASED = "person_erased", "Person erased"
        PROJECT_IMPORTED = "project_imported", "Project imported"
        REPORT_NAMED = "report_named", "Report name changed"
        FINDING_NOTED = "finding_noted", "Note on a finding"
        REPORT_SHARED = "report_shared", "Report link created"
        REPORT_LINK_WITHDRAWN = "report_link_withdrawn", "Report link revoked"
        REPORT_LINK_OPENED = "report_link_opened", "Report opened through link"

    at = models.DateTimeField(db_default=Now())
    kind = models.CharField(max_length=30, choices=event_kinds)
    project_id = models.BigIntegerField(null=True)
    # The acting user; empty for anonymous users and for the program.
    user_id = models.BigIntegerField(null=True)
    user_name = models.CharField(max_length=150, blank=True)
    # The person or object affected, and other details.
    about = models.TextField(blank=True)
    detail = models.JSONField(default=dict)
    # Its entry in the history chain. For `user_name` and `about`, the chain has only a salted digest, so that a person
    # can be erased: without the salt, the digest reveals nothing.
    entry_id = models.BigIntegerField(null=True)
    salt = models.UUIDField(null=True)
    names = models.BinaryField(max_length=32, null=True)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["project_id", "-id"], name="event_of_project"),
            models.Index(fields=["user_id", "-id"], name="event_of_user"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"
