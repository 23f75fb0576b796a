"""What each column of a file of items holds: by its name, unless chosen."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from core.keys import MAX_KEY
from core.tables.encoding import AUTO
from core.tables.faults import Faults, FileRefused, shown
from core.tables.table import TableChoices
from projects.imports.read_options import ReadOptions
from projects.media.names import MEDIA
from projects.models import Item

KEY, IGNORE = "item", "ignore"
# A column that describes another one: alt:photo for image:photo.
ALT = "alt"
# A column with an attribute of the item, which raters do not see: attribute:site.
ATTRIBUTE = "attribute"
# What a column can hold, if its name does not say so, as in image:photo.
ROLES = {
    KEY: "Item key",
    **{str(kind): str(title) for kind, title in Item.Field.choices},
    ATTRIBUTE: "Attribute",
    IGNORE: "Ignore",
}
_PREFIXES = {*Item.Field.values, ALT, ATTRIBUTE}
# Names of the key's column where none is called `item`, in lowercase with spaces between words.
_KEY_NAMES = ["item", "item id", "item key", "id", "key", "doc id", "document id", "text id"]


@dataclass(frozen=True, slots=True)
class ItemOptions(ReadOptions):
    """columns: what a column holds, one of ROLES, by its name; that of the others is in their names.

    is_numbered: the rows are numbered if no column holds the keys. header_line: "0" if there is none.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    is_numbered: bool = False
    header_line: str = AUTO

    @property
    def choices(self) -> TableChoices:
        return TableChoices(self.encoding, self.separator, self.sheet, self.header_line)

    def __post_init__(self) -> None:
        ReadOptions.__post_init__(self)
        self.choices  # noqa: B018
        for name, role in self.columns.items():
            if not isinstance(role, str) or role not in ROLES:
                raise ValueError(f"columns: “{name}” must be one of {', '.join(ROLES)}, got {role!r}")


class ItemColumn(NamedTuple):
    """name: of the field or attribute. kind: KEY, a kind of field, ALT, ATTRIBUTE, or IGNORE."""

    name: str
    kind: str


def has_prefix(column: str) -> bool:
    """Return whether the name itself says what the column holds."""
    prefix, colon, _ = column.partition(":")
    return bool(colon) and prefix in _PREFIXES


def columns_of_items(names: Sequence[str], options: ItemOptions, faults: Faults) -> list[ItemColumn]:
    """Return what each column holds. Raises FileRefused if these are not the columns of items."""
    keys, columns = _chosen(names, options)
    for name in options.columns.keys() - set(names):
        faults.add(1, name, "", "missing_column", "the file has no such column")
    if not keys and not options.is_numbered:
        faults.add(
            1, KEY, "", "missing_column", f'the file has no column "{KEY}"; choose the one with the item key'
        )
    for name in keys[1:]:
        faults.add(1, name, "", "bad_column", f"“{keys[0]}” already holds the item key; choose one column")
    for name, column in zip(names, columns, strict=True):
        _check(name, column, names, faults)
    if faults:
        raise FileRefused(faults)
    return columns


def shown_columns(names: Sequence[str], options: ItemOptions) -> list[ItemColumn]:
    """Return the same for the preview, also if the columns are not those of items."""
    return _chosen(names, options)[1]


def _chosen(names: Sequence[str], options: ItemOptions) -> tuple[list[str], list[ItemColumn]]:
    """Return the names of the columns with keys, and what each column holds."""
    chosen = {name: role for name, role in options.columns.items() if name in names}
    keys = [name for name, role in chosen.items() if role == KEY]
    if not keys and (key := key_among([name for name in names if name not in chosen])):
        keys = [key]
    return keys, [_column(name, KEY if name in keys else chosen.get(name, "")) for name in names]


def key_among(names: Collection[str]) -> str:
    """Return the name of the column with the keys, judged by the names; "" if none is."""
    plain = {re.sub(r"[\W_]+", " ", name).strip().casefold(): name for name in reversed([*names])}
    return KEY if KEY in names else next((plain[name] for name in _KEY_NAMES if name in plain), "")


def _column(name: str, chosen: str) -> ItemColumn:
    if not chosen and has_prefix(name):
        kind, _, rest = name.partition(":")
        return ItemColumn(rest, kind)
    return ItemColumn(name, chosen or Item.Field.TEXT)


def _check(written: str, column: ItemColumn, names: Sequence[str], faults: Faults) -> None:
    name, kind = column
    if kind == ALT and not any(f"{media}:{name}" in names for media in MEDIA):
        rule = f"alternative text needs a matching media column, such as image:{shown(name)}"
        faults.add(1, written, "", "bad_column", rule)
    if kind != IGNORE and (not name.strip() or len(name) > MAX_KEY):
        rule = f"a field name must have 1 to {MAX_KEY} characters"
        faults.add(1, written, "", "bad_column", rule)
