"""The forms of a codebook."""

import math
from collections.abc import Sequence
from typing import Any

from django import forms
from django.conf import settings

from core.keys import MAX_KEY
from core.web.form_fields import MultilineField, NameField, SingleLineField
from projects.access import projects_of
from projects.codebook.number_rules import FIELDS as NUMBER_FIELDS
from projects.codebook.starters import starters
from projects.measures import offered_coefficients, offered_weights
from projects.models import MAX_ANSWER_TEXT, MAX_TEXT, MAX_UNIT, MAX_VALUE, Category, Project, Question

OF_TEXTS = (
    "No agreement is computed for free text. Once the question has labels, its answer type can’t be changed."
)


LEVELS = (
    "Determines how agreement is computed. Nominal: unordered categories. Ordinal: ordered categories. "
    "Interval: equal distances. Ratio: equal distances and a true zero. You can change it at any time."
)


def _number_field(**more: Any) -> forms.FloatField:
    widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"})
    return forms.FloatField(required=False, widget=widget, **more)


class QuestionForm(forms.Form):
    """The fields of a question that can be changed; a new one also has a key."""

    prompt = MultilineField(
        label="Question",
        max_length=MAX_TEXT,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="The wording raters see.",
    )
    kind = forms.ChoiceField(
        label="Answer type",
        choices=Question.Kind,
        help_text="Free text is for answers in the raters’ own words: no agreement is computed for them. Once the "
        "question has labels, use “Correct answer type”, which converts them.",
    )
    level = forms.ChoiceField(
        label="Scale",
        choices=Question.Level,
        help_text=LEVELS,
    )
    is_required = forms.BooleanField(label="Answer required", required=False)
    allows_abstention = forms.BooleanField(label="Allow “Cannot tell”", required=False)
    confidence = forms.ChoiceField(
        choices=Question.Confidence,
        required=False,
        initial=Question.Confidence.OFF,
        help_text="Whether raters say how sure they are of each answer: guessing, unsure, fairly sure, or certain. "
        "Reports then show how often they are right at each step.",
    )
    missing_values = forms.CharField(
        label="Missing values",
        max_length=1000,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text="Numbers that mean no answer, separated by spaces, such as “99 -9”. New reports leave them out and "
        "say so; labels do not change, and you can undo this at any time.",
    )

    minimum = _number_field(help_text="The smallest number raters can enter. Leave empty for no limit.")
    maximum = _number_field(help_text="The largest number raters can enter.")
    is_whole = forms.BooleanField(label="Whole numbers only", required=False)
    step = _number_field(help_text="Such as 0.5: raters enter the minimum (or 0) plus a multiple of it.")
    unit = SingleLineField(
        max_length=MAX_UNIT,
        required=False,
        help_text="Such as mm. Raters see it next to the field; labels contain only the number.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    tolerance = _number_field(
        label="Tolerance for disputes",
        help_text="Numbers that differ by no more than this are not in dispute, and count as the same in final labels. "
        "Agreement statistics never use it.",
    )

    max_length = forms.IntegerField(
        label="Maximum length",
        required=False,
        min_value=1,
        max_value=MAX_ANSWER_TEXT,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
    )

    asked_if = forms.MultipleChoiceField(
        label="Asked only if",
        required=False,
        widget=forms.SelectMultiple(attrs={"size": 6}),
        help_text="Categories of one earlier question. Raters who chose one of them are asked this question; the "
        "others don’t see it. Existing labels still count. Choose none to always ask.",
    )

    coefficient = forms.ChoiceField(
        label="Primary coefficient",
        required=False,
        help_text="The coefficient that reports judge this question by. Automatic: Cohen’s kappa for two raters of "
        "a nominal question, Fleiss’ kappa for more, Krippendorff’s alpha for ordered categories and sets, and an "
        "intraclass correlation for numbers.",
    )
    weights = forms.ChoiceField(
        required=False,
        help_text="For weighted kappa, also in the matrix of raters. Only weights that suit the scale are listed.",
    )
    criterion = forms.FloatField(
        required=False,
        min_value=-1,
        max_value=1,
        widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}),
        help_text="The value that agreement has to reach. The criterion is met if the whole CI is at or above it. "
        "Leave empty for the default: 0.667 for alpha, 0.60 for kappa, 0.75 for an ICC, 80% for percent agreement.",
    )

    def __init__(
        self,
        *args: Any,
        question: Question | None = None,
        questions: Sequence[Question] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.confidence_now = question.confidence if question else Question.Confidence.OFF
        self.kind_now = question.kind if question else ""
        self._offer(question)
        self._offer_conditions(question, questions)
        if question is None or question.kind != Question.Kind.NUMBER:
            for name in ("missing_values", *NUMBER_FIELDS):
                del self.fields[name]
        self._fit_text(question)

    def _fit_text(self, question: Question | None) -> None:
        """Remove fields that do not apply: texts have no scale, confidence, or measure, and others no length."""
        if question is None or question.is_compared:
            del self.fields["max_length"]
            return
        self.fields["max_length"].help_text = (
            f"Characters that an answer can have, from 1 to {MAX_ANSWER_TEXT:,}. "
            f"Leave empty for the default of {settings.TEXT_ANSWER_LENGTH:,}."
        )
        self.fields["kind"].help_text = OF_TEXTS
        for name in ("level", "confidence", "coefficient", "weights", "criterion"):
            self.fields.pop(name, None)

    def _offer(self, question: Question | None) -> None:
        """Offer only what fits the saved scale; new questions have no such choices yet."""
        if question is None:
            for name in ("coefficient", "weights", "criterion"):
                del self.fields[name]
            return
        weights = offered_weights(question.kind, question.level)
        coefficients = offered_coefficients(question.kind, question.level)
        for name, offered in (("coefficient", coefficients), ("weights", weights)):
            choices = [("", "Automatic"), *((each.value, each.label) for each in offered)]
            self.fields[name].choices = choices  # type: ignore[attr-defined]
        if len(weights) == 1:
            del self.fields["weights"]

    def _offer_conditions(self, question: Question | None, questions: Sequence[Question]) -> None:
        """Offer the categories of earlier questions as conditions."""
        keys = [each.key for each in questions]
        before = questions[: keys.index(question.key)] if question and question.key in keys else ()
        offered = [
            (str(each), [condition_choice(each, category) for category in each.categories.all()])
            for each in before
            if each.has_categories and each.categories.all()
        ]
        self.earlier = {each.pk: each.key for each in before}
        self.fields["asked_if"].choices = offered  # type: ignore[attr-defined]
        if not offered and (question is None or not question.asked_if_question):
            del self.fields["asked_if"]

    def clean(self) -> dict[str, object]:
        """Split the condition into the two fields of the question, and choose the scale where none was chosen."""
        cleaned = super().clean() or self.cleaned_data
        if "kind" in cleaned and "level" in cleaned:
            cleaned["level"] = self._level(cleaned["kind"], cleaned["level"])
        if "asked_if" not in cleaned:
            return cleaned
        chosen = [value.partition(":") for value in cleaned.pop("asked_if")]
        parents = {self.earlier[int(pk)] for pk, _, _ in chosen}
        if len(parents) > 1:
            self.add_error("asked_if", "Choose categories of one question only.")
            return cleaned
        cleaned["asked_if_question"] = next(iter(parents), "")
        cleaned["asked_if_categories"] = [key for _, _, key in chosen]
        return cleaned

    def _level(self, kind: str, level: str) -> str:
        """Return the scale: texts have none, and numbers that nobody chose one for are not names."""
        if kind == Question.Kind.TEXT:
            return Question.Level.NOMINAL
        is_untouched = not level or (kind != self.kind_now and "level" not in self.changed_data)
        if is_untouched:
            return (
                Question.Level.INTERVAL if kind == Question.Kind.NUMBER else level or Question.Level.NOMINAL
            )
        return level

    def clean_confidence(self) -> str:
        """Keep the current value if the form does not contain the field."""
        return str(self.cleaned_data["confidence"] or self.confidence_now)

    def clean_missing_values(self) -> list[float]:
        texts = str(self.cleaned_data["missing_values"]).replace(",", " ").replace(";", " ").split()
        try:
            values = [float(text.replace("−", "-")) for text in texts]
        except ValueError:
            values = [math.nan]
        if not all(abs(value) <= MAX_VALUE for value in values):
            raise forms.ValidationError("Enter numbers separated by spaces, such as “99 -9”.")
        return values


def condition_choice(question: Question, category: Category) -> tuple[str, str]:
    return f"{question.pk}:{category.key}", f"{question.key}: {category}"


def chosen_condition(question: Question, questions: Sequence[Question]) -> list[str]:
    """Return the selected values of `asked_if`."""
    parent = next((each for each in questions if each.key == question.asked_if_question), None)
    return [f"{parent.pk}:{key}" for key in question.asked_if_categories] if parent else []


class NewQuestionForm(QuestionForm):
    key = NameField(
        max_length=MAX_KEY,
        help_text="A short name used in files and reports, such as “tone”. Can’t be changed later.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    kind = forms.ChoiceField(
        label="Answer type",
        choices=Question.Kind,
        help_text="Free text is for answers in the raters’ own words: no agreement is computed for them.",
    )
    level = forms.ChoiceField(
        label="Scale",
        required=False,
        choices=[
            ("", "Default: nominal for categories, interval for numbers"),
            *Question.Level.choices,
        ],
        help_text=LEVELS,
    )
    is_required = forms.BooleanField(label="Answer required", required=False, initial=True)
    allows_abstention = forms.BooleanField(label="Allow “Cannot tell”", required=False, initial=True)
    field_order = ["key"]


class StarterForm(forms.Form):
    starter = forms.ChoiceField(label="Start from")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["starter"].choices = starter_choices()  # type: ignore[attr-defined]


def starter_choices() -> list[tuple[str, str]]:
    return [(starter.key, f"{starter.name} – {starter.about}") for starter in starters().values()]


class CopyForm(forms.Form):
    source = forms.ModelChoiceField(label="Project", queryset=Project.objects.none())
    with_guidelines = forms.BooleanField(label="Also copy its guidelines, as a new version", required=False)

    def __init__(self, *args: Any, user: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        others = projects_of(user).filter(questions__isnull=False).exclude(pk=project.pk).distinct()
        self.fields["source"].queryset = others  # type: ignore[attr-defined]

    @property
    def has_sources(self) -> bool:
        return bool(self.fields["source"].queryset.exists())  # type: ignore[attr-defined]


MAX_SEEN = 2**31 - 1


class GuidelinesForm(forms.Form):
    text = MultilineField(
        label="Guidelines",
        required=False,
        max_length=100_000,
        widget=forms.Textarea(attrs={"rows": 22}),
        help_text="Markdown is supported. To show an image, upload it under Media files and write "
        "![What it shows](folder/name.png). Each change creates a new version: raters see what changed before "
        "their next item, and each label records the version it was made under.",
    )
    seen = forms.IntegerField(min_value=0, max_value=MAX_SEEN, widget=forms.HiddenInput)
