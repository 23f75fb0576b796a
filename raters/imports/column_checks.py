"""Check that the columns chosen for a table of labels are the required ones, each chosen once."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from core.tables.faults import Faults
from raters.imports.label_options import LabelOptions
from raters.imports.several_tables import FILES, RATERS
from raters.reading.columns import ITEM, ITEM_TEXT, LABEL, LONG, QUESTION, RATER, ROLES, TRANSPOSED, Column
from raters.reading.known_keys import KnownKeys
from raters.reading.table_sample import TableSample

# The code of the fault that columns are questions, and nothing says who answered them.
MISSING_RATER = "missing_rater"
# With fewer rows, labels may add up to the same by chance.
_FEWEST_ROWS = 5
# Roles of at most one column.
_ONCE = {role for role in ROLES if role not in {"content", "ignore", ITEM_TEXT, LABEL}}


def check_columns(options: LabelOptions, sample: TableSample, faults: Faults, *, known: KnownKeys) -> None:
    """Report missing columns, and roles that several columns have."""
    holds: dict[str, list[str]] = defaultdict(list)
    for name in sample.columns:
        holds[options.columns[name].role].append(name)
    for role in _ONCE:
        for name in holds[role][1:]:
            rule = f"“{holds[role][0]}” already holds the {ROLES[role].lower()}; choose something else for this column"
            faults.add(1, name, "", "column_twice", rule)
    if options.layout in (LONG, TRANSPOSED):
        _check_roles(options, holds, faults)
    elif not holds[LABEL]:
        faults.add(
            1, "", "", "missing_column", "no column holds the labels of a rater; choose the columns that do"
        )
    else:
        _check_items_of_raters(sample, holds, faults)
    for name in holds[LABEL]:
        rater = options.columns[name].rater
        if known.question(rater) and not known.rater(rater):
            rule = (
                "a question of the project, but no column says who answered it; enter one rater for all rows, "
                "or name the rater of this column"
            )
            faults.add(1, name, "", MISSING_RATER, rule)
    has_question = (
        options.question or holds[QUESTION] or all(options.columns[name].question for name in holds[LABEL])
    )
    if not has_question:
        rule = "the project has several questions; choose the one that these labels answer"
        faults.add(1, "question", "", "missing_column", rule)


def check_counts(columns: Mapping[str, Column], sample: TableSample, faults: Faults) -> None:
    """Refuse counts of raters by category, which were taken for labels: each row adds up to the number of raters."""
    rated = [name for name, column in columns.items() if column.role == LABEL]
    keys = [name for name, column in columns.items() if column.role == ITEM]
    total = _total_of_rows(sample, rated) or _total_of_rows(sample, [*keys, *rated])
    if total:
        rule = (
            f"each row adds up to {total}, so these columns seem to hold counts of raters by category, which do not "
            "say who chose what; import the labels of each rater. If these are labels, choose what each column holds"
        )
        faults.add(1, "", "", "counts", rule)


def _total_of_rows(sample: TableSample, names: Sequence[str]) -> int:
    """Return what each row adds up to; 0 if the columns are not such counts."""
    rows = [*zip(*(sample.cells[name] for name in names), strict=True)]
    if (
        len(names) < 2
        or len(rows) < _FEWEST_ROWS
        or not all(cell.strip().isdecimal() for row in rows for cell in row)
    ):
        return 0
    counts = {tuple(map(int, row)) for row in rows}
    totals = {sum(row) for row in counts}
    is_of_counts = len(counts) > 1 and len(totals) == 1 and any(0 in row for row in counts)
    return max(totals) if is_of_counts and max(totals) > 1 else 0


def _check_items_of_raters(sample: TableSample, holds: Mapping[str, list[str]], faults: Faults) -> None:
    """Refuse rows of several raters without items: each row would be an item that one rater alone has labeled."""
    is_of_several = any(len(set(sample.filled(name))) > 1 for name in holds[RATER])
    if is_of_several and not (holds[ITEM] or holds[ITEM_TEXT]):
        rule = (
            "rows are by several raters, but no column says which item each of them labeled; choose the one that does. "
            "If the columns describe the raters, add them under Members, Raters, Attributes from a file instead"
        )
        faults.add(1, ITEM, "", "missing_column", rule)


def _check_roles(options: LabelOptions, holds: Mapping[str, list[str]], faults: Faults) -> None:
    has_items = options.layout == TRANSPOSED or holds[ITEM] or holds[ITEM_TEXT]
    missing = [] if has_items else [ITEM]
    if not holds[LABEL]:
        missing.append(LABEL)
    if not holds[RATER] and not options.rater and options.choices.get(FILES) != RATERS:
        missing.append(RATER)
    for role in missing:
        rule = f"no column holds the {ROLES[role].lower()}; choose the one that does"
        if role == RATER:
            rule += ", or enter one rater for all rows, or choose the layout with a column for each rater"
        faults.add(1, role, "", "missing_column", rule)
    for name in holds[LABEL][1:] if options.layout == LONG else ():
        faults.add(1, name, "", "column_twice", "a file with one label per row has one column of labels")
