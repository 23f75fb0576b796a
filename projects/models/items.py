"""Rounds and items, with the items' content and media files."""

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
        """How items with known answers are used."""

        CHECK = "check", "Check"
        TRAINING = "training", "Training"

    project = models.ForeignKey(Project, models.PROTECT, related_name="rounds")
    key = models.CharField(max_length=MAX_KEY)
    position = models.PositiveIntegerField(default=0)
    state = models.CharField(max_length=8, choices=State, default=State.OPEN)
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    revealed_at = models.DateTimeField(null=True, blank=True)
    # The designs of its assignments, oldest first; empty for an imported round.
    plans = models.JSONField(default=list, blank=True)
    # An open slot that was handed out is reassigned after being idle for this time.
    idle_minutes = models.PositiveIntegerField(default=60, validators=[MinValueValidator(1)])
    # The last day for its labels; nothing closes automatically.
    due_on = models.DateField(null=True, blank=True)
    # Raters with remaining items are reminded once, this many days before; null for never.
    remind_days = models.PositiveSmallIntegerField(null=True, blank=True)
    # The deadline of the last automatic reminder, and the time of the last reminder, including manual ones.
    reminded_for = models.DateField(null=True, blank=True)
    reminded_at = models.DateTimeField(null=True, blank=True)
    # The base URL of links in these emails, which are sent without a request.
    site = models.CharField(max_length=300, blank=True, db_default="")
    # Raters get no items of it since this time; what they labeled before they noticed is still saved.
    paused_at = models.DateTimeField(null=True, blank=True)
    paused_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    pause_note = models.CharField(max_length=500, blank=True, db_default="")
    # Check: raters never see the reference. Training: they see it once their own answer is saved. The column keeps its
    # original name.
    reference_use = models.CharField(
        max_length=8, choices=ReferenceUse, default=ReferenceUse.CHECK, db_column="gold_use"
    )
    # The share of reference answers that a rater has to give to pass the round; null for none.
    pass_mark = models.FloatField(
        null=True, blank=True, validators=[MinValueValidator(0.01), MaxValueValidator(1)]
    )

    class Meta:
        ordering = ["position", "id"]
        # The table, its constraints, and the columns that refer to it keep their original names.
        db_table = "projects_batch"
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="batch_key_once_per_project"),
            # Raters who have seen others' labels may no longer change their own.
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
        """The pass mark, such as 80%; "" if there is none."""
        return "" if self.pass_mark is None else f"{100 * self.pass_mark:.12g}%"


class RoundGate(models.Model):
    """A round that opens to a rater who has passed the gate; of several gates, one is enough."""

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
    """A round in which raters who missed the pass mark of the first one try again; passing it counts for that one."""

    round = models.OneToOneField(Round, models.CASCADE, related_name="attempt")
    first = models.ForeignKey(Round, models.CASCADE, related_name="attempts")
    # The first attempt has number 1.
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
    """content: list of {"name", "kind", "value"} in display order; kinds are `Item.Field`."""

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
    # Attributes by which agreement may be compared, such as site or year: name -> text, number, or boolean.
    attributes = models.JSONField(default=dict, db_default=Value({}, models.JSONField()), blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    # Raters are no longer asked for it since this time; existing labels stay and count.
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["project", "key"], name="item_key_once_per_project")]
        indexes = [
            # Finds the items that name a media file.
            GinIndex(fields=["content"], opclasses=["jsonb_path_ops"], name="item_content"),
            # The few items whose assignments do not count as remaining work.
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
    """A file that the content of items refers to by name; its bytes are stored by digest."""

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
    # As displayed by a browser; for images only.
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
        # Bytes are deleted when no file of any project refers to them.
        indexes = [models.Index(fields=["sha256"], name="media_of_bytes")]

    def __str__(self) -> str:
        return self.name

    @property
    def group(self) -> str:
        """image, audio, or video."""
        return self.type.partition("/")[0]
