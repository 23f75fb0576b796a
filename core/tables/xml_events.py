"""Reads XML as a stream of events, and refuses document types, which define entities and external references."""

from collections.abc import Callable, Iterator
from typing import IO, Protocol
from xml.parsers import expat

from core.tables.faults import Faults
from core.tables.formats import damaged
from core.tables.unzipping import BAD_ZIP

_BLOCK = 64 * 1024


class Handler(Protocol):
    """Names are passed without their prefix."""

    def start(self, name: str, attributes: dict[str, str]) -> None: ...
    def end(self, name: str) -> None: ...
    def text(self, text: str) -> None: ...


def events(file: IO[bytes], handler: Handler, what: str, faults: Faults) -> Iterator[None]:
    """Feed a file to the handler, block by block. Raises FileRefused if it is not well-formed."""

    def no_document_type(*_: object) -> None:
        rule = f"the file can’t be read as {what}: it declares a document type (DTD), which is not allowed"
        raise faults.refuse(0, "", "", "document_type", rule)

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = no_document_type
    parser.EntityDeclHandler = no_document_type
    parser.StartElementHandler = _with_detected_prefix(parser, handler)
    parser.CharacterDataHandler = handler.text
    block = b"."
    while block:
        try:
            block = file.read(_BLOCK)
            parser.Parse(block, not block)
        except (expat.ExpatError, LookupError, *BAD_ZIP):
            # For an encoding that expat does not know, it raises LookupError or ValueError.
            raise damaged(faults, what) from None
        yield


def _with_detected_prefix(
    parser: expat.XMLParserType, handler: Handler
) -> Callable[[str, dict[str, str]], None]:
    """Most files have no prefixes, and looking for them would cost a third of the time."""

    def first(name: str, attributes: dict[str, str]) -> None:
        if ":" not in name:
            parser.StartElementHandler, parser.EndElementHandler = handler.start, handler.end
        else:
            parser.StartElementHandler = lambda name, given: handler.start(name.rpartition(":")[2], given)
            parser.EndElementHandler = lambda name: handler.end(name.rpartition(":")[2])
        parser.StartElementHandler(name, attributes)

    return first
