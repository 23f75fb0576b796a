"""The other rounds of a question in addition to the leading one, if rounds are not pooled."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.templatetags.shown import NONE, count, in_percent
from reports.agreement.few_items import LEAST_ITEMS
from reports.analysis.catalog import in_sentence, title_among
from reports.analysis.results.raters import SIGNIFICANT
from reports.analysis.windows import WindowGrouping
from reports.pages.comparing.time_page import WindowChangeRow, WindowRow, windows_section
from reports.results.kinds import coefficient_of_parts
from reports.store.on_demand import over_time_done
from reports.store.over_time import OverTimeOptions
from reports.store.stored_result import StoredResult

# The newest rounds, and the leading one; the page of all rounds has the others.
MOST_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class RoundRow:
    """step: from the previous round; None for the first. fell: whether agreement fell significantly, by Bonferroni's
    correction for all tests of rounds and findings.
    """

    leads: bool
    window: WindowRow
    step: WindowChangeRow | None
    fell: bool = False


@dataclass(frozen=True, slots=True)
class RoundsOverview:
    """rows: newest first; () if they have yet to be computed. n_rounds: those with labels."""

    lead: str
    title: str
    rows: Sequence[RoundRow] = ()
    n_rounds: int = 0
    n_tests: int = 0
    confidence: str = ""

    @property
    def has_fallen(self) -> bool:
        """Whether agreement in the leading round is significantly lower than in the previous one."""
        return any(row.leads and row.fell for row in self.rows)

    @property
    def others(self) -> str:
        """The other rounds with the number of items compared in each; "" if they have yet to be computed."""
        return ", ".join(
            f"“{row.window.name}” ({count(row.window.n_items or 0)} item{'' if row.window.n_items == 1 else 's'})"
            for row in self.rows
            if not row.leads
        )

    @property
    def sentence(self) -> str:
        """A sentence on which round the figures use, and the change since the previous one."""
        return f"Rounds are not pooled: these figures are from “{self.lead}”. {self.change}".rstrip()

    @property
    def now(self) -> str:
        """The figure of the leading round; "" if it has yet to be computed."""
        row = next((row for row in self.rows if row.leads), None)
        return "" if row is None else f"In “{self.lead}”, {self._figure(row.window, 'is')}."

    @property
    def change(self) -> str:
        """The change since the previous round; "" if there is none."""
        place = next((place for place, row in enumerate(self.rows) if row.leads), None)
        if place is None or place + 1 == len(self.rows):
            return ""
        step, before = self.rows[place].step, self.rows[place + 1].window
        then = f"In “{before.name}”, {self._figure(before, 'was')}"
        if step is None or step.value == NONE:
            return f"{then}."
        if not step.interval:
            return f"{then}; the change is {step.value}{f' ({step.remark})' if step.remark else ''}."
        ci = f"{in_percent(self.confidence)} CI {step.interval}"
        if step.has_few_items:
            return (
                f"{then}; the change is {step.value}, {ci}. With fewer than {LEAST_ITEMS} items in one of the rounds, "
                "it cannot be distinguished from chance."
            )
        chance = "beyond chance" if step.is_beyond_chance else "not beyond chance"
        return f"{then}; the change is {step.value}, {ci}, {step.remark or chance}."

    def _figure(self, window: WindowRow, verb: str) -> str:
        """Return, for example: Cohen’s κ is 0.52, 95% CI [0.31, 0.73]; or why it is undefined or has no CI."""
        title = in_sentence(self.title)
        if window.value == NONE:
            return f"{title} {verb} undefined{f' ({window.why})' if window.why else ''}"
        if window.why:
            return f"{title} {verb} {window.value} ({window.why})"
        interval = window.interval and f", {in_percent(self.confidence)} CI {window.interval}"
        return f"{title} {verb} {window.value}{interval}"


def rounds_overview(result: StoredResult) -> RoundsOverview | None:
    """Return the rounds; None if one round has all labels, or if rounds are pooled."""
    lead = result.row.lead
    if lead is None or result.reason:
        return None
    asked = OverTimeOptions(WindowGrouping.ROUND, coefficient_of_parts(result.row))
    title, confidence = title_among(asked.coefficient, result.counted.n_raters), result.report.chosen.percent
    found = over_time_done(result.row, asked)
    if found is None:
        return RoundsOverview(lead["key"], title)
    section = windows_section(result, asked, found)
    steps = {
        change.later: step
        for change, step in zip(found.differences, section.steps, strict=True)
        if change.later == change.earlier + 1
    }
    # It is shown with the findings, and counts as one more test.
    findings = result.figures.findings
    n_tests = section.n_tests + (findings.n_tested if findings else 0)
    fallen = {
        change.later
        for change in found.differences
        if change.later == change.earlier + 1
        and change.is_beyond_chance
        and (change.value or 0) < 0
        and (change.p_value or 0) * n_tests < SIGNIFICANT
    }
    rows = [
        RoundRow(window.key == lead["id"], row, steps.get(place), place in fallen)
        for place, (window, row) in enumerate(zip(found.windows, section.rows, strict=True))
    ][::-1]
    return RoundsOverview(
        lead["key"],
        title,
        [row for place, row in enumerate(rows) if place < MOST_ROUNDS or row.leads],
        len(rows) + found.n_left_out,
        section.n_tests,
        confidence,
    )
