"""The other rounds of a question beside the one that leads, where rounds are not pooled."""

from collections.abc import Sequence
from dataclasses import dataclass

from reports.analysis.catalog import title_of
from reports.analysis.windows import By
from reports.pages.comparing.time_page import StepRow, WindowRow, windows_section
from reports.results.kinds import common_coefficient
from reports.store.on_demand import over_time_done
from reports.store.over_time import Asked
from reports.store.stored_result import StoredResult

# The newest; the page of all rounds has the others.
MOST_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class RoundRow:
    """step: from the round before; None for the first."""

    leads: bool
    window: WindowRow
    step: StepRow | None


@dataclass(frozen=True, slots=True)
class RoundsBeside:
    """rows: newest first; () if they are still to be computed. n_rounds: that have labels."""

    lead: str
    title: str
    rows: Sequence[RoundRow] = ()
    n_rounds: int = 0
    n_tests: int = 0


def rounds_beside(result: StoredResult) -> RoundsBeside | None:
    """None where one round has all labels, or all are pooled."""
    lead = result.row.lead
    if lead is None or result.reason:
        return None
    asked = Asked(By.ROUND, common_coefficient(result.row))
    beside = RoundsBeside(lead["key"], title_of(asked.coefficient))
    found = over_time_done(result.row, asked)
    if found is None:
        return beside
    section = windows_section(result, asked, found)
    steps = {
        change.later: step
        for change, step in zip(found.differences, section.steps, strict=True)
        if change.later == change.earlier + 1
    }
    rows = [
        RoundRow(window.key == lead["id"], row, steps.get(place))
        for place, (window, row) in enumerate(zip(found.windows, section.rows, strict=True))
    ]
    return RoundsBeside(
        beside.lead, beside.title, rows[::-1][:MOST_ROUNDS], len(rows) + found.n_left_out, section.n_tests
    )
