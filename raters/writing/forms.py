from typing import Any

from django import forms

from projects.models import Project, Question, Round
from raters.writing.records import WHAT_TITLES, ExportKind
from raters.writing.scope import ExportScope, scope_of
from raters.writing.target import Target
from raters.writing.targets import BY_KEY, TARGETS


class ExportForm(forms.Form):
    """If no questions or rounds are selected, all of them are exported."""

    what = forms.ChoiceField(choices=[(str(what), WHAT_TITLES[what]) for what in ExportKind], required=False)
    question = forms.ModelMultipleChoiceField(Question.objects.none(), required=False)
    round = forms.ModelMultipleChoiceField(Round.objects.none(), required=False)
    format = forms.ChoiceField(choices=[(target.key, target.title) for target in TARGETS], required=False)

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.project = project
        self.questions = project.questions.prefetch_related("categories")
        self.rounds = project.rounds.all()
        self.fields["question"].queryset = self.questions  # type: ignore[attr-defined]
        self.fields["round"].queryset = self.rounds  # type: ignore[attr-defined]

    @property
    def scope(self) -> ExportScope:
        chosen = self.cleaned_data
        # In codebook order, like the choices.
        questions = list(chosen["question"]) or list(self.questions)
        rounds = list(chosen["round"]) or None
        return scope_of(self.project, ExportKind(chosen["what"] or ExportKind.LABELS), questions, rounds)

    @property
    def target(self) -> Target:
        return BY_KEY[self.cleaned_data["format"] or TARGETS[0].key]
