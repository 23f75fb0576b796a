"""What is rated: projects, their members, codebook, rounds and items."""

from django.conf import settings
from django.contrib.postgres.indexes import GinIndex
from django.core.validators import MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.urls import reverse

from core.keys import MAX_KEY
from projects.reasons import default_reasons, validate_reasons
from projects.thresholds import CoefficientChoice, ReadingScaleChoice, ThresholdsFor, validate_thresholds

slug_of_letters = RegexValidator(
    r"^[a-z0-9]+(-[a-z0-9]+)*\Z", "Use lowercase letters, digits and single hyphens."
)
MAX_TEXT = 10_000
MAX_VALUE = 1e100


class Project(models.Model):
    class State(models.TextChoices):
        DRAFT = "draft", "Draft"
        OPEN = "open", "Open"
        CLOSED = "closed", "Closed"

    name = models.CharField(max_length=MAX_KEY)
    slug = models.CharField(max_length=80, unique=True, validators=[slug_of_letters])
    guidelines = models.TextField(blank=True, max_length=100_000)
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    raters_per_item = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1)], help_text="Empty: every rater."
    )
    is_blind = models.BooleanField(default=True)
    is_codebook_closed = models.BooleanField(
        default=False, help_text="If closed, labels with unknown categories are rejected."
    )
    coefficient = models.CharField(
        max_length=30, choices=CoefficientChoice, default=CoefficientChoice.FLEISS_KAPPA
    )
    reading_scale = models.CharField(
        max_length=20, choices=ReadingScaleChoice, default=ReadingScaleChoice.LANDIS_KOCH
    )
    # [{"from": 0.8, "name": "good"}, ...], ascending; kept while another scale is chosen.
    thresholds = models.JSONField(default=list, blank=True, validators=[validate_thresholds])
    thresholds_for = models.CharField(max_length=20, choices=ThresholdsFor, default=ThresholdsFor.KAPPA)
    shows_names = models.BooleanField(
        default=False, help_text="Raters see each other’s names in revealed rounds."
    )
    shows_own_figures = models.BooleanField(
        default=False, help_text="Raters see their own results for revealed rounds."
    )
    adjudicators_see_names = models.BooleanField(
        default=False, help_text="Otherwise, adjudicators see “Rater A”, “Rater B”, in random order."
    )
    # What may be given as the reason of a decision, in this order.
    adjudication_reasons = models.JSONField(
        default=default_reasons, blank=True, validators=[validate_reasons]
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    # Set while the project is deleted but can still be restored; after this moment it is purged.
    deletion_due_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["name", "id"]
        constraints = [
            # A scale without a class would leave every figure without a word, and not say why.
            models.CheckConstraint(
                condition=~Q(reading_scale=ReadingScaleChoice.OWN) | ~Q(thresholds=[]),
                name="project_own_scale_has_thresholds",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("project", args=[self.slug])

    @property
    def is_closed(self) -> bool:
        return self.state == self.State.CLOSED or self.deletion_due_at is not None


class GuidelinesVersion(models.Model):
    """The guidelines as they were from a moment on, written once; the database refuses to change or delete them.

    A label names the number that it was made under. `Project.guidelines` holds the text of the last one.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="guidelines_versions")
    number = models.PositiveSmallIntegerField(validators=[MinValueValidator(1)])
    text = models.TextField(blank=True, max_length=100_000)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    made_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="guidelines_number_once_per_project"),
            models.CheckConstraint(condition=Q(number__gte=1), name="guidelines_number_from_1"),
        ]

    def __str__(self) -> str:
        return f"guidelines {self.number} of {self.project}"


class Membership(models.Model):
    class Role(models.TextChoices):
        LEAD = "lead", "Lead"
        ADJUDICATOR = "adjudicator", "Adjudicator"
        RATER = "rater", "Rater"
        AUDITOR = "auditor", "Auditor"

    project = models.ForeignKey(Project, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role)
    joined_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "user"], name="membership_once_per_user")]

    def __str__(self) -> str:
        return f"{self.user} as {self.get_role_display().lower()} of {self.project}"


class Question(models.Model):
    class Kind(models.TextChoices):
        SINGLE = "single", "Single choice"
        MULTIPLE = "multiple", "Multiple choice"
        NUMBER = "number", "Number"

    class Level(models.TextChoices):
        NOMINAL = "nominal", "Nominal"
        ORDINAL = "ordinal", "Ordinal"
        INTERVAL = "interval", "Interval"
        RATIO = "ratio", "Ratio"

    # Labels hang on a question, so a project that has questions is not deleted in passing.
    project = models.ForeignKey(Project, models.PROTECT, related_name="questions")
    key = models.CharField(max_length=MAX_KEY)
    prompt = models.TextField(blank=True, max_length=MAX_TEXT)
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.SINGLE)
    level = models.CharField(max_length=10, choices=Level, default=Level.NOMINAL)
    position = models.PositiveIntegerField(default=0)
    is_required = models.BooleanField(default=True)
    allows_abstention = models.BooleanField(default=True, help_text="Raters can answer “Cannot tell”.")

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="question_key_once_per_project")
        ]

    def __str__(self) -> str:
        return self.prompt or self.key


class PresentCategories(models.Manager["Category"]):
    """The categories that can be chosen: those that went into others are history."""

    def get_queryset(self) -> models.QuerySet["Category"]:
        return super().get_queryset().filter(merged_into__isnull=True)


class Category(models.Model):
    """A category that was merged into another stays as a row, so that the history of labels can name it."""

    class Colour(models.TextChoices):
        """The palette of Okabe and Ito, which people of every colour vision can tell apart."""

        BLUE = "blue", "Blue"
        ORANGE = "orange", "Orange"
        GREEN = "green", "Green"
        PINK = "pink", "Pink"
        SKY = "sky", "Sky blue"
        RED = "red", "Red"
        YELLOW = "yellow", "Yellow"
        GREY = "grey", "Gray"

    question = models.ForeignKey(Question, models.PROTECT, related_name="categories")
    key = models.CharField(max_length=MAX_KEY)
    name = models.CharField(max_length=MAX_KEY, blank=True)
    definition = models.TextField(blank=True, max_length=MAX_TEXT)
    examples = models.TextField(blank=True, max_length=MAX_TEXT)
    position = models.PositiveIntegerField(null=True)
    value = models.FloatField(null=True, blank=True)
    shortcut = models.CharField(max_length=1, blank=True)
    colour = models.CharField(max_length=10, choices=Colour, blank=True)
    merged_into = models.ForeignKey(
        "self", models.PROTECT, null=True, blank=True, related_name="merged", db_index=False
    )

    objects = PresentCategories()
    with_merged = models.Manager()

    class Meta:
        ordering = ["position", "id"]
        verbose_name_plural = "categories"
        constraints = [
            models.UniqueConstraint(fields=["question", "key"], name="category_key_once_per_question"),
            # The order is the scale, so two categories may not stand in one place. Deferred: they swap.
            models.UniqueConstraint(
                fields=["question", "position"],
                name="category_position_once_per_question",
                deferrable=models.Deferrable.DEFERRED,
            ),
            models.CheckConstraint(
                # Squares of differences must stay finite too.
                condition=Q(value__isnull=True) | Q(value__range=(-MAX_VALUE, MAX_VALUE)),
                name="category_value_is_bounded",
            ),
            models.UniqueConstraint(
                fields=["question", "shortcut"],
                condition=~Q(shortcut=""),
                name="category_shortcut_once_per_question",
            ),
            # What is merged has no place in the scale and answers to no key; what is not has a place.
            models.CheckConstraint(
                condition=Q(merged_into__isnull=True, position__isnull=False)
                | Q(merged_into__isnull=False, position__isnull=True, shortcut=""),
                name="category_merged_has_no_place",
            ),
        ]

    def __str__(self) -> str:
        return self.name or self.key


class Round(models.Model):
    """A named round of labeling, so that agreement can be followed from round to round."""

    class State(models.TextChoices):
        DRAFT = "draft", "Planned"
        OPEN = "open", "Open"
        CLOSED = "closed", "Closed"

    class GoldUse(models.TextChoices):
        """What becomes of the items whose answer is known."""

        CHECK = "check", "Check"
        TRAINING = "training", "Training"

    project = models.ForeignKey(Project, models.PROTECT, related_name="rounds")
    key = models.CharField(max_length=MAX_KEY)
    position = models.PositiveIntegerField(default=0)
    state = models.CharField(max_length=8, choices=State, default=State.OPEN)
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    revealed_at = models.DateTimeField(null=True, blank=True)
    # The designs that its assignments were made by, oldest first; empty for an imported round.
    plans = models.JSONField(default=list, blank=True)
    # A free place that was handed out goes to somebody else when it has lain idle for so long.
    idle_minutes = models.PositiveIntegerField(default=60, validators=[MinValueValidator(1)])
    # Check: raters never see the reference. Training: they see it once their own answer is saved.
    gold_use = models.CharField(max_length=8, choices=GoldUse, default=GoldUse.CHECK)

    class Meta:
        ordering = ["position", "id"]
        # The table, its constraints and the columns that refer to it keep their first name.
        db_table = "projects_batch"
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="batch_key_once_per_project"),
            # Who has seen the others' labels may not change one's own any more.
            models.CheckConstraint(
                condition=Q(revealed_at__isnull=True) | Q(state="closed"), name="batch_revealed_is_closed"
            ),
            models.CheckConstraint(condition=Q(idle_minutes__gte=1), name="batch_idle_at_least_a_minute"),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def is_open(self) -> bool:
        return self.state == self.State.OPEN


class Item(models.Model):
    """content: list of {"name", "kind", "value"} in the order shown; kinds are `Item.Field`."""

    class Field(models.TextChoices):
        TEXT = "text", "Text"
        MARKDOWN = "markdown", "Markdown"
        IMAGE = "image", "Image"
        AUDIO = "audio", "Audio"
        VIDEO = "video", "Video"
        LINK = "link", "Link"

    project = models.ForeignKey(Project, models.PROTECT, related_name="items")
    key = models.CharField(max_length=MAX_KEY)
    content = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    # Since when no rater is asked for it any more; what was said of it stays and counts.
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["project", "key"], name="item_key_once_per_project")]
        indexes = [
            # Which items name a media file.
            GinIndex(fields=["content"], opclasses=["jsonb_path_ops"], name="item_content"),
            # The few whose places are not counted as work that is left.
            models.Index(fields=["project"], condition=Q(withdrawn_at__isnull=False), name="item_withdrawn"),
        ]

    def __str__(self) -> str:
        return self.key


class ItemVersion(models.Model):
    """The content that an item had until an import replaced it."""

    item = models.ForeignKey(Item, models.PROTECT, related_name="versions")
    content = models.JSONField()
    # Null for an import from the command line that names nobody.
    replaced_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    replaced_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.item} until {self.replaced_at}"


class MediaFile(models.Model):
    """A file that the content of items refers to by its name; its bytes are stored under their digest."""

    class Type(models.TextChoices):
        PNG = "image/png", "PNG image"
        JPEG = "image/jpeg", "JPEG image"
        GIF = "image/gif", "GIF image"
        WEBP = "image/webp", "WebP image"
        AVIF = "image/avif", "AVIF image"
        MP3 = "audio/mpeg", "MP3 audio"
        WAV = "audio/wav", "WAV audio"
        OGG = "audio/ogg", "Ogg audio"
        M4A = "audio/mp4", "M4A audio"
        FLAC = "audio/flac", "FLAC audio"
        MP4 = "video/mp4", "MP4 video"
        WEBM = "video/webm", "WebM video"

    project = models.ForeignKey(Project, models.PROTECT, related_name="media")
    name = models.CharField(max_length=MAX_KEY)
    type = models.CharField(max_length=12, choices=Type)
    sha256 = models.CharField(max_length=64)
    n_bytes = models.BigIntegerField()
    # As a browser shows it; of images alone.
    width = models.PositiveIntegerField(null=True, blank=True)
    height = models.PositiveIntegerField(null=True, blank=True)
    added_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    added_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="media_name_once_per_project"),
            models.CheckConstraint(condition=Q(n_bytes__gt=0), name="media_is_not_empty"),
        ]
        # Bytes are removed when no file of any project has them.
        indexes = [models.Index(fields=["sha256"], name="media_of_bytes")]

    def __str__(self) -> str:
        return self.name

    @property
    def group(self) -> str:
        """image, audio or video."""
        return self.type.partition("/")[0]


class Invitation(models.Model):
    """A way into a project, for whoever accepts it: for one user name or e-mail address, or by a link for several.

    Nothing that the lead is shown depends on whether an account of that name or address exists.

    The token itself is shown once and never kept; what is kept cannot be turned back into it.
    """

    project = models.ForeignKey(Project, models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=12, choices=Membership.Role)
    # Both empty: whoever has the link.
    email = models.EmailField(blank=True)
    username = models.CharField(max_length=150, blank=True, default="")
    token_hash = models.CharField(max_length=64, unique=True)
    max_uses = models.PositiveSmallIntegerField(default=1, validators=[MinValueValidator(1)])
    n_used = models.PositiveSmallIntegerField(default=0)
    expires_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    declined_at = models.DateTimeField(null=True, blank=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    made_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        ordering = ["-id"]
        constraints = [
            # However many redeem it at once, no more than this get in.
            models.CheckConstraint(
                condition=Q(n_used__lte=models.F("max_uses")), name="invitation_used_no_more_than_allowed"
            ),
            models.CheckConstraint(condition=Q(max_uses__gte=1), name="invitation_for_someone"),
            models.CheckConstraint(
                condition=Q(username="") | Q(email="", max_uses=1), name="invitation_to_a_name_is_for_one"
            ),
        ]

    def __str__(self) -> str:
        return f"invitation {self.pk} to {self.project}"

    @property
    def addressee(self) -> str:
        """The user name or address that it is for; empty for a link."""
        return self.username or self.email


class Redemption(models.Model):
    """Someone who joined by an invitation."""

    invitation = models.ForeignKey(Invitation, models.CASCADE, related_name="redemptions")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="redemptions")
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["invitation", "user"], name="redemption_once_per_user")
        ]

    def __str__(self) -> str:
        return f"{self.user} by {self.invitation}"


class Event(models.Model):
    """Something that was done about access, written once; the database refuses to change or delete it.

    No foreign keys: the log outlives what it speaks of. `projects.events.record` writes it.
    """

    class Kind(models.TextChoices):
        SIGNED_IN = "signed_in", "Signed in"
        SIGN_IN_FAILED = "sign_in_failed", "Sign-in failed"
        SESSION_ENDED = "session_ended", "Session ended"
        PASSWORD_CHANGED = "password_changed", "Password changed"
        SECOND_FACTOR_ADDED = "second_factor_added", "Two-factor authentication turned on"
        SECOND_FACTOR_REMOVED = "second_factor_removed", "Two-factor authentication turned off"
        TOKEN_MADE = "token_made", "Token created"
        TOKEN_REVOKED = "token_revoked", "Token revoked"
        MEMBER_JOINED = "member_joined", "Joined"
        MEMBER_REMOVED = "member_removed", "Removed"
        ROLE_CHANGED = "role_changed", "Role changed"
        INVITATION_MADE = "invitation_made", "Invitation created"
        INVITATION_WITHDRAWN = "invitation_withdrawn", "Invitation withdrawn"
        INVITATION_DECLINED = "invitation_declined", "Invitation declined"
        RATER_LINKED = "rater_linked", "Rater linked"
        RATER_UNLINKED = "rater_unlinked", "Rater unlinked"
        CODEBOOK_CHANGED = "codebook_changed", "Codebook changed"
        ITEM_WITHDRAWN = "item_withdrawn", "Item withdrawn"
        ITEM_PUT_BACK = "item_put_back", "Item restored"
        ROUND_PLANNED = "round_planned", "Round planned"
        ROUND_CHANGED = "round_changed", "Round changed"
        ROUND_OPENED = "round_opened", "Round opened"
        ROUND_CLOSED = "round_closed", "Round closed"
        ROUND_REVEALED = "round_revealed", "Round revealed"
        REVEAL_REFUSED = "reveal_refused", "Reveal refused: round not closed"
        LABELS_SEEN = "labels_seen", "Other raters’ labels viewed"
        LOOK_REFUSED = "look_refused", "Other raters’ labels hidden during labeling"
        FINAL_LABELS_TAKEN = "final_labels_taken", "Final labels exported"
        GUIDELINES_CHANGED = "guidelines_changed", "Guidelines changed"
        MEDIA_CHANGED = "media_changed", "Media files changed"
        EXPORTED = "exported", "Exported"
        IMPORTED = "imported", "Imported"
        PROJECT_CHANGED = "project_changed", "Settings changed"
        PROJECT_CLOSED = "project_closed", "Project closed"
        PROJECT_REOPENED = "project_reopened", "Project reopened"
        PROJECT_DELETION_REQUESTED = "project_deletion_requested", "Project deletion requested"
        PROJECT_DELETION_CANCELED = "project_deletion_canceled", "Project restored"
        PROJECT_DELETED = "project_deleted", "Project deleted"
        PERSON_ERASED = "person_erased", "Person erased"
        PROJECT_IMPORTED = "project_imported", "Project imported"
        REPORT_SHARED = "report_shared", "Report link created"
        REPORT_LINK_WITHDRAWN = "report_link_withdrawn", "Report link withdrawn"
        REPORT_LINK_OPENED = "report_link_opened", "Report opened through link"

    at = models.DateTimeField(db_default=Now())
    kind = models.CharField(max_length=30, choices=Kind)
    project_id = models.BigIntegerField(null=True)
    # Who did it; empty for one who was nobody, or for the machine.
    user_id = models.BigIntegerField(null=True)
    user_name = models.CharField(max_length=150, blank=True)
    # Whom or what it was done to, and what else there is to say.
    about = models.TextField(blank=True)
    detail = models.JSONField(default=dict)
    # Its entry in the chain of history. Of `user_name` and `about` the chain holds only a salted digest, so that a
    # person can be erased: then the salt is gone, and the digest says no more.
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
