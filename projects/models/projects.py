"""Projects and their members."""

from django.conf import settings
from django.core.validators import MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q, Value
from django.db.models.functions import Now
from django.urls import reverse

from core.keys import MAX_KEY
from projects.adjudication_reasons import default_reasons, validate_reasons
from projects.field_names import validate_names
from projects.thresholds import CoefficientChoice, ReadingScaleChoice, ThresholdsFor, validate_thresholds

slug_of_letters = RegexValidator(
    r"^[a-z0-9]+(-[a-z0-9]+)*\Z", "Use lowercase letters, digits, and single hyphens."
)


class Project(models.Model):
    class OneKeySaving(models.TextChoices):
        RATERS = "raters", "Up to each rater"
        ON = "on", "Always"
        OFF = "off", "Never"

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
        max_length=30, choices=CoefficientChoice, default=CoefficientChoice.FITTING
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
    # The reasons that can be given for a decision, in order.
    adjudication_reasons = models.JSONField(
        default=default_reasons, blank=True, validators=[validate_reasons]
    )
    # How the labeling page lays out the fields of items (`items.layout`), by name. Empty: by length.
    main_field = models.CharField(max_length=MAX_KEY, blank=True, default="", db_default="")
    fields_hidden = models.JSONField(
        default=list, db_default=Value([], models.JSONField()), blank=True, validators=[validate_names]
    )
    fields_side_by_side = models.JSONField(
        default=list, db_default=Value([], models.JSONField()), blank=True, validators=[validate_names]
    )
    # Whether an answer is saved as soon as it is chosen, if it is the only one asked for.
    one_key_saving = models.CharField(
        max_length=6, choices=OneKeySaving, default=OneKeySaving.RATERS, db_default=OneKeySaving.RATERS
    )
    # Whether the project is a sample of another one's labels, to be labeled again (`raters.models.Audit`).
    is_audit = models.BooleanField(default=False, db_default=False, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    # Set while the project is deleted but can still be restored; after this time, it is purged.
    deletion_due_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["name", "id"]
        constraints = [
            # A scale without thresholds would leave all figures without words, and without an explanation.
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


class Invitation(models.Model):
    """An invitation to a project: for one user name or email address, or a link for several people.

    What the lead sees never depends on whether an account with that name or address exists. The token is shown once and
    stored only as a hash.
    """

    project = models.ForeignKey(Project, models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=12, choices=Membership.Role)
    # Both are empty for a link.
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
            # Holds even if several people redeem it at the same time.
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
        """The user name or address of the invitation; "" for a link."""
        return self.username or self.email


class Redemption(models.Model):
    """A user who joined through an invitation."""

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
