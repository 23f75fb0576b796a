"""What is asked: questions, their categories, and the guidelines."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from core.keys import MAX_KEY
from projects.final_rules import FinalRule
from projects.measures import QuestionCoefficient, QuestionWeights
from projects.models.projects import Project

MAX_TEXT = 10_000


MAX_VALUE = 1e100
MAX_UNIT = 40
# The maximum length of an answer to any text question.
MAX_ANSWER_TEXT = 10_000


class GuidelinesVersion(models.Model):
    """The guidelines as of a certain time, written once; the database refuses to change or delete them.

    Labels refer to the number of the version they were made under. `Project.guidelines` has the latest text.
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


class CodebookVersion(models.Model):
    """What raters were asked from a certain time on, with the shortcut of each answer; written once.

    The first version is written when the first round opens; `projects.codebook.versions` adds one for each change.
    content: `projects.codebook.content.StoredCodebook`. guidelines: the number of the guidelines in force with it.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="codebook_versions")
    number = models.PositiveIntegerField(validators=[MinValueValidator(1)])
    content = models.JSONField()
    guidelines = models.PositiveSmallIntegerField(default=0)
    made_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="codebook_number_once_per_project"),
            models.CheckConstraint(condition=Q(number__gte=1), name="codebook_number_from_1"),
        ]

    def __str__(self) -> str:
        return f"codebook {self.number} of {self.project}"


class CodebookDraft(models.Model):
    """Changes of a codebook that raters do not see yet; published together, or discarded.

    edits: in order, each a `projects.codebook.drafts.Edit`. rows, content, guidelines: the resulting codebook, based on
    version `base`. revision: incremented with each change, so that nobody publishes what they have not seen.
    """

    project = models.OneToOneField(Project, models.PROTECT, related_name="codebook_draft")
    edits = models.JSONField(default=list)
    rows = models.JSONField(default=list)
    content = models.JSONField(default=dict)
    guidelines = models.TextField(blank=True)
    base = models.PositiveIntegerField(default=0)
    revision = models.PositiveIntegerField(default=0)
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    changed_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"draft of the codebook of {self.project}"


class QuestionSet(models.QuerySet["Question"]):
    def compared(self) -> "QuestionSet":
        """Return questions whose answers can agree: all figures, disputes, final labels, and rules use only these."""
        return self.exclude(kind=Question.Kind.TEXT)


class Question(models.Model):
    class Kind(models.TextChoices):
        SINGLE = "single", "Single choice"
        MULTIPLE = "multiple", "Multiple choice"
        NUMBER = "number", "Number"
        TEXT = "text", "Free text"

        @property
        def has_categories(self) -> bool:
            return self in (self.SINGLE, self.MULTIPLE)

        @property
        def is_compared(self) -> bool:
            """Whether answers can agree; same as `QuestionSet.compared`."""
            return self != self.TEXT

    class Confidence(models.TextChoices):
        """Whether raters are asked for their confidence in each answer."""

        OFF = "off", "Don’t ask"
        OPTIONAL = "optional", "Ask, optional"
        REQUIRED = "required", "Ask, required"

    class Level(models.TextChoices):
        NOMINAL = "nominal", "Nominal"
        ORDINAL = "ordinal", "Ordinal"
        INTERVAL = "interval", "Interval"
        RATIO = "ratio", "Ratio"

    # Labels depend on a question, so a project with questions is never deleted by cascade.
    project = models.ForeignKey(Project, models.PROTECT, related_name="questions")
    key = models.CharField(max_length=MAX_KEY)
    prompt = models.TextField(blank=True, max_length=MAX_TEXT)
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.SINGLE)
    level = models.CharField(max_length=10, choices=Level, default=Level.NOMINAL)
    position = models.PositiveIntegerField(default=0)
    is_required = models.BooleanField(default=True)
    allows_abstention = models.BooleanField(default=True, help_text="Raters can answer “Cannot tell”.")
    confidence = models.CharField(
        max_length=10, choices=Confidence, default=Confidence.OFF, db_default=Confidence.OFF
    )
    # For number questions: values such as 99 that mean no answer. Labels keep them; reports leave them out.
    missing_values = ArrayField(models.FloatField(), default=list, db_default=[], blank=True)
    # For number questions: the rules for numbers, and the largest difference that adjudication ignores. Missing values
    # may violate the rules.
    minimum = models.FloatField(null=True, blank=True)
    maximum = models.FloatField(null=True, blank=True)
    is_whole = models.BooleanField(default=False, db_default=False)
    step = models.FloatField(null=True, blank=True)
    unit = models.CharField(max_length=MAX_UNIT, default="", db_default="", blank=True)
    tolerance = models.FloatField(null=True, blank=True)
    # For text questions: the maximum length of an answer; null for the default.
    max_length = models.PositiveIntegerField(null=True, blank=True)
    # By keys, which never change: this question is asked only if one of these categories of the earlier question was
    # chosen; empty: always.
    asked_if_question = models.CharField(max_length=MAX_KEY, default="", db_default="", blank=True)
    asked_if_categories = ArrayField(
        models.CharField(max_length=MAX_KEY), default=list, db_default=[], blank=True
    )
    # By which reports judge the question; empty: chosen from its scale and raters.
    coefficient = models.CharField(
        max_length=30, choices=QuestionCoefficient, default="", db_default="", blank=True
    )
    weights = models.CharField(max_length=20, choices=QuestionWeights, default="", db_default="", blank=True)
    criterion = models.FloatField(null=True, blank=True)
    # The rule for final labels without a decision, the certainty required, and whether references take precedence over
    # the rule.
    final_rule = models.CharField(
        max_length=20, choices=FinalRule, default=FinalRule.PLURALITY, db_default=FinalRule.PLURALITY
    )
    final_threshold = models.FloatField(null=True, blank=True)
    final_takes_references = models.BooleanField(default=True, db_default=True)

    objects = QuestionSet.as_manager()

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="question_key_once_per_project"),
            models.CheckConstraint(
                condition=Q(final_threshold__isnull=True) | Q(final_threshold__gt=0, final_threshold__lte=1),
                name="question_final_threshold_is_a_share",
            ),
            models.CheckConstraint(
                condition=Q(criterion__isnull=True) | Q(criterion__range=(-1.0, 1.0)),
                name="question_criterion_is_bounded",
            ),
            models.CheckConstraint(
                condition=Q(minimum__isnull=True)
                | Q(maximum__isnull=True)
                | Q(minimum__lte=models.F("maximum")),
                name="question_minimum_below_maximum",
            ),
            models.CheckConstraint(
                condition=Q(step__isnull=True) | Q(step__gt=0, step__lte=MAX_VALUE),
                name="question_step_is_positive",
            ),
            models.CheckConstraint(
                condition=Q(tolerance__isnull=True) | Q(tolerance__gte=0, tolerance__lte=MAX_VALUE),
                name="question_tolerance_is_not_negative",
            ),
            models.CheckConstraint(
                condition=Q(max_length__isnull=True)
                | Q(kind="text", max_length__gte=1, max_length__lte=MAX_ANSWER_TEXT),
                name="question_max_length_is_of_text",
            ),
            models.CheckConstraint(
                condition=Q(asked_if_question="", asked_if_categories=[])
                | ~Q(asked_if_question="") & ~Q(asked_if_categories=[]),
                name="question_condition_is_whole",
            ),
        ]

    def __str__(self) -> str:
        return self.prompt or self.key

    @property
    def choices(self) -> list["Category"]:
        """The categories that can be chosen; a number question may keep those of its earlier kind for the history."""
        return list(self.categories.all()) if self.has_categories else []

    @property
    def has_categories(self) -> bool:
        return Question.Kind(self.kind).has_categories

    @property
    def is_compared(self) -> bool:
        return Question.Kind(self.kind).is_compared

    @property
    def most_characters(self) -> int:
        """The maximum length of an answer to a text question."""
        return self.max_length or settings.TEXT_ANSWER_LENGTH

    @property
    def asks_confidence(self) -> bool:
        return self.confidence != Question.Confidence.OFF

    @property
    def requires_confidence(self) -> bool:
        return self.confidence == Question.Confidence.REQUIRED

    @property
    def number_rule(self) -> str:
        """The rule for numbers, such as “a whole number from 0 to 10”; "" if any number is allowed."""
        low, high, step = self.minimum, self.maximum, self.step
        if low is None and high is None and step is None and not self.is_whole:
            return ""
        words = ["a whole number" if self.is_whole else "a number"]
        if low is not None and high is not None:
            words.append(f"from {low:.12g} to {high:.12g}")
        elif low is not None:
            words.append(f"of at least {low:.12g}")
        elif high is not None:
            words.append(f"of at most {high:.12g}")
        if step is not None:
            words.append(f"in steps of {step:.12g}")
        return " ".join(words)

    @property
    def number_hint(self) -> str:
        """The text next to the field: the rule and the unit."""
        unit = f"in {self.unit}" if self.unit else ""
        words = ", ".join(part for part in (self.number_rule, unit) if part)
        return words[:1].upper() + words[1:]

    @property
    def text_hint(self) -> str:
        """The maximum length of an answer to a text question, in words."""
        return f"At most {self.most_characters:,} characters"

    @property
    def tolerance_in_words(self) -> str:
        """The tolerance with its unit; "" if there is none."""
        return f"{self.tolerance:.12g} {self.unit}".strip() if self.tolerance else ""

    @property
    def compared_categories(self) -> models.QuerySet["Category"]:
        """The categories that statistics use, in order, without those treated as missing."""
        return self.categories.filter(treated_as_missing=False).order_by("position")


class FormerQuestion(models.Model):
    """A question deleted when the import that created it was undone, with its original ID.

    Written by the database when the question is deleted, so that the history of its labels still has its project.
    """

    id = models.BigIntegerField(primary_key=True)
    project = models.ForeignKey(Project, models.PROTECT, related_name="former_questions")
    key = models.CharField(max_length=MAX_KEY)
    kind = models.CharField(max_length=10)
    label_import_id = models.BigIntegerField()

    def __str__(self) -> str:
        return self.key


class PresentCategories(models.Manager["Category"]):
    """The categories that can be chosen, without those merged into others."""

    def get_queryset(self) -> models.QuerySet["Category"]:
        return super().get_queryset().filter(merged_into__isnull=True)


class Category(models.Model):
    """A category. One that was merged into another stays as a row, so that the history of labels can name it."""

    class Color(models.TextChoices):
        """The Okabe–Ito palette, which is distinguishable with any type of color vision."""

        BLUE = "blue", "Blue"
        ORANGE = "orange", "Orange"
        GREEN = "green", "Green"
        PINK = "pink", "Pink"
        SKY = "sky", "Sky blue"
        RED = "red", "Red"
        YELLOW = "yellow", "Yellow"
        # The stored value keeps its original spelling, also in project files.
        GRAY = "grey", "Gray"

    question = models.ForeignKey(Question, models.PROTECT, related_name="categories")
    key = models.CharField(max_length=MAX_KEY)
    name = models.CharField(max_length=MAX_KEY, blank=True)
    definition = models.TextField(blank=True, max_length=MAX_TEXT)
    examples = models.TextField(blank=True, max_length=MAX_TEXT)
    position = models.PositiveIntegerField(null=True)
    value = models.FloatField(null=True, blank=True)
    shortcut = models.CharField(max_length=1, blank=True)
    # The column keeps its original name.
    color = models.CharField(max_length=10, choices=Color, blank=True, db_column="colour")
    # Labels keep the category, and raters can choose it; reports leave such labels out.
    treated_as_missing = models.BooleanField(default=False, db_default=False)
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
            # The order is the scale, so positions must be unique. Deferred, so that categories can be swapped.
            models.UniqueConstraint(
                fields=["question", "position"],
                name="category_position_once_per_question",
                deferrable=models.Deferrable.DEFERRED,
            ),
            models.CheckConstraint(
                # Squared differences must stay finite, too.
                condition=Q(value__isnull=True) | Q(value__range=(-MAX_VALUE, MAX_VALUE)),
                name="category_value_is_bounded",
            ),
            models.UniqueConstraint(
                fields=["question", "shortcut"],
                condition=~Q(shortcut=""),
                name="category_shortcut_once_per_question",
            ),
            # A merged category has neither position nor shortcut; any other has a position.
            models.CheckConstraint(
                condition=Q(merged_into__isnull=True, position__isnull=False)
                | Q(merged_into__isnull=False, position__isnull=True, shortcut=""),
                name="category_merged_has_no_place",
            ),
        ]

    def __str__(self) -> str:
        return self.name or self.key
