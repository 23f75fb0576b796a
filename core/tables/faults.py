"""What is wrong in a file, and where."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field

from core.refusals import Refused

MAX_LISTED = 1_000
SHOWN = 120


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault at a physical line (0: the file as a whole) and column of a file, with the rule it breaks."""

    line: int
    column: str
    value: str
    code: str
    rule: str

    def __str__(self) -> str:
        line = f"line {self.line:,}" if self.line else ""
        column = f"column {self.column}" if self.column else ""
        place = ", ".join(filter(None, (line, column)))
        problem = f'"{self.value}" – {self.rule}' if self.value else self.rule
        return f"{place}: {problem}" if place else problem

    def as_json(self) -> dict[str, object]:
        return asdict(self)


class FileRefused(Refused):
    """The file can’t be read any further, or can’t be accepted as it is."""

    code, status_code = "file_refused", 400

    def __init__(self, faults: "Faults") -> None:
        super().__init__(faults.sentence())
        self.faults = faults
        self.errors = [fault.as_json() for fault in faults.listed]


@dataclass(slots=True)
class Faults:
    """The first faults of a file, by line, and how many there are."""

    listed: list[Fault] = field(default_factory=list)
    n: int = 0

    def __bool__(self) -> bool:
        return self.n > 0

    def add(self, line: int, column: str, value: str, code: str, rule: str) -> None:
        self.n += 1
        if len(self.listed) < MAX_LISTED:
            self.listed.append(Fault(line, shown(column), shown(value), code, rule))

    def extend(self, faults: Iterable[Fault], *, n: int) -> None:
        """Add faults of which only the first are listed; n is the number of all."""
        self.n += n
        self.listed = sorted([*self.listed, *faults], key=lambda fault: fault.line)[:MAX_LISTED]

    def refuse(self, line: int, column: str, value: str, code: str, rule: str) -> FileRefused:
        """The exception to raise when this fault ends the reading."""
        self.n += 1
        self.listed = [*self.listed[: MAX_LISTED - 1], Fault(line, shown(column), shown(value), code, rule)]
        return FileRefused(self)

    @property
    def code(self) -> str:
        return self.listed[0].code if self.listed else ""

    def sentence(self) -> str:
        if self.n == 1:
            return f"The file has 1 problem: {self.listed[0]}"
        return f"The file has {self.n:,} problems. The first: {self.listed[0]}"


def shown(value: str) -> str:
    """The value, shortened for a list, without characters that no database or page can hold."""
    short = value if len(value) <= SHOWN else value[:SHOWN] + "…"
    return short.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")
