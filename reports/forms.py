"""What a person may choose when asking for a report."""

from typing import Any

from django import forms

from projects.models import Project, Question
from reports.models import Report


def keys_field(label: str, keys: list[str]) -> forms.MultipleChoiceField:
    return forms.MultipleChoiceField(
        label=label,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        choices=[(key, key) for key in keys],
    )


class ReportForm(forms.Form):
    """Nothing chosen means everything: all questions, all batches."""

    weights = forms.ChoiceField(choices=Report.Weights, initial=Report.Weights.UNWEIGHTED)

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        questions = project.questions.filter(kind=Question.Kind.SINGLE)
        self.fields["questions"] = keys_field("Questions", [question.key for question in questions])
        self.fields["batches"] = keys_field("Batches", [batch.key for batch in project.batches.all()])

    @property
    def asked(self) -> dict[str, Any]:
        """The arguments of `actions.request_report`."""
        return {
            "questions": self.cleaned_data["questions"] or None,
            "batches": self.cleaned_data["batches"] or None,
            "weights": self.cleaned_data["weights"],
        }
