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
# Of the answer to a text question, however long its question allows it to be.
MAX_ANSWER_TEXT = 10_000


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


class CodebookVersion(models.Model):
    """What raters were asked from a moment on, with the key of each answer; written once.

    The first is written when the first round opens; `projects.codebook.versions` keeps one more for each change.
    content: `projects.codebook.content.Content`. guidelines: the number of the guidelines that held with it.
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
    """Changes of a codebook that raters do not see yet; published at once, or discarded.

    edits: what was done, in order, `projects.codebook.drafts.Edit`. rows, content, guidelines: the codebook as they
    leave it, over the version `base`. revision: counts each change, so that nobody publishes what they did not see.
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
        """Those whose answers can agree: every figure, dispute, final label, and rule is about these alone."""
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
            """Whether answers can agree; the same as `QuestionSet.compared`."""
            return self != self.TEXT

    class Confidence(models.TextChoices):
        """Whether raters are asked how sure they are of each answer."""

        OFF = "off", "Don’t ask"
        OPTIONAL = "optional", "Ask, optional"
        REQUIRED = "required", "Ask, required"

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
    confidence = models.CharField(
        max_length=10, choices=Confidence, default=Confidence.OFF, db_default=Confidence.OFF
    )
    # Of number questions: values such as 99 that say nothing. Labels keep them; reports leave them out.
    missing_values = ArrayField(models.FloatField(), default=list, db_default=[], blank=True)
    # Of number questions: what raters may enter, and how far apart two numbers may lie that adjudication takes for the
    # same. Missing values may lie outside.
    minimum = models.FloatField(null=True, blank=True)
    maximum = models.FloatField(null=True, blank=True)
    is_whole = models.BooleanField(default=False, db_default=False)
    step = models.FloatField(null=True, blank=True)
    unit = models.CharField(max_length=MAX_UNIT, default="", db_default="", blank=True)
    tolerance = models.FloatField(null=True, blank=True)
    # Of text questions: how many characters an answer may have; null for the usual number.
    max_length = models.PositiveIntegerField(null=True, blank=True)
    # By keys, which never change: who chose one of these categories of the earlier question is asked this one; empty:
    # everybody is.
    asked_if_question = models.CharField(max_length=MAX_KEY, default="", db_default="", blank=True)
    asked_if_categories = ArrayField(
        models.CharField(max_length=MAX_KEY), default=list, db_default=[], blank=True
    )
    # What reports judge the question by; empty: chosen from its scale and raters.
    coefficient = models.CharField(
        max_length=30, choices=QuestionCoefficient, default="", db_default="", blank=True
    )
    weights = models.CharField(max_length=20, choices=QuestionWeights, default="", db_default="", blank=True)
    criterion = models.FloatField(null=True, blank=True)
    # What is final where no adjudicator decided, the certainty below which nothing is, and whether references come
    # before the rule.
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
        """The categories that can be chosen. A number question may keep those of its earlier kind, as history."""
        return list(self.categories.all()) if self.has_categories else []

    @property
    def has_categories(self) -> bool:
        return Question.Kind(self.kind).has_categories

    @property
    def is_compared(self) -> bool:
        return Question.Kind(self.kind).is_compared

    @property
    def most_characters(self) -> int:
        """How long the answer to a text question can be."""
        return self.max_length or settings.TEXT_ANSWER_LENGTH

    @property
    def asks_confidence(self) -> bool:
        return self.confidence != Question.Confidence.OFF

    @property
    def requires_confidence(self) -> bool:
        return self.confidence == Question.Confidence.REQUIRED

    @property
    def number_rule(self) -> str:
        """What an answer must be, such as “a whole number from 0 to 10”; empty if any number will do."""
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
        """What stands beside the field: the rule and the unit."""
        unit = f"in {self.unit}" if self.unit else ""
        words = ", ".join(part for part in (self.number_rule, unit) if part)
        return words[:1].upper() + words[1:]

    @property
    def text_hint(self) -> str:
        """How long the answer to a text question can be."""
        return f"At most {self.most_characters:,} characters"

    @property
    def tolerance_in_words(self) -> str:
        """With its unit; empty for none."""
        return f"{self.tolerance:.12g} {self.unit}".strip() if self.tolerance else ""

    @property
    def compared_categories(self) -> models.QuerySet["Category"]:
        """The categories that statistics use, in their order: those that are treated as missing say nothing."""
        return self.categories.filter(treated_as_missing=False).order_by("position")


class FormerQuestion(models.Model):
    """A question that went when the import that created it was undone; its id is the one it had.

    Written by the database as the question is deleted, so that the history of its labels still has its project.
    """

    id = models.BigIntegerField(primary_key=True)
    project = models.ForeignKey(Project, models.PROTECT, related_name="former_questions")
    key = models.CharField(max_length=MAX_KEY)
    kind = models.CharField(max_length=10)
    label_import_id = models.BigIntegerField()

    def __str__(self) -> str:
        return self.key


class PresentCategories(models.Manager["Category"]):
    """The categories that can be chosen: those that went into others are history."""

    def get_queryset(self) -> models.QuerySet["Category"]:
        return super().get_queryset().filter(merged_into__isnull=True)


class Category(models.Model):
    """A category that was merged into another stays as a row, so that the history of labels can name it."""

    class Color(models.TextChoices):
        """The palette of Okabe and Ito, which people of every color vision can tell apart."""

        BLUE = "blue", "Blue"
        ORANGE = "orange", "Orange"
        GREEN = "green", "Green"
        PINK = "pink", "Pink"
        SKY = "sky", "Sky blue"
        RED = "red", "Red"
        YELLOW = "yellow", "Yellow"
        # The stored value keeps its first spelling, in project files too.
        GRAY = "grey", "Gray"

    question = models.ForeignKey(Question, models.PROTECT, related_name="categories")
    key = models.CharField(max_length=MAX_KEY)
    name = models.CharField(max_length=MAX_KEY, blank=True)
    definition = models.TextField(blank=True, max_length=MAX_TEXT)
    examples = models.TextField(blank=True, max_length=MAX_TEXT)
    position = models.PositiveIntegerField(null=True)
    value = models.FloatField(null=True, blank=True)
    shortcut = models.CharField(max_length=1, blank=True)
    # The column keeps its first name.
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
