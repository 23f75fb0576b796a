"""Rows checked one by one, and all of them added up."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from tests.reference.data import Dataset
from tests.reference.exceptions import exception_of
from tests.reference.figures import statistic_of
from tests.reference.rows import NotComputedError, Outcome, Row, Verdict, differences


def check(row: Row, dataset: Dataset | None) -> Verdict:
    """Compute what the row is about and compare; what we do not compute is named with its reason."""
    reason = exception_of(row)
    if reason:
        row = replace(row, se=None, ci_low=None, ci_high=None)
    try:
        ours = statistic_of(row)(dataset, row.options)
    except NotComputedError as refused:
        return Verdict(row=row, outcome=Outcome.NOT_COMPUTED, why=f"{row.statistic}: {refused}")
    found = differences(row, ours)
    if found:
        return Verdict(row=row, outcome=Outcome.DIFFERS, why=ours.convention, differences=found)
    if reason:
        return Verdict(row=row, outcome=Outcome.EXCEPTION, why=reason)
    outcome = Outcome.AGREES_BY_CONVENTION if ours.convention else Outcome.AGREES
    return Verdict(row=row, outcome=outcome, why=ours.convention)


def summary(verdicts: Iterable[Verdict]) -> str:
    """How many rows had which outcome, why, and every row that is not ours."""
    verdicts = list(verdicts)
    lines = [f"{len(verdicts)} rows"]
    for outcome in Outcome:
        reasons = Counter(each.why for each in verdicts if each.outcome is outcome)
        lines.append(f"{reasons.total():6} {outcome}")
        if outcome is not Outcome.DIFFERS:
            lines += [f"{count:10} {why}" for why, count in reasons.most_common() if why]
    lines += [
        f"{each.outcome}: {each.row}: {'; '.join(each.differences) or each.why}"
        for each in verdicts
        if each.outcome in (Outcome.DIFFERS, Outcome.NOT_COMPUTED, Outcome.EXCEPTION)
    ]
    return "\n".join(lines)
