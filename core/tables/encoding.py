"""Decodes bytes: as chosen or as a byte order mark says, as UTF-8 if the whole file is valid, or else by a guess."""

import codecs
import re
from collections.abc import Callable, Iterator

from charset_normalizer import from_bytes

from core.tables.faults import Faults

# Yields the file's bytes in blocks, from the beginning, each time it is called.
Source = Callable[[], Iterator[bytes]]

AUTO = "auto"
# Name to choose by -> name of the codec; for East Asia, the supersets that Windows writes.
ENCODINGS = {
    "utf-8": "utf-8",
    "utf-16": "utf-16",
    **{f"windows-{page}": f"cp{page}" for page in range(1250, 1259)},
    "latin-1": "latin-1",
    # ISO 8859 has no part 12.
    **{f"iso-8859-{part}": f"iso8859_{part}" for part in range(2, 16) if part != 12},
    "mac_roman": "mac_roman",
    "koi8-r": "koi8_r",
    "shift_jis": "cp932",
    "gb18030": "gb18030",
    "big5": "cp950",
    "euc-kr": "cp949",
}
CHOICES = ", ".join(ENCODINGS)
UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# Text without a mark that has this share of zero bytes is UTF-16 or UTF-32, not text with a stray NUL.
UNMARKED_UTF16 = 0.2

# Among guesses that fit equally well, the first of these wins.
_LATIN = ("cp1252", "cp932", "gb18030", "cp949", "cp950", "cp1250", "mac_roman", "cp1254", "cp1257")
_OTHER = ("cp1251", "cp932", "gb18030", "cp949", "cp950", "koi8_r", "cp1253", "cp1255", "cp1256", "iso8859_5")
_NAMES = {codec: name for name, codec in ENCODINGS.items()}
# This much of the non-ASCII lines is enough for a guess.
_GUESSED_FROM = 64 * 1024
_LINE_NOT_ASCII = re.compile(rb"[^\n]*[\x80-\xff][^\n]*\n?")
_NOT_ASCII = re.compile(rb"[\x80-\xff]+")
# Bytes above ASCII form longer runs in Greek, Cyrillic, Hebrew or Arabic than in any Latin script.
_LONG_RUN = 2.5


def head(source: Source, size: int = 1) -> bytes:
    """The beginning of the file: at least this many bytes, if it has them."""
    start = b""
    for block in source():
        start += block
        if len(start) >= size:
            break
    return start


def encoding_of(source: Source, chosen: str, faults: Faults) -> str:
    """The encoding of the file: its name in ENCODINGS, or Python's name if it is not listed there."""
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
            "the file looks like UTF-16 or UTF-32 without a byte order mark; save the file as UTF-8",
        )
    return "utf-8" if _is_utf8(source) else _guessed(source, faults)


def _is_utf8(source: Source) -> bool:
    decoder, is_ascii = codecs.getincrementaldecoder("utf-8")("strict"), True
    try:
        for block in source():
            # Most blocks of most files are ASCII, which is cheap to check; other blocks may end within a character.
            if not (is_ascii and block.isascii()):
                decoder.decode(block)
                is_ascii = not decoder.getstate()[0]
        decoder.decode(b"", True)
    except UnicodeDecodeError:
        return False
    return True


def _guessed(source: Source, faults: Faults) -> str:
    """The most likely encoding of the non-ASCII lines."""
    sample = _lines_not_ascii(source)
    runs = _NOT_ASCII.findall(sample)
    order = _OTHER if sum(map(len, runs)) >= _LONG_RUN * len(runs) else _LATIN
    matches = [*from_bytes(sample, cp_isolation=[*order])] or [*from_bytes(sample)]
    if not matches:
        rule = f"the encoding can’t be detected; choose it ({CHOICES})"
        raise faults.refuse(0, "", "", "encoding", rule)
    best = min(matches, key=lambda match: (match.chaos, -match.coherence))
    fits = [
        codec
        for match in matches
        if (match.chaos, match.coherence) == (best.chaos, best.coherence)
        for codec in match.could_be_from_charset
    ]
    codec = next((codec for codec in order if codec in fits), best.encoding)
    return _NAMES.get(codec, codec)


def _lines_not_ascii(source: Source) -> bytes:
    found, rest = b"", b""
    for block in source():
        whole, newline, rest = (rest + block).rpartition(b"\n")
        found += b"".join(_LINE_NOT_ASCII.findall(whole + newline))
        if len(found) + len(rest) >= _GUESSED_FROM:
            break
    return (found + (b"" if rest.isascii() else rest))[:_GUESSED_FROM]


def decoded(source: Source, encoding: str, faults: Faults) -> Iterator[str]:
    """The text of the file in blocks, without its byte order mark."""
    codec = "utf-8-sig" if encoding == "utf-8" else ENCODINGS.get(encoding, encoding)
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
                1, "", "", "encoding", "the file has no UTF-16 byte order mark; save it as UTF-8"
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
