"""The forms of a model run: what to send, and how to continue."""

from typing import Any

from django import forms
from django.conf import settings

from core.web.form_fields import MultilineField
from projects.items.layout import field_names
from projects.models import Project, Round
from raters.model_runs.choosing import Items
from raters.model_runs.configuring import FORMATS, RunSettings
from raters.model_runs.drafting import RunBudget
from raters.models import ModelRun
from raters.models.model_runs import MAX_INSTRUCTIONS

MAX_SEED = 2**31 - 1
_NUMBER = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"})
_WHOLE = forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"})


class LimitsForm(forms.Form):
    max_cost = forms.FloatField(
        label="Maximum cost",
        required=False,
        min_value=0.0001,
        max_value=1_000_000,
        widget=_NUMBER,
        help_text="In the currency of the prices. The run stops before a request that would exceed it. Leave empty for "
        "no limit.",
    )
    max_tokens = forms.IntegerField(
        label="Maximum number of tokens",
        required=False,
        min_value=1,
        max_value=10**12,
        widget=_WHOLE,
        help_text="Of requests and answers together. Leave empty for no limit.",
    )

    @property
    def limits(self) -> RunBudget:
        return RunBudget(self.cleaned_data.get("max_cost"), self.cleaned_data.get("max_tokens"))


class ModelRunForm(LimitsForm):
    model = forms.ChoiceField()
    items = forms.ChoiceField()
    is_only_new = forms.BooleanField(
        label="Leave out items that this model has labeled with the same settings",
        required=False,
        help_text="Otherwise they are labeled once more, as a further pass, which shows how stable the model is.",
    )
    round = forms.ModelChoiceField(
        label="Round of the labels",
        queryset=Round.objects.none(),
        required=False,
        empty_label="None",
        help_text="Choose the round in which people label these items, so that a report on it compares them.",
    )
    questions = forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple)
    fields_sent = forms.MultipleChoiceField(
        label="Item fields to send",
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text="Images, audio, video, item IDs, and attributes are never sent.",
    )
    has_guidelines = forms.BooleanField(label="Send the guidelines", required=False)
    instructions = MultilineField(
        label="Further instructions",
        required=False,
        max_length=MAX_INSTRUCTIONS,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="For the model only, such as examples.",
    )
    temperature = forms.FloatField(
        required=False,
        min_value=0,
        max_value=2,
        widget=_NUMBER,
        help_text="0 gives the most stable answers. Leave empty if the model does not accept it.",
    )
    seed = forms.IntegerField(
        required=False, min_value=0, max_value=MAX_SEED, widget=_WHOLE, help_text="Leave empty to send none."
    )
    answer_format = forms.ChoiceField(
        choices=FORMATS,
        help_text="The prompt describes the format in any case. Choose another one if the endpoint refuses this.",
    )

    def __init__(self, data: Any, *, project: Project) -> None:
        self.names = field_names(project.pk)
        super().__init__(data, initial=self._initial(project))
        rounds = project.rounds.exclude(state=Round.State.DRAFT)
        self._choose("model", [(name, _with_price(name)) for name in settings.MODELS])
        self._choose(
            "items",
            [
                ("all", "All items"),
                *((f"round-{each.pk}", f"Round {each}") for each in rounds),
                *((f"list-{each.pk}", f"List {each}") for each in project.item_lists.all()),
            ],
        )
        self._choose("questions", [(each.key, str(each)) for each in project.questions.all()])
        self._choose("fields_sent", [(name, name) for name in self.names])
        self.fields["round"].queryset = rounds  # type: ignore[attr-defined]

    def _choose(self, name: str, choices: list[tuple[str, str]]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    def _initial(self, project: Project) -> dict[str, object]:
        """Return the choices of the last run, or the usual ones."""
        rounds = list(project.rounds.exclude(state=Round.State.DRAFT)[:2])
        questions = [each.key for each in project.questions.all()]
        initial = {
            "items": "all",
            "is_only_new": True,
            "round": rounds[0] if len(rounds) == 1 else None,
            "questions": questions,
            "fields_sent": [name for name in self.names if name not in project.fields_hidden],
            "has_guidelines": True,
            "temperature": "0",
            "answer_format": FORMATS[0][0],
        }
        last = project.model_runs.first()
        if last is None:
            return initial
        wanted = RunSettings.of_content(last.content)
        return initial | {
            "model": wanted.model,
            "round": last.round,
            "questions": [key for key in wanted.questions if key in questions] or questions,
            "fields_sent": [name for name in self.names if name not in wanted.fields_left_out],
            "has_guidelines": wanted.has_guidelines,
            "instructions": wanted.instructions,
            "temperature": "" if wanted.temperature is None else f"{wanted.temperature:g}",
            "seed": wanted.seed,
            "answer_format": wanted.answer_format,
            "max_cost": last.max_cost,
            "max_tokens": last.max_tokens,
        }

    @property
    def wanted(self) -> RunSettings:
        given = self.cleaned_data
        return RunSettings(
            model=given["model"],
            temperature=given["temperature"],
            seed=given["seed"],
            answer_format=given["answer_format"],
            questions=given["questions"],
            fields_left_out=[name for name in self.names if name not in given["fields_sent"]],
            has_guidelines=given["has_guidelines"],
            instructions=given["instructions"],
        )

    @property
    def items_wanted(self) -> Items:
        kind, _, pk = self.cleaned_data["items"].partition("-")
        return Items(
            round=int(pk) if kind == "round" else None,
            list=int(pk) if kind == "list" else None,
            is_only_new=self.cleaned_data["is_only_new"],
        )


def _with_price(name: str) -> str:
    price = settings.MODELS[name]
    return name if price is None else f"{name} ({price[0]:g} / {price[1]:g} per million tokens in / out)"


class ResumeForm(LimitsForm):
    with_failed = forms.BooleanField(label="Send failed items again", required=False)
    with_unknown = forms.BooleanField(
        label="Send items without a recorded answer again",
        required=False,
        help_text="The endpoint may have charged for them already.",
    )

    @classmethod
    def of(cls, run: ModelRun, data: Any = None) -> "ResumeForm":
        return cls(data, initial={"max_cost": run.max_cost, "max_tokens": run.max_tokens})
