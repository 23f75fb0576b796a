"""Which column of a file holds what: by its exact name, or by hand."""

import unicodedata
from dataclasses import dataclass

from core.tables.faults import Faults
from core.tables.table import Table
from raters.imports.options import ROLES, LabelOptions

# Names by which a column of another program is recognized as meant for a role, only to say so.
_MEANT = {
    "item": {"id", "item_id", "itemid", "unit", "document", "subject", "example"},
    "rater": {"annotator", "coder", "rater_id", "worker", "judge", "user", "reviewer"},
    "question": {"variable", "task", "attribute", "dimension"},
    "label": {"labels", "code", "class", "category", "rating", "answer", "value", "score", "annotation"},
    "round": {"batch", "phase"},
    # Exports of labels name their time labeled_at, formerly labelled_at.
    "time": {"timestamp", "date", "created_at", "labeled_at", "labelled_at"},
}


@dataclass(frozen=True, slots=True)
class LabelLayout:
    """The place of each role among the columns, and for wide files the places of the raters."""

    places: dict[str, int]
    raters: dict[str, int]


def lay_out(
    table: Table, options: LabelOptions, faults: Faults, *, needs_question: bool
) -> LabelLayout | None:
    """What each column holds; None, and faults, if that is not clear."""
    before = faults.n
    chosen = dict(options.columns)
    for role, column in chosen.items():
        if column not in table.columns:
            faults.add(1, column, "", "missing_column", f"column not found; it is mapped to {role}")
    for role in ROLES:
        if role in table.columns and role not in chosen.values() and role not in options.ignored:
            chosen.setdefault(role, role)
    for role in _required(options, needs_question=needs_question):
        if role not in chosen:
            faults.add(1, role, "", "missing_column", _missing(role, table, options))
    rest = [name for name in table.columns if name not in chosen.values() and name not in options.ignored]
    if options.layout == "wide":
        _check_wide(chosen, rest, faults)
    else:
        for name in rest:
            faults.add(1, name, "", "unknown_column", _unknown(name))
    if faults.n > before:
        return None
    place = {name: place for place, name in enumerate(table.columns)}
    raters = {name: place[name] for name in rest} if options.layout == "wide" else {}
    return LabelLayout({role: place[name] for role, name in chosen.items()}, raters)


def _required(options: LabelOptions, *, needs_question: bool) -> list[str]:
    required = ["item"]
    if options.layout != "wide":
        required += ["label"] if options.rater else ["rater", "label"]
    if needs_question and not options.question:
        required.append("question")
    return required


def _check_wide(chosen: dict[str, str], rest: list[str], faults: Faults) -> None:
    for role in {"rater", "label"} & chosen.keys():
        rule = (
            "not used in a file with a column for each rater; did you mean the layout with one label per row?"
        )
        faults.add(1, chosen[role], "", "unknown_column", rule)
    if not rest:
        faults.add(1, "", "", "missing_column", "there is no column for a rater")


def _missing(role: str, table: Table, options: LabelOptions) -> str:
    rule = f'the file has no column "{role}"'
    if near := [name for name in table.columns if _folded(name) == role]:
        rule += f' ("{near[0]}" differs only by case or spaces)'
    elif meant := [name for name in table.columns if _folded(name) in _MEANT[role]]:
        rule += f' (did you mean "{meant[0]}"?)'
    if role == "question":
        return rule + ", and the project has several questions; choose one for all rows, or map a column"
    if role == "rater" and options.layout == "long":
        return (
            rule
            + "; map one, choose one rater for all rows, or choose the layout with a column for each rater"
        )
    return rule + "; rename or map a column"


def _unknown(name: str) -> str:
    for role in ROLES:
        if _folded(name) == role:
            return f'differs from "{role}" only by case or spaces; rename, map, or ignore this column'
        if _folded(name) in _MEANT[role]:
            return f"unknown column; if it contains the {role}, map it; otherwise, ignore it"
    return f"unknown column; map it to {', '.join(ROLES)}, or ignore it"


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).strip().casefold()
