"""Runs that read the labels of a project."""

from core.planner import expected_rows
from core.runs.ledger import Run
from projects.models import Question
from raters.models.labels import Label

# A run that gets through fewer labels per second is stuck.
LABELS_PER_SECOND = 10_000


class LabelsRun(Run):
    """A run on all labels of a project, which may take longer if there are many."""

    class Meta:
        abstract = True

    @property
    def seconds_allowed(self) -> int:
        # A run that was just deleted has no project.
        project = type(self).objects.filter(pk=self.pk).values(self.project_path)
        questions = list(Question.objects.filter(project__in=project).values_list("pk", flat=True))
        n_expected = expected_rows(Label.objects.filter(question__in=questions)) if questions else 0
        return super().seconds_allowed + n_expected // LABELS_PER_SECOND
