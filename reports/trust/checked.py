"""Verifying a report while somebody waits for the answer."""

from dataclasses import dataclass

from django.db.models import Sum

from reports.computing.verifying import verify
from reports.models import Report

# What is computed again within a few seconds; more is for `manage.py verify_report`.
MAX_LABELS, MAX_PAIRS, MAX_REPLICATES = 300_000, 20_000, 5_000


@dataclass(frozen=True, slots=True)
class Verified:
    """differences: a sentence for each; none if the report is the same to the last digit."""

    differences: list[str]

    @property
    def is_same(self) -> bool:
        return not self.differences


class TooLarge(Exception):
    """A report that takes too long to be verified at once; the message says what to do."""


def verified(report: Report) -> Verified:
    """Compute a finished report again from the history of its labels. Raises TooLarge."""
    found = report.questions.aggregate(labels=Sum("n_labels", default=0), pairs=Sum("n_pairs", default=0))
    drawn = report.chosen.replicates if report.chosen.is_bootstrap else 0
    if found["labels"] > MAX_LABELS or found["pairs"] > MAX_PAIRS or drawn > MAX_REPLICATES:
        raise TooLarge(
            f"This report is too large to verify on this page. Ask the server administrator to run"
            f" manage.py verify_report {report.pk}."
        )
    return Verified(verify(report))
