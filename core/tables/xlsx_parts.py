"""The parts of an Excel workbook that its sheets refer to: names, relations, formats, and shared texts."""

import re
from dataclasses import dataclass, field

from core.tables.faults import Faults

# All shared texts of a workbook are kept in memory: at most this many, and this many characters.
MAX_TEXTS, MAX_CHARACTERS = 5_000_000, 100_000_000
# Built-in date and time formats.
_DATES = frozenset([*range(14, 23), *range(27, 37), 45, 46, 47, *range(50, 59)])
_LENGTHS = frozenset([46])
_NOT_CODE = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?![hms]+\])[^\]]*\]', re.IGNORECASE)
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")


@dataclass(slots=True)
class WorkbookHandler:
    """sheets: name and relation of each, visible ones first."""

    sheets: list[tuple[str, str]] = field(default_factory=list)
    hidden: list[tuple[str, str]] = field(default_factory=list)
    starts_1904: bool = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "sheet":
            relation = next((value for key, value in attributes.items() if key.endswith(":id")), "")
            is_shown = attributes.get("state", "visible") == "visible"
            (self.sheets if is_shown else self.hidden).append((attributes.get("name", ""), relation))
        elif name == "workbookPr":
            self.starts_1904 = attributes.get("date1904", "0") in {"1", "true"}

    def end(self, name: str) -> None: ...
    def text(self, text: str) -> None: ...


@dataclass(slots=True)
class RelationsHandler:
    targets: dict[str, tuple[str, str]] = field(default_factory=dict)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "Relationship" and attributes.get("TargetMode") != "External":
            kind = attributes.get("Type", "").rpartition("/")[2]
            self.targets[attributes.get("Id", "")] = kind, attributes.get("Target", "")

    def end(self, name: str) -> None: ...
    def text(self, text: str) -> None: ...


@dataclass(slots=True)
class StylesHandler:
    """dates: for each cell style, "date", "length" (a duration) or ""."""

    codes: dict[str, str] = field(default_factory=dict)
    kinds: list[str] = field(default_factory=list)
    is_inside: bool = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "numFmt":
            self.codes[attributes.get("numFmtId", "")] = _kind_of(attributes.get("formatCode", ""))
        elif name == "cellXfs":
            self.is_inside = True
        elif name == "xf" and self.is_inside:
            number = attributes.get("numFmtId", "0")
            known = int(number) if number.isdecimal() else 0
            plain = "length" if known in _LENGTHS else "date" if known in _DATES else ""
            self.kinds.append(self.codes.get(number, plain))

    def end(self, name: str) -> None:
        if name == "cellXfs":
            self.is_inside = False

    def text(self, text: str) -> None: ...


def _kind_of(code: str) -> str:
    """Whether numbers of this format are dates, durations, or plain numbers."""
    written = _NOT_CODE.sub("", code).lower()
    if written in {"general", "standard"} or not re.search("[ymdhs]", written):
        return ""
    return "length" if re.search(r"\[[hms]+\]", written) else "date"


@dataclass(slots=True)
class SharedStringsHandler:
    """The texts that cells refer to by number, without their phonetic hints."""

    faults: Faults
    texts: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    is_inside: bool = False
    is_hint: bool = False
    n_characters: int = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "t":
            self.is_inside = not self.is_hint
        elif name == "rPh":
            self.is_hint = True

    def text(self, text: str) -> None:
        if self.is_inside:
            self.parts.append(text)
            self.n_characters += len(text)
            if self.n_characters > MAX_CHARACTERS:
                raise self._too_large()

    def end(self, name: str) -> None:
        if name == "t":
            self.is_inside = False
        elif name == "rPh":
            self.is_hint = False
        elif name == "si":
            self.texts.append(unescaped("".join(self.parts)))
            self.parts.clear()
            if len(self.texts) > MAX_TEXTS:
                raise self._too_large()

    def _too_large(self) -> Exception:
        return self.faults.refuse(0, "", "", "too_long", "the workbook has too much text; save it as CSV")


def unescaped(text: str) -> str:
    """Excel escapes characters that XML can't contain."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text
