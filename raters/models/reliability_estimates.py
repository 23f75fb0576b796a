"""Estimates of rater reliability for the rules of final labels."""

from django.db import models

from core.history import Head
from projects.final_rules import FinalRule
from projects.models import Question
from raters.models.label_runs import LabelsRun


class FinalEstimate(LabelsRun):
    """Rater reliability on one question, estimated from its labels up to a position in the history.

    result: JSON created by `raters.adjudication.estimating`. Final labels use the newest finished estimate, even if
    labels have changed since, so that all pages and files agree until the next estimate.
    """

    task_name = "raters.estimate_reliability"
    project_path = "question__project"

    question = models.ForeignKey(Question, models.CASCADE, related_name="final_estimates", db_index=False)
    rule = models.CharField(max_length=20, choices=FinalRule)
    result = models.JSONField(null=True, editable=False)
    n_labels = models.PositiveIntegerField(default=0, editable=False)
    head_position = models.BigIntegerField(null=True, editable=False)
    head_entry = models.BigIntegerField(null=True, editable=False)
    head_digest = models.CharField(max_length=64, default="", editable=False)

    class Meta:
        indexes = [
            models.Index(fields=["question", "-id"], name="final_estimate_newest"),
            models.Index(fields=["state", "lease_until"], name="final_estimate_due"),
        ]

    def __str__(self) -> str:
        return f"{self.get_rule_display()} of {self.question_id}"

    @property
    def head(self) -> Head:
        """The position in the history of a finished estimate."""
        return Head(self.question.project_id, self.head_position or 0, self.head_entry or 0, self.head_digest)
