"""Printed and computed figures for display on a page."""

from dataclasses import dataclass

from core.templatetags.shown import MINUS
from reports.published.checking import CheckedExample, FigureCheck, PublishedVerification
from reports.published.text import shown_computed, shown_difference


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedFigureRow:
    title: str
    printed: str
    computed: str
    difference: str
    word: str
    is_fine: bool
    by: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedGroupRow:
    """table: its rows, such as "22 9 / 7 13", or ""."""

    name: str
    title: str
    source: str
    table: str
    figures: list[PublishedFigureRow]


def groups_of(found: PublishedVerification) -> list[PublishedGroupRow]:
    return [_group(group) for group in found.groups]


def _group(group: CheckedExample) -> PublishedGroupRow:
    rows = [" ".join(f"{count:,}" for count in row) for row in group.table]
    return PublishedGroupRow(
        name=group.name,
        title=group.title,
        source=group.source,
        table=" / ".join(rows),
        figures=[_figure(checked) for checked in group.figures],
    )


def _figure(checked: FigureCheck) -> PublishedFigureRow:
    printed = checked.printed
    return PublishedFigureRow(
        title=printed.title,
        printed=printed.printed.replace("-", MINUS),
        computed=shown_computed(checked).replace("-", MINUS),
        difference=shown_difference(checked).replace("-", MINUS),
        word=checked.word,
        is_fine=checked.is_fine,
        by=printed.by,
        note=printed.note,
    )
