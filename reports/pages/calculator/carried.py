"""The file and how it is read, as they travel from page to page in the form: the server keeps neither."""

import base64
import binascii
import json
import zlib
from dataclasses import dataclass, replace
from typing import Self

from core.refusals import Refusal
from raters.imports.options import LabelOptions
from reports.pages.calculator.limits import MAX_BYTES, MAX_PACKED, TOO_PACKED

# The options of a file: a line for each of its values.
_MAX_OPTIONS = 1024 * 1024
NOT_WHOLE = "The form did not come back whole. Start again with the file."


@dataclass(frozen=True, slots=True)
class Carried:
    name: str
    content: bytes
    options: LabelOptions

    def with_options(self, options: LabelOptions) -> "Carried":
        return replace(self, options=options)

    def packed(self) -> str:
        """Raises Refusal if it is too large to travel."""
        head = json.dumps({"name": self.name, "options": self.options.as_json()}).encode()
        packed = zlib.compress(b"%d\n%b%b" % (len(head), head, self.content), 6)
        if len(packed) > MAX_PACKED:
            raise Refusal("too_large", TOO_PACKED, status_code=413)
        return base64.b64encode(packed).decode()

    @classmethod
    def unpacked(cls, text: str) -> Self:
        """Raises Refusal for what `packed` did not write."""
        try:
            # No further than it may be: a few bytes can stand for gigabytes.
            unpacking = zlib.decompressobj()
            whole = unpacking.decompress(base64.b64decode(text, validate=True), MAX_BYTES + 2 * _MAX_OPTIONS)
            if not unpacking.eof:
                raise ValueError
            length, _, rest = whole.partition(b"\n")
            head, content = json.loads(rest[: int(length)]), rest[int(length) :]
            if len(content) > MAX_BYTES:
                raise ValueError
            return cls(str(head["name"])[:200], content, LabelOptions.from_json(head["options"]))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError, zlib.error, binascii.Error):
            raise Refusal("invalid", NOT_WHOLE) from None
