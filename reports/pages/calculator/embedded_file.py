"""The file and its reading options, passed from page to page in the form: the server stores neither."""

import base64
import binascii
import json
import zlib
from dataclasses import dataclass, replace
from typing import Self

from core.refusals import RefusedWithCode
from raters.imports.label_options import LabelOptions
from reports.pages.calculator.limits import MAX_BYTES, MAX_PACKED, TOO_PACKED

# The options of a file may have one entry for each of its values.
_MAX_OPTIONS = 1024 * 1024
NOT_WHOLE = "Part of the form was missing. Start again with the file."


@dataclass(frozen=True, slots=True)
class EmbeddedFile:
    """categories: declared for its only question, all of which count; () for those of its labels."""

    name: str
    content: bytes
    options: LabelOptions
    categories: tuple[str, ...] = ()

    def with_options(self, options: LabelOptions) -> "EmbeddedFile":
        return replace(self, options=options)

    def packed(self) -> str:
        """Return the file and options as form text. Raises RefusedWithCode if they are too large."""
        kept = {"name": self.name, "options": self.options.as_json(), "categories": self.categories}
        head = json.dumps(kept).encode()
        packed = zlib.compress(b"%d\n%b%b" % (len(head), head, self.content), 6)
        if len(packed) > MAX_PACKED:
            raise RefusedWithCode("too_large", TOO_PACKED, status_code=413)
        return base64.b64encode(packed).decode()

    @classmethod
    def unpacked(cls, text: str) -> Self:
        """Restore a packed file. Raises RefusedWithCode for anything that `packed` did not write."""
        try:
            # Decompression is limited: a few bytes can expand to gigabytes.
            unpacking = zlib.decompressobj()
            whole = unpacking.decompress(base64.b64decode(text, validate=True), MAX_BYTES + 2 * _MAX_OPTIONS)
            if not unpacking.eof:
                raise ValueError
            length, _, rest = whole.partition(b"\n")
            head, content = json.loads(rest[: int(length)]), rest[int(length) :]
            if len(content) > MAX_BYTES:
                raise ValueError
            categories = tuple(map(str, head["categories"]))
            return cls(str(head["name"])[:200], content, LabelOptions.from_json(head["options"]), categories)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError, zlib.error, binascii.Error):
            raise RefusedWithCode("invalid", NOT_WHOLE) from None
