"""From bytes to text. The encoding is UTF-8, or what a byte order mark or a person says; it is never guessed."""

import codecs
from collections.abc import Callable, Iterator

from core.tables.faults import Faults

# Gives the file's bytes from its beginning, in blocks, each time it is called.
Source = Callable[[], Iterator[bytes]]

AUTO = "auto"
# Name to choose by -> name of the codec.
ENCODINGS = {"utf-8": "utf-8", "utf-16": "utf-16", "windows-1252": "cp1252", "latin-1": "latin-1"}
CHOICES = ", ".join(ENCODINGS)
UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# Text without a mark that has this share of zero bytes is UTF-16 or UTF-32, not text with a stray NUL.
UNMARKED_UTF16 = 0.2


def head(source: Source) -> bytes:
    return next(source(), b"")


def encoding_of(source: Source, chosen: str, faults: Faults) -> str:
    """The encoding to read the file with, by its name in ENCODINGS."""
    start = head(source)
    if not start:
        raise faults.refuse(0, "", "", "empty_file", "the file is empty")
    if chosen != AUTO:
        return chosen
    if start.startswith(UTF16_MARKS) and not start.startswith(codecs.BOM_UTF32_LE):
        return "utf-16"
    if start.count(0) > UNMARKED_UTF16 * len(start):
        raise faults.refuse(
            1,
            "",
            "",
            "encoding",
            "looks like UTF-16 or UTF-32 without a byte order mark; save the file as UTF-8",
        )
    return "utf-8"


def decoded(source: Source, encoding: str, faults: Faults) -> Iterator[str]:
    """The text of the file in blocks, without its byte order mark."""
    codec = "utf-8-sig" if encoding == "utf-8" else ENCODINGS[encoding]
    decoder = codecs.getincrementaldecoder(codec)("strict")
    lines_before, after_cr = 0, False
    for block, is_last in _with_end(source()):
        try:
            text = decoder.decode(block, is_last)
        except UnicodeDecodeError as error:
            good = error.object[: error.start].decode(codec, "ignore")
            breaks = lines_before + _breaks(good) - (after_cr and good.startswith("\n"))
            raise _undecodable(error, encoding, breaks, faults) from None
        except UnicodeError:
            raise faults.refuse(
                1, "", "", "encoding", "no UTF-16 byte order mark; save the file as UTF-8"
            ) from None
        if not text:
            continue
        lines_before += _breaks(text) - (after_cr and text[0] == "\n")
        after_cr = text[-1] == "\r"
        yield text


def _with_end(blocks: Iterator[bytes]) -> Iterator[tuple[bytes, bool]]:
    for block in blocks:
        yield block, False
    yield b"", True


def _breaks(text: str) -> int:
    breaks = text.count("\n")
    return breaks + text.count("\r") - text.count("\r\n") if "\r" in text else breaks


def _undecodable(error: UnicodeDecodeError, encoding: str, breaks: int, faults: Faults) -> Exception:
    line = error.object[: error.start].replace(b"\r", b"\n").rpartition(b"\n")[2]
    wrong = "0x" + error.object[error.start : error.start + 1].hex().upper()
    return faults.refuse(
        breaks + 1,
        "",
        wrong,
        "encoding",
        f"byte {len(line) + 1} of the line is not valid {encoding}; "
        f"save the file as UTF-8, or choose its encoding ({CHOICES})",
    )
