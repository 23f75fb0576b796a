"""Printed and computed figures for a terminal, and for programs."""

from reports.analysis.catalog import PLAIN
from reports.analysis.results import Json
from reports.published.checking import CheckedExample, FigureCheck, PublishedVerification


def as_text(found: PublishedVerification) -> str:
    lines: list[str] = []
    for group in found.groups:
        lines += [f"{group.title}  ({group.source})".translate(PLAIN), *map(_line, group.figures)]
        lines += [f"    note: {note}" for note in group.notes] + [""]
    return "\n".join([*lines, summary(found)])


def _line(checked: FigureCheck) -> str:
    printed = checked.printed
    return (
        f"    {printed.title.translate(PLAIN):<50} {printed.printed:>11} {shown_computed(checked):>13} "
        f"{shown_difference(checked):>11}  {checked.word:<18} {printed.by or 'the publication'}"
    ).rstrip()


def shown_computed(checked: FigureCheck) -> str:
    """Format with two digits more than printed, at least six; counts of items without decimals."""
    if checked.computed is None:
        return "none"
    if checked.printed.printed.isdigit():
        return f"{checked.computed:.0f}"
    return f"{checked.computed:.{_digits(checked)}f}"


def _digits(checked: FigureCheck) -> int:
    return max(6, len(checked.printed.printed.partition(".")[2]) + 2)


def shown_difference(checked: FigureCheck) -> str:
    if checked.difference is None:
        return "none"
    # What is 0 in all digits shown, such as a rounding error of about 10^-17, is not a difference.
    shown = f"{checked.difference:+.{_digits(checked)}f}"
    return shown if float(shown) else "0"


def summary(found: PublishedVerification) -> str:
    return (
        f"{len(found.figures)} figures: {found.n_equal} match to the last published digit, "
        f"{found.n_explained} differ for the reason given in the note, {found.n_wrong} differ by more than rounding."
    )


def as_json(found: PublishedVerification) -> Json:
    return {
        "n_figures": len(found.figures),
        "n_equal": found.n_equal,
        "n_explained": found.n_explained,
        "n_wrong": found.n_wrong,
        "examples": [_group(group) for group in found.groups],
    }


def _group(group: CheckedExample) -> Json:
    return {
        "name": group.name,
        "title": group.title,
        "source": group.source,
        "table": group.table or None,
        "figures": [_figure(checked) for checked in group.figures],
    }


def _figure(checked: FigureCheck) -> Json:
    printed = checked.printed
    return {
        "statistic": printed.title,
        "printed": printed.printed,
        "printed_by": printed.by or None,
        "computed": checked.computed,
        "difference": checked.difference,
        "rounding": printed.rounding,
        "verdict": str(checked.verdict),
        "note": printed.note or None,
    }
