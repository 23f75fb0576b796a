"""Of the matrix of access: items that one still labels, reached through what one may see."""

from collections.abc import Iterator

from django.urls import reverse

from projects.models import Round
from reports.models import Report
from tests.config.routes import ROWS
from tests.faults.matrix import RATES_TOO, Case, Outcome, Two, outcome_of, undone


def blinding(two: Two, number: int) -> Iterator[Case]:
    row = ROWS[number]
    if row.name in {"pair_item", "provenance"}:
        yield Case(
            number, f"{RATES_TOO}, by a report of another round", lambda: _by_another_report(two, number)
        )


def _by_another_report(two: Two, number: int) -> Outcome:
    """The report hides nothing from them: its round has none of their items. What it leads to may have."""
    with undone():
        Round.objects.create(project=two.mine.project, key="elsewhere")
        report = two.mine.report
        Report.objects.filter(pk=report.pk).update(scope=report.scope | {"rounds": ["elsewhere"]})
        row = ROWS[number]
        return outcome_of(two, row, RATES_TOO, reverse(row.name, args=row.args(two.mine)))
    raise AssertionError("not reached")
