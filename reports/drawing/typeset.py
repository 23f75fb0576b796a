"""Typesets a Typst document as PDF or PNG in a separate process with limited time and memory.

Run as a program, it reads the document and writes the file; the process can be killed without harm to the caller.
"""

import resource
import subprocess
import sys

import typst

SECONDS = 20
BYTES = 1 << 30
DOTS_PER_INCH = 192.0
NO_LETTER = "could not be displayed with font"


class TypesettingFailed(Exception):
    """The document took too much time or memory."""


def pdf_of(document: str) -> bytes:
    """Return a document as PDF. Raises TypesettingFailed."""
    return _made(document, "pdf")


def png_of(svg: str, *, width: float) -> bytes:
    """Return a picture of `width` units as PNG, with two dots per unit. Raises TypesettingFailed."""
    page = "#set page(width: auto, height: auto, margin: 0pt)\n"
    # A unit of SVG is 1/96 inch, a point 1/72.
    return _made(f'{page}#image(bytes({string(svg)}), format: "svg", width: {width * 0.75:.2f}pt)', "png")


def _made(document: str, kind: str) -> bytes:
    command = [sys.executable, "-I", __file__, kind]
    try:
        done = subprocess.run(
            command, input=document.encode(), capture_output=True, timeout=SECONDS, check=True
        )
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
        message = (error.stderr or b"").decode(errors="replace")[-2000:]
        raise TypesettingFailed(message or f"more than {SECONDS} seconds") from error
    return done.stdout


def string(text: str) -> str:
    """Return a Typst string literal that no character of the text can terminate."""
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
    make = drawn if sys.argv[1:] == ["png"] else compiled
    sys.stdout.buffer.write(make(sys.stdin.buffer.read()))


def drawn(document: bytes) -> bytes:
    """Draw with the system fonts, which may have characters and a sans serif that the bundled fonts lack."""
    png = typst.compile(document, format="png", ppi=DOTS_PER_INCH)
    return png if isinstance(png, bytes) else b""


def compiled(document: bytes) -> bytes:
    # Screen readers need tags, a title, and a language: PDF/UA refuses a document without one of these.
    try:
        pdf = typst.compile(document, format="pdf", ignore_system_fonts=True, pdf_standards="ua-1")
    except typst.TypstError as error:
        if NO_LETTER not in str(error):
            raise
        # A name in a script that the bundled fonts lack: the system fonts may have it, and the rest of the document
        # keeps its tags.
        pdf = typst.compile(document, format="pdf")
    return pdf or b""


if __name__ == "__main__":
    main()
