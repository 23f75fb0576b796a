"""Column roles of a table, as chosen by the user or guessed from names and values."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from core.keys import key_of_text
from raters.reading.column_names import OURS, PASS, parts_of_names
from raters.reading.known_keys import NOTHING_KNOWN, KnownKeys, folded
from raters.reading.number_notation import number_of
from raters.reading.records import RATER_KINDS, REFERENCE
from raters.reading.reference_names import references_among
from raters.reading.table_sample import TableSample, are_numbers
from raters.reading.text_pairs import pair_of_texts
from raters.reading.values import folded as folded_value

AUTO = "auto"
LONG, WIDE, TRANSPOSED = "long", "wide", "transposed"
LAYOUTS = {
    LONG: "One label per row",
    WIDE: "A column for each rater or question",
    TRANSPOSED: "A column for each item",
}

ITEM, RATER, QUESTION, LABEL, IGNORE, CONTENT = "item", "rater", "question", "label", "ignore", "content"
# Content that is also the key: as a whole or, if it is too long, its beginning and a digest; several texts together.
ITEM_TEXT = "item_text"
# Roles of columns and their titles. Several columns can hold content and, in wide files, labels.
ROLES = {
    ITEM: "Item key",
    ITEM_TEXT: "Item text, also as key",
    CONTENT: "Item content",
    RATER: "Rater",
    "rater_kind": "Type of rater",
    QUESTION: "Question",
    "question_kind": "Answer type",
    LABEL: "Label",
    "cannot_tell": "Cannot tell",
    "reason": "Reason",
    "note": "Note",
    "confidence": "Confidence (0 to 1)",
    "confidence_percent": "Confidence (percent)",
    "from_suggestion": "Accepted from a suggestion",
    "round": "Round",
    "pass": "Pass",
    "time": "Time",
    "seconds": "Seconds spent",
    "state": "Status",
    "source_id": "Label ID",
    "guidelines_version": "Guidelines version",
    IGNORE: "Ignore",
}
_SEVERAL = {LABEL, ITEM_TEXT, CONTENT, IGNORE}
# Roles that belong to a single label, so files with a column per rater cannot have them.
OF_A_LABEL = {
    RATER,
    "rater_kind",
    "question_kind",
    "cannot_tell",
    "reason",
    "note",
    "confidence",
    "confidence_percent",
    "from_suggestion",
    "seconds",
    "state",
    "source_id",
    "guidelines_version",
}

# Common column names, folded.
_NAMES = {
    ITEM: (
        "id", "item id", "itemid", "item key", "unit", "unit id", "document", "document id", "doc", "doc id", "docid",
        "subject", "subject id", "example", "example id", "case", "case id", "no", "nr", "#", "task id",
        "text id", "record id", "sample", "sample id", "instance", "instance id", "hit id", "hitid", "segment", "key",
        "sentence id", "row id", "tweet id", "comment id", "image", "filename", "file name",
    ),
    RATER: (
        "annotator", "annotator id", "coder", "coder id", "rater id", "raterid", "worker", "worker id", "workerid",
        "judge", "judge id", "user", "user id", "username", "reviewer", "observer", "labeler", "labeller", "evaluator",
        "expert", "who", "annotated by", "coded by", "rated by",
    ),
    "rater_kind": ("rater kind", "rater type"),
    QUESTION: ("variable", "attribute", "dimension", "task", "criterion", "schema", "construct"),
    LABEL: (
        "labels", "code", "codes", "class", "category", "categories", "rating", "answer", "answer label", "value",
        "score", "annotation", "annotations", "judgment", "judgement", "decision", "choice", "vote", "response",
    ),
    "cannot_tell": ("cannot tell", "unclear", "unsure"),
    "question_kind": ("answer type", "question type"),
    "reason": ("why",),
    "note": ("comment", "comments", "notes", "remark", "remarks", "memo"),
    "confidence": ("certainty", "model confidence", "label confidence", "probability of the label"),
    "confidence_percent": ("confidence %", "confidence in %", "confidence (%)"),
    "from_suggestion": ("accepted suggestion", "suggestion accepted", "pre annotated", "preannotated", "pre-annotated"),
    "round": ("batch", "phase", "wave"),
    "pass": ("repeat", "repetition", "occasion"),
    "time": (
        "timestamp", "date", "created at", "updated at", "labeled at", "labelled at", "submitted at", "submitted",
        "annotated at",
    ),
    "seconds": ("lead time", "duration", "seconds spent", "time spent", "work time in seconds"),
    "state": ("status",),
    "source_id": ("annotation id", "label id", "response id"),
    CONTENT: (
        "text", "statement", "sentence", "content", "body", "title", "comment text", "quote", "utterance", "url",
        "tweet", "prompt", "question text", "passage", "description",
    ),
    # In our own exports: redundant columns.
    IGNORE: ("counts",),
}  # fmt: skip
_ROLE_OF = {name: role for role, names in _NAMES.items() for name in names} | {
    role.replace("_", " "): role for role in ROLES if role not in (CONTENT, ITEM_TEXT, IGNORE)
}
_GREATEST_OF_SCALE = 10
# Names of columns that describe the item or its author, also if their numbers could be ratings.
DESCRIPTIONS = {"age", "country", "gender", "language", "sex", "year"}
# Ends of names of columns about the labels of another one.
_ABOUT_LABELS = {"certainty", "comment", "comments", "conf", "confidence", "note", "notes", "seconds", "time"}


def role_by_name(name: str) -> str:
    """Return the role that the name suggests, or ""."""
    return _ROLE_OF.get(folded(name), "")


@dataclass(frozen=True, slots=True)
class Column:
    """role: one of ROLES. rater, question, pass_number: those of its labels, in a file with a column per rater.
    rater_kind: what this rater becomes if new.

    They are "" if they are given elsewhere in the file.
    """

    role: str
    rater: str = ""
    question: str = ""
    pass_number: str = ""
    rater_kind: str = ""

    def as_json(self) -> dict[str, str]:
        return {name: value for name, value in asdict(self).items() if value}

    @classmethod
    def from_json(cls, stored: str | Mapping[str, Any]) -> Self:
        """Parse a role or an object. Raises ValueError."""
        if not isinstance(stored, str | dict):
            raise ValueError("a column must be a role or an object")
        given = {"role": stored} if isinstance(stored, str) else dict(stored)
        names = ("role", "rater", "question", "pass_number", "rater_kind")
        if other := given.keys() - set(names):
            raise ValueError(f"a column has {', '.join(names)}, not {min(other)}")
        if given.get("role") not in ROLES:
            raise ValueError(f"role must be one of {', '.join(ROLES)}, got {given.get('role')!r}")
        if not all(isinstance(value, str) for value in given.values()):
            raise ValueError("role, rater, question, pass_number, and rater_kind of a column must be strings")
        if given.get("rater_kind") not in (None, "", *RATER_KINDS):
            raise ValueError(f"rater_kind of a column must be one of {', '.join(RATER_KINDS)}")
        return cls(**given)


def guessed(
    sample: TableSample,
    columns: Mapping[str, Column],
    *,
    layout: str = AUTO,
    known: KnownKeys = NOTHING_KNOWN,
    has_rater: bool = False,
) -> tuple[str, dict[str, Column]]:
    """Return the layout and the role of each column. columns: columns chosen by the user, which are kept.

    has_rater: one rater was chosen for all rows, so that a file with one column of labels is long, and in a wide file
    each column of labels is a question.
    """
    if layout == TRANSPOSED:
        return layout, _with_items_as_columns(sample, columns)
    if layout == AUTO:
        layout = _layout_of(sample, columns, has_rater=has_rater)
    roles = _by_name(sample, columns, layout, has_rater=has_rater)
    if not {ITEM, ITEM_TEXT} & _taken(roles):
        _guess_item(sample, roles, layout)
    if layout == LONG:
        _guess_label(sample, roles)
    elif has_rater or RATER in _taken(roles):
        _guess_questions(sample, roles, columns, known)
    else:
        _guess_raters(sample, roles, columns, known)
    for name in sample.columns:
        if name not in roles:
            roles[name] = Column(CONTENT if sample.is_text(name) else IGNORE)
    return layout, {name: roles[name] for name in sample.columns}


def _with_items_as_columns(sample: TableSample, columns: Mapping[str, Column]) -> dict[str, Column]:
    """Return the roles in a table with a row for each rater, in its first column unless another one is named so."""
    by_name = {name: role_by_name(name) for name in sample.columns}
    named = [name for name in sample.columns if RATER in (by_name[name], columns.get(name, Column("")).role)]
    rater = (named or [*sample.columns])[0]
    kept = {"round", "time", "state"}
    return {
        name: columns.get(name)
        or Column(RATER if name == rater else by_name[name] if by_name[name] in kept else LABEL)
        for name in sample.columns
    }


def _taken(roles: Mapping[str, Column]) -> set[str]:
    return {column.role for column in roles.values()}


def _layout_of(sample: TableSample, columns: Mapping[str, Column], *, has_rater: bool) -> str:
    if any(column.role == LABEL and column.rater for column in columns.values()):
        return WIDE
    by_name = {role_by_name(name) for name in sample.columns if name not in columns} | _taken(columns)
    # A row for each rater and item, with a column for each question.
    if RATER in by_name and LABEL not in by_name and len(_questions(sample, columns)) > 1:
        return WIDE
    # Questions but no rater in the rows: labels of a single rater, to be named.
    if LABEL in by_name and (RATER in by_name or QUESTION in by_name or has_rater):
        return LONG
    if RATER in by_name and any(sample.is_few(name) for name in sample.columns if not role_by_name(name)):
        return LONG
    return WIDE if LABEL not in by_name or len(sample.columns) > 2 else LONG


def _questions(sample: TableSample, columns: Mapping[str, Column]) -> list[str]:
    """Return the columns with few, repeated values whose names suggest no role."""
    return [
        name
        for name in sample.columns
        if name not in columns
        and not role_by_name(name)
        and folded(name) not in DESCRIPTIONS
        and sample.is_few(name)
        and not sample.is_unique(name)
    ]


def _by_name(
    sample: TableSample, columns: Mapping[str, Column], layout: str, *, has_rater: bool
) -> dict[str, Column]:
    """Return chosen roles, and roles suggested by names, each once. Exact names take precedence over synonyms."""
    roles = {name: column for name, column in columns.items() if name in sample.columns}
    free = [name for name in sample.columns if name not in roles]
    exact = sorted(free, key=lambda name: folded(name).replace(" ", "_") not in ROLES)
    for name in exact:
        role = role_by_name(name)
        if not role or (role not in _SEVERAL and role in _taken(roles)):
            continue
        if role == LABEL and (layout == WIDE or LABEL in _taken(roles)):
            continue
        if layout == WIDE and role in OF_A_LABEL and not (role == RATER or (role == "state" and has_rater)):
            role = IGNORE
        if role == ITEM and not sample.filled(name):
            continue
        if role == "confidence":
            role = _role_of_confidence(sample.filled(name))
        roles[name] = Column(role)
    return roles


def _role_of_confidence(cells: Sequence[str]) -> str:
    """Return the role by what most cells hold: probabilities, percentages, or neither (ignored).

    Words and scales such as 1 to 5 are neither. Cells that do not fit the role are reported when all are read.
    """
    found = [number_of(cell.removesuffix("%"), decimal="." if "." in cell else ",") for cell in cells]
    numbers = [number for number in found if number is not None]
    if not numbers or 2 * len(numbers) < len(cells):
        return IGNORE
    has_sign = [cell.endswith("%") for cell, number in zip(cells, found, strict=True) if number is not None]
    if all(has_sign):
        return "confidence_percent"
    # A cell with a sign is a percentage in any case.
    plain = [number for number, is_percent in zip(numbers, has_sign, strict=True) if not is_percent]
    if any(0 < number < 1 for number in plain) or max(plain) <= 1:
        return "confidence"
    if max(plain) > _GREATEST_OF_SCALE or any(has_sign):
        return "confidence_percent"
    return IGNORE if all(number == round(number) for number in plain) else "confidence"


def _guess_item(sample: TableSample, roles: dict[str, Column], layout: str) -> None:
    """Choose the first column with unique values or else, in a long file, the first unused one.

    With a row for each rater and item, prefer one whose values are unique for each rater; it can also be two texts.
    """
    free = [name for name in sample.columns if name not in roles or roles[name].role == CONTENT]
    unique = [name for name in free if sample.is_unique(name)]
    short = [name for name in unique if not sample.is_text(name)]
    by = next((name for name, column in roles.items() if column.role == RATER), None)
    if not short and (pair := pair_of_texts(sample, free, by)):
        roles |= dict.fromkeys(pair, Column(ITEM_TEXT))
        return
    shared = _of_each_rater(sample, roles, free)
    if found := short or shared or unique or (free if layout == LONG else []):
        is_short = all(key_of_text(cell) == cell for cell in sample.filled(found[0]))
        roles[found[0]] = Column(ITEM if is_short or not sample.is_text(found[0]) else ITEM_TEXT)


def _of_each_rater(sample: TableSample, roles: Mapping[str, Column], free: Sequence[str]) -> list[str]:
    """Return the columns that could name the items of several raters, those named like content first."""
    by = [name for name, column in roles.items() if column.role == RATER]
    found = [name for name in free if by and sample.is_unique_for_each([name], by[0])]
    return sorted(found, key=lambda name: (name not in roles, sample.is_few(name)))


def _guess_label(sample: TableSample, roles: dict[str, Column]) -> None:
    if LABEL in _taken(roles):
        return
    free = [name for name in sample.columns if name not in roles]
    if few := [name for name in free if sample.is_few(name)] or free:
        roles[few[-1]] = Column(LABEL)


def _guess_raters(
    sample: TableSample, roles: dict[str, Column], columns: Mapping[str, Column], known: KnownKeys
) -> None:
    """Find the label columns of a wide file: those with few, repeated values, or named after known raters."""
    free = [
        name
        for name in sample.columns
        # Long texts are content, unless the name has a known question, as in our own exports.
        if name not in roles
        and (not sample.is_text(name) or name.partition(OURS)[0] in known.questions)
        and (folded(name) not in DESCRIPTIONS or known.rater(name))
        and not _is_about_another(name, sample.columns)
    ]
    alike = _similar_columns(sample, free)
    # If no two columns are alike, one that is named after labels holds those of a single rater.
    named = {name for name in free if role_by_name(name) == LABEL and sample.is_few(name)}
    likely = alike or named
    found = [
        name
        for name in free
        if known.rater(name) or PASS.match(name) or (name in likely if likely else sample.is_few(name))
    ]
    if free and all(OURS in name for name in free):
        found = free
    # An empty column between them is a rater who has not started.
    if len(found) >= 2:
        inside = range(sample.columns.index(found[0]), sample.columns.index(found[-1]))
        found = [
            name
            for name in free
            if name in found or (sample.columns.index(name) in inside and not sample.values(name))
        ]
    parts_of = parts_of_names(found, known.raters, known.questions)
    references = references_among({parts.rater for parts in parts_of.values()}, known.raters)
    for name, parts in parts_of.items():
        kind = REFERENCE if parts.rater in references else ""
        rater, question = known.rater(parts.rater), known.question(parts.question)
        roles[name] = Column(LABEL, rater or parts.rater, question or parts.question, parts.pass_number, kind)
    # The name of a column chosen as labels, without a rater, is the rater.
    for name, column in columns.items():
        if column.role == LABEL and not column.rater and name in roles:
            roles[name] = replace(column, rater=name)


def _guess_questions(
    sample: TableSample, roles: dict[str, Column], columns: Mapping[str, Column], known: KnownKeys
) -> None:
    """Find the label columns of a wide file by one rater: those of known questions, or with few, repeated values."""
    for name in sample.columns:
        is_likely = sample.is_few(name) and folded(name) not in DESCRIPTIONS
        question = known.question(name)
        if name not in roles and (question or is_likely):
            roles[name] = Column(LABEL, question=question or name)
    for name, column in columns.items():
        if column.role == LABEL and not (column.rater or column.question) and name in roles:
            roles[name] = replace(column, question=known.question(name) or name)


def _is_about_another(name: str, columns: Sequence[str]) -> bool:
    """Return whether the column says something about the labels of another one, as anna_confidence does."""
    plain = folded(name)
    return any(
        plain.startswith(f"{folded(other)} ") and plain.removeprefix(f"{folded(other)} ") in _ABOUT_LABELS
        for other in columns
        if other != name
    )


def _similar_columns(sample: TableSample, names: Sequence[str]) -> set[str]:
    """Return the columns that share most values with another one, as raters of the same items do."""
    values = {name: {folded_value(cell) for cell in sample.values(name)} for name in names}
    numeric = {name for name in names if values[name] and are_numbers(values[name])}
    found: set[str] = set()
    for place, name in enumerate(names):
        for other in names[place + 1 :]:
            few = min(len(values[name]), len(values[other]))
            shared = len(values[name] & values[other])
            if few and (shared * 2 >= few or (name in numeric and other in numeric)):
                found |= {name, other}
    return found
