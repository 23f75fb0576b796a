"""A document of Typst as PDF, made by a process of its own that may use so much time and memory and no more.

Run as a program it reads the document and writes the PDF: it can be ended without harm to who asked for it.
"""

import resource
import subprocess
import sys

import typst

SECONDS = 20
BYTES = 1 << 30
NO_LETTER = "could not be displayed with font"


class NotTypeset(Exception):
    """The document took too long, or too much memory."""


def pdf_of(document: str) -> bytes:
    """Raises NotTypeset."""
    command = [sys.executable, "-I", __file__]
    try:
        done = subprocess.run(
            command, input=document.encode(), capture_output=True, timeout=SECONDS, check=True
        )
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
        told = (error.stderr or b"").decode(errors="replace")[-2000:]
        raise NotTypeset(told or f"more than {SECONDS} seconds") from error
    return done.stdout


def string(text: str) -> str:
    """The literal of a text in Typst, which no character of it can end."""
    return '"' + "".join(map(_letter, text)) + '"'


def _letter(letter: str) -> str:
    if letter in '"\\':
        return "\\" + letter
    if letter.isprintable():
        return letter
    return f"\\u{{{ord(letter):x}}}"


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    sys.stdout.buffer.write(compiled(sys.stdin.buffer.read()))


def compiled(document: bytes) -> bytes:
    # Readers that speak the page need tags, a title and a language: PDF/UA refuses a document without one of these.
    try:
        pdf = typst.compile(document, format="pdf", ignore_system_fonts=True, pdf_standards="ua-1")
    except typst.TypstError as error:
        if NO_LETTER not in str(error):
            raise
        # A name in a script that the fonts we bring along do not have: those of the machine may, and the rest of the
        # document keeps its tags.
        pdf = typst.compile(document, format="pdf")
    return pdf or b""


if __name__ == "__main__":
    main()
