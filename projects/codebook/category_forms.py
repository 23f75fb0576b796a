"""The forms of categories."""

import math
from typing import Any

from django import forms

from core.keys import MAX_KEY
from core.web.form_fields import MultilineField, NameField
from projects.codebook.codebook_rules import PAGE_KEYS, SHORTCUTS
from projects.models import MAX_TEXT, MAX_VALUE, Category, Question


class CategoryForm(forms.Form):
    """The fields of a category that can be changed; a new one also has a key."""

    name = NameField(
        max_length=MAX_KEY, required=False, help_text="The name raters see. Leave empty to use the key."
    )
    definition = MultilineField(
        max_length=MAX_TEXT,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="When to choose this category.",
    )
    examples = MultilineField(
        max_length=MAX_TEXT,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Typical cases and a borderline case.",
    )
    shortcut = forms.CharField(
        max_length=1,
        required=False,
        widget=forms.TextInput(attrs={"size": 2, "autocomplete": "off", "autocapitalize": "none"}),
        help_text="Keyboard shortcut: a digit or a letter from a to z, except those the labeling page uses: "
        f"{', '.join(PAGE_KEYS)}.",
    )
    color = forms.ChoiceField(
        label="Color",
        choices=[("", "None"), *Category.Color.choices],
        required=False,
        help_text="Color-blind-safe palette. The name is always shown as well.",
    )
    value = forms.FloatField(
        required=False,
        min_value=-MAX_VALUE,
        max_value=MAX_VALUE,
        widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}),
        help_text="The category’s value on an interval or ratio scale.",
    )
    treated_as_missing = forms.BooleanField(
        label="Treat as missing",
        required=False,
        help_text="For categories such as “NA”. New reports leave out all labels with this category and say how many; "
        "labels do not change, raters can still choose it, and you can undo this at any time.",
    )

    def __init__(self, *args: Any, question: Question, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if question.level not in {Question.Level.INTERVAL, Question.Level.RATIO}:
            # A field without meaning here is not shown, and its value stays.
            del self.fields["value"]

    def clean_shortcut(self) -> str:
        shortcut = str(self.cleaned_data["shortcut"]).lower()
        if shortcut and shortcut not in SHORTCUTS:
            raise forms.ValidationError("A shortcut must be a digit or a letter from a to z.")
        return shortcut

    def clean_value(self) -> float | None:
        value: float | None = self.cleaned_data["value"]
        if value is not None and not math.isfinite(value):
            raise forms.ValidationError("Enter a number.")
        return value


class NewCategoryForm(CategoryForm):
    key = NameField(
        max_length=MAX_KEY,
        help_text="A short name used in files, such as “good”. Can’t be changed later.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    field_order = ["key"]


KEY, NAME = NameField(max_length=MAX_KEY), NameField(max_length=MAX_KEY, required=False)


class CategoriesForm(forms.Form):
    """Several new categories, one per line."""

    lines = MultilineField(
        label="Categories",
        max_length=50_000,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="One per line: a key, or a key and a name, as in “pos: Positive”, or two columns of a spreadsheet. "
        "All are added, or none.",
    )

    def __init__(self, *args: Any, question: Question, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.taken = {category.key: "" for category in question.categories.all()}

    def clean_lines(self) -> list[tuple[int, str, str]]:
        """Return the number of each line, with its key and name. Names every line that is wrong."""
        found, faults, taken = [], [], dict(self.taken)
        for number, line in enumerate(self.cleaned_data["lines"].split("\n"), start=1):
            if not line.strip():
                continue
            key, name = _key_and_name(line)
            if key in taken:
                where = f"line {taken[key]} has it" if taken[key] else "there is one already"
                faults.append(
                    f"Line {number}: a category with the key “{key}” can’t be added, because {where}."
                )
            taken.setdefault(key, str(number))
            try:
                found.append((number, KEY.clean(key), NAME.clean(name)))
            except forms.ValidationError as fault:
                faults.append(f"Line {number}: {' '.join(fault.messages)}")
        if faults:
            raise forms.ValidationError(faults)
        return found


def _key_and_name(line: str) -> tuple[str, str]:
    """Split at the first tab, else at the first colon that a space follows."""
    key, _, name = line.partition("\t") if "\t" in line else line.partition(": ")
    return key.strip(), name.strip()
