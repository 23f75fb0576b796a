"""Physical lines of a text that comes in blocks, as editors count them: ending in LF, CRLF or CR, even mixed."""

import re
from collections.abc import Iterable, Iterator

from core.tables.faults import Faults

MAX_LINE = 2_000_000
_ENDING = re.compile(r"(\r\n|\n|\r)")


def physical_lines(blocks: Iterable[str], faults: Faults) -> Iterator[tuple[str, str]]:
    """Each line and its ending; only the last line may have none."""
    rest, n_lines = "", 0
    for block in blocks:
        pieces = _split(rest + block)
        rest = pieces.pop()
        # A CR at the end may be half of a CRLF, so the line waits for the next block.
        if not rest and pieces and pieces[-1] == "\r":
            rest = "".join(pieces[-2:])
            del pieces[-2:]
        yield from zip(pieces[::2], pieces[1::2], strict=True)
        n_lines += len(pieces) // 2
        if len(rest) > MAX_LINE:
            rule = f"a line can have at most {MAX_LINE:,} characters"
            raise faults.refuse(n_lines + 1, "", rest[:200], "too_long", rule)
    if rest.endswith("\r"):
        yield rest[:-1], "\r"
    elif rest:
        yield rest, ""


def lf_lines(blocks: Iterable[str], faults: Faults) -> Iterator[str]:
    """Lines that end in LF or CRLF only, as in JSON lines."""
    for line in _joined(physical_lines(blocks, faults)):
        yield line.removesuffix("\r")


def _joined(lines: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Rejoin lines that were split at a lone CR."""
    parts: list[str] = []
    for text, ending in lines:
        parts.append(text)
        if ending == "\r":
            parts.append(ending)
            continue
        yield "".join(parts)
        parts.clear()
    if parts:
        yield "".join(parts)


def _split(text: str) -> list[str]:
    """Alternating lines and endings, and the text after the last ending."""
    if "\r" in text:
        return _ENDING.split(text)
    lines = text.split("\n")
    pieces = ["\n"] * (2 * len(lines) - 1)
    pieces[::2] = lines
    return pieces
