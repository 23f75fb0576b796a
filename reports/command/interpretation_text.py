"""How a file was interpreted: a line for everything that was guessed, merged, missing, or left out."""

from collections.abc import Sequence

import numpy as np

from raters.reading.columns import IGNORE, LABEL, LONG, TRANSPOSED, WIDE
from raters.reading.records import HUMAN
from raters.reading.resolved_labels import ResolvedQuestion
from reports.analysis.question import Kind
from reports.analysis.results import Json
from reports.sources.file_labels import FileLabels, FileQuestion
from reports.sources.parsed_labels import as_number

_LISTED = 20
_LAYOUTS = {
    LONG: "one label per row",
    WIDE: "a column for each rater",
    TRANSPOSED: "a column for each item",
}
# With fewer items, their labels may add up to the same number by chance.
FEWEST_SUMS = 5


def understood_lines(found: FileLabels) -> list[str]:
    interpretation, resolved, options = found.interpretation, found.resolved, found.interpretation.options
    lines = [f"Read as: {_source(found)}"]
    if not interpretation.title:
        used = [
            f"{name} = {_holds(column.role, column.rater, column.question)}"
            for name, column in options.columns.items()
            if column.role != IGNORE
        ]
        lines.append(f"Columns: {_listed(used)}")
        if ignored := [name for name, column in options.columns.items() if column.role == IGNORE]:
            lines.append(f"Columns ignored: {_listed(ignored)}")
    if interpretation.is_transposed and options.layout != TRANSPOSED:
        lines.append("The table seems to have a row for each rater; if so, use --layout transposed")
    if interpretation.unlike_raters:
        names = _listed(interpretation.unlike_raters)
        lines.append(
            f"Columns that share no values with the other raters: {names}; if they are not raters, use --map"
        )
    if interpretation.other_tables:
        lines.append(f"Sheets not read: {_listed(interpretation.other_tables)}; choose one with --sheet")
    for question in found.questions:
        lines += _of_values(resolved.questions[question.key])
        lines += _of_looks(question)
        lines += _of_sums(question) if options.layout == WIDE else []
    if resolved.n_empty:
        lines.append(f"Missing: {resolved.n_empty:,} empty cells")
    if resolved.n_later:
        lines.append(f"Left out: {resolved.n_later:,} labels of later passes; the first counts")
    if resolved.n_repeats:
        lines.append(f"Left out: {resolved.n_repeats:,} repeated labels; the {options.repeats} counts")
    lines += [f"Not labels: {n:,} {state}" for state, n in resolved.states.items()]
    lines += [f"Left out: {n:,} {what}" for what, n in interpretation.left_out.items() if n]
    if kinds := [f"{name} ({kind})" for name, kind in resolved.kinds.items() if kind != HUMAN]:
        lines.append(f"Counted like all other raters, unless left out with --leave-out: {_listed(kinds)}")
    return lines


def understood_json(found: FileLabels) -> Json:
    interpretation, resolved, options = found.interpretation, found.resolved, found.interpretation.options
    return {
        "format": options.format,
        "layout": options.layout,
        **({"counts": str(found.form)} if found.form else {}),
        "encoding": interpretation.encoding,
        "separator": interpretation.separator,
        "sheet": interpretation.sheet,
        "header_line": interpretation.header_line,
        "decimal": options.decimal,
        "columns": {name: column.as_json() for name, column in options.columns.items()},
        "n_empty": resolved.n_empty,
        "n_later_passes": resolved.n_later,
        "n_repeats": resolved.n_repeats,
        "states": dict(resolved.states),
        "left_out": {what: n for what, n in interpretation.left_out.items() if n},
        "rater_kinds": dict(resolved.kinds),
        "questions": {
            question.key: _json_of(question, resolved.questions[question.key]) for question in found.questions
        },
    }


def _json_of(question: FileQuestion, resolved: ResolvedQuestion) -> Json:
    return {
        "kind": question.kind,
        "level": question.level,
        "missing": resolved.missing,
        "merged": resolved.merged,
        "cannot_tell": resolved.cannot_tell,
        "n_cannot_tell": resolved.n_abstentions,
    }


def _source(found: FileLabels) -> str:
    interpretation, options = found.interpretation, found.interpretation.options
    title = interpretation.title or _LAYOUTS[options.layout]
    header = f"header in line {interpretation.header_line:,}" if interpretation.header_line > 1 else ""
    decimal = "decimal comma" if options.decimal == "," else ""
    sheet = f"sheet {interpretation.sheet}" if interpretation.sheet else ""
    return ", ".join(
        filter(None, (title, interpretation.encoding, interpretation.separator, sheet, header, decimal))
    )


def _holds(role: str, rater: str, question: str) -> str:
    if role != LABEL or not rater:
        return role
    return f"label of {rater}" + (f", {question}" if question else "")


def _of_values(resolved: ResolvedQuestion) -> list[str]:
    lines: list[str] = []
    if resolved.missing:
        values = [f"{written} ({n:,})" for written, n in resolved.missing.items()]
        lines.append(f"Missing in {resolved.key}: {_listed(values)}")
    if resolved.n_abstentions:
        lines.append(f"Left out of {resolved.key}: {resolved.n_abstentions:,} labels that say “cannot tell”")
    if resolved.merged:
        values = [f"{written} → {key}" for written, key in resolved.merged.items()]
        lines.append(f"Merged in {resolved.key}: {_listed(values)}")
    return lines


def _of_looks(question: FileQuestion) -> list[str]:
    if question.looks is None:
        return []
    kind, level = question.looks
    flags = []
    if kind != question.kind:
        flags.append(f"--kind {kind}")
    if level != question.level:
        flags.append(f"--level {level}")
    options = " ".join(flags)
    if kind == Kind.NUMBER and question.kind != kind:
        return [
            f"The labels of {question.key} look like numbers, but are compared as categories: near numbers disagree "
            f"like distant ones. To compare them as numbers, add {options}"
        ]
    taken = f"{question.kind}, {question.level}"
    return [f"Analyzed as {taken}: {question.key}; its values also suit {options}"]


def _of_sums(question: FileQuestion) -> list[str]:
    """Return a note if the labels of each item add up to the same number, as counts of labels would."""
    numbers = [as_number(name) for name in question.categories]
    is_single = question.kind is Kind.SINGLE and len(question.items) >= FEWEST_SUMS
    if not is_single or not all(n is not None and n >= 0 and n == int(n) for n in numbers):
        return []
    of_labels = np.array(numbers, dtype=np.float64)[question.values]
    sums = np.bincount(question.rows, weights=of_labels, minlength=len(question.items))
    if sums.min() < 2 or np.ptp(sums) or 0 not in numbers:
        return []
    return [
        f"Read as labels, although the numbers of each item add up to {sums[0]:g}; if they are counts of labels, use"
        " --counts items"
    ]


def _listed(values: Sequence[str]) -> str:
    """Return up to twenty values, and the number of the others."""
    more = f" and {len(values) - _LISTED:,} more" if len(values) > _LISTED else ""
    return ", ".join(values[:_LISTED]) + more
