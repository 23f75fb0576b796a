"""What is rated, in which rounds: items, their content and media files."""

from django.conf import settings
from django.contrib.postgres.indexes import GinIndex
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q, Value
from django.db.models.functions import Now

from core.keys import MAX_KEY
from projects.models.projects import Project


class Round(models.Model):
    """A named round of labeling, so that agreement can be followed from round to round."""

    class State(models.TextChoices):
        DRAFT = "draft", "Planned"
        OPEN = "open", "Open"
        CLOSED = "closed", "Closed"

    class ReferenceUse(models.TextChoices):
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
    # The day until whose end its labels are wanted; nothing closes by itself.
    due_on = models.DateField(null=True, blank=True)
    # So many days before, raters with something left are reminded once; null for never.
    remind_days = models.PositiveSmallIntegerField(null=True, blank=True)
    # The deadline that they were reminded of so, and when they were reminded last, also by hand.
    reminded_for = models.DateField(null=True, blank=True)
    reminded_at = models.DateTimeField(null=True, blank=True)
    # What the links in such mails begin with: whoever sends them sees no request.
    site = models.CharField(max_length=300, blank=True, db_default="")
    # Since when raters get nothing of it; what they had labeled before they learned of it is saved as ever.
    paused_at = models.DateTimeField(null=True, blank=True)
    paused_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    pause_note = models.CharField(max_length=500, blank=True, db_default="")
    # Check: raters never see the reference. Training: they see it once their own answer is saved.
    # The column keeps its first name.
    reference_use = models.CharField(
        max_length=8, choices=ReferenceUse, default=ReferenceUse.CHECK, db_column="gold_use"
    )
    # The share of the reference answers that a rater has to give to pass the round; null for none.
    pass_mark = models.FloatField(
        null=True, blank=True, validators=[MinValueValidator(0.01), MaxValueValidator(1)]
    )

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
            models.CheckConstraint(
                condition=Q(paused_at__isnull=True) | Q(state="open"), name="batch_paused_is_open"
            ),
            models.CheckConstraint(
                condition=Q(pass_mark__isnull=True) | Q(pass_mark__gt=0, pass_mark__lte=1),
                name="batch_pass_mark_is_a_share",
            ),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def is_open(self) -> bool:
        return self.state == self.State.OPEN

    @property
    def is_paused(self) -> bool:
        return self.paused_at is not None

    @property
    def pass_mark_in_words(self) -> str:
        """80%; empty for none."""
        return "" if self.pass_mark is None else f"{100 * self.pass_mark:.12g}%"


class RoundGate(models.Model):
    """A round that opens to a rater once the gate is passed; of several gates, one is enough."""

    round = models.ForeignKey(Round, models.CASCADE, related_name="gates")
    gate = models.ForeignKey(Round, models.CASCADE, related_name="gated")

    class Meta:
        ordering = ["gate__position", "gate"]
        constraints = [
            models.UniqueConstraint(fields=["round", "gate"], name="round_gate_once"),
            models.CheckConstraint(condition=~Q(round=models.F("gate")), name="round_gate_is_another_round"),
        ]

    def __str__(self) -> str:
        return f"{self.gate} before {self.round}"


class RoundAttempt(models.Model):
    """A round in which raters who missed the pass mark of the first one try again: passing it is passing that."""

    round = models.OneToOneField(Round, models.CASCADE, related_name="attempt")
    first = models.ForeignKey(Round, models.CASCADE, related_name="attempts")
    # The first attempt is number 1.
    number = models.PositiveSmallIntegerField(validators=[MinValueValidator(2)])

    class Meta:
        ordering = ["first", "number", "round"]
        constraints = [
            models.CheckConstraint(condition=~Q(round=models.F("first")), name="attempt_at_another_round"),
            models.CheckConstraint(condition=Q(number__gte=2), name="attempt_after_the_first"),
        ]

    def __str__(self) -> str:
        return f"{self.round} after {self.first}"


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
    # What agreement may be compared by, such as the site or the year: name -> text, number, or yes or no.
    attributes = models.JSONField(default=dict, db_default=Value({}, models.JSONField()), blank=True)
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
