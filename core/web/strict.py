"""Strict JSON input: nothing is guessed, dropped, trimmed or altered.

Stock DRF with PostgreSQL answers 500 to NUL, lone surrogates and deep nesting, accepts "12" as a number, keeps the
last of two equal keys and ignores unknown fields. Here each of these is a 400 that says so.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import IO, Any

from django.conf import settings
from rest_framework import serializers
from rest_framework.parsers import BaseParser

from core.keys import NO_TURNS, TURNS
from core.refusals import RefusedWithCode
from core.shapes import Json

MAX_DEPTH = 20
MAX_DIGITS = 18
CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class StrictJSONParser(BaseParser):
    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        request = (parser_context or {}).get("request")
        if request is not None:
            refuse_encodings(request.META, media_type or "")
        return parsed(read_limited(stream, settings.DATA_UPLOAD_MAX_MEMORY_SIZE))


def refuse_encodings(meta: Mapping[str, Any], media_type: str) -> None:
    """415 for a compressed body, or a character set other than UTF-8."""
    if meta.get("HTTP_CONTENT_ENCODING", "identity").strip().lower() not in {"", "identity"}:
        raise RefusedWithCode(
            "content_encoding", "Send the body uncompressed, without Content-Encoding.", status_code=415
        )
    for parameter in media_type.split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset" and value.strip().strip('"').lower() not in {"utf-8", "utf8"}:
            raise RefusedWithCode("charset", "Send JSON in UTF-8.", status_code=415)


def read_limited(stream: IO[Any], limit: int) -> bytes:
    raw: bytes = stream.read(limit + 1)
    if len(raw) > limit:
        raise RefusedWithCode(
            "too_large", f"The request body is larger than {limit:,} bytes.", status_code=413
        )
    return raw


def parsed(raw: bytes) -> Any:
    """The value of a JSON text."""
    text = _decoded(raw)
    _refuse_depth(text)
    try:
        value = json.loads(
            text,
            object_pairs_hook=_without_duplicates,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            parse_int=_short,
        )
    except json.JSONDecodeError as error:
        raise RefusedWithCode(
            "json", f"Invalid JSON at line {error.lineno}, column {error.colno}: {error.msg}."
        ) from error
    for text in texts_in(value):
        refuse_text(text)
    return value


def _decoded(raw: bytes) -> str:
    if not raw.strip():
        raise RefusedWithCode("empty_body", "The request body is empty. Send a JSON object.")
    if raw.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise RefusedWithCode("encoding", "Send UTF-8 without a byte order mark (BOM).")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RefusedWithCode("encoding", f"Invalid UTF-8 at byte {error.start}.") from error


def _refuse_depth(text: str) -> None:
    """Before parsing: the parser itself fails on deep nesting."""
    depth = 0
    is_inside = False
    skip = False
    for character in text:
        if skip:
            skip = False
        elif is_inside:
            skip = character == "\\"
            is_inside = character != '"'
        elif character == '"':
            is_inside = True
        elif character in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise RefusedWithCode("too_deep", f"Nested deeper than {MAX_DEPTH} levels.")
        elif character in "]}":
            depth -= 1


def _without_duplicates(pairs: list[tuple[str, Any]]) -> Json:
    result: Json = {}
    for key, value in pairs:
        if key in result:
            raise RefusedWithCode("duplicate_key", f"Duplicate key {key[:100]!r}.")
        result[key] = value
    return result


def _refuse_constant(name: str) -> Any:
    raise RefusedWithCode("not_finite", f"{name} is not valid JSON.")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise RefusedWithCode("not_finite", "A number is too large.")
    return value


def _short(text: str) -> int:
    if len(text.lstrip("-")) > MAX_DIGITS:
        raise RefusedWithCode("too_large_number", f"An integer has more than {MAX_DIGITS} digits.")
    return int(text)


def texts_in(value: Any) -> Iterator[str]:
    """Every text in a JSON value, including keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for inner in value:
            yield from texts_in(inner)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from texts_in(inner)


def refuse_text(text: str) -> None:
    """Refuse what PostgreSQL can't store: NUL and lone surrogates."""
    if "\x00" in text:
        raise RefusedWithCode("nul", "Text can’t contain the NUL character.")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise RefusedWithCode("surrogate", "Text can’t contain a lone surrogate.") from error


class StrictCharField(serializers.CharField):
    """Text, kept exactly: no trimming, and no other type is accepted."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("trim_whitespace", False)
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        if not self.allow_blank and not data.strip():
            self.fail("blank")
        return super().to_internal_value(data)


class StrictLineField(StrictCharField):
    """A key or a name: without control characters, which no URL or line of a page can contain."""

    default_error_messages = {"control": "This can’t contain control characters, such as line breaks."}

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        if CONTROL.search(text):
            self.fail("control")
        return text


class StrictNameField(StrictLineField):
    """A key or a name that is given to something, also without characters that change the direction of text.

    Names that were stored before may contain them, so fields that refer to something by its name allow them.
    """

    default_error_messages = {"direction": NO_TURNS}

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        if TURNS.search(text):
            self.fail("direction")
        return text


class StrictIntegerField(serializers.IntegerField):
    def to_internal_value(self, data: Any) -> int:
        if not isinstance(data, int) or isinstance(data, bool):
            self.fail("invalid")
        return super().to_internal_value(data)


class StrictFloatField(serializers.FloatField):
    def to_internal_value(self, data: Any) -> float:
        if not isinstance(data, int | float) or isinstance(data, bool):
            self.fail("invalid")
        return super().to_internal_value(data)


class StrictBooleanField(serializers.BooleanField):
    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


class StrictChoiceField(serializers.ChoiceField):
    default_error_messages = {"invalid_choice": "“{input}” is not one of {choices}."}

    def to_internal_value(self, data: Any) -> Any:
        is_blank = data == "" and self.allow_blank
        if not isinstance(data, str) or not (is_blank or data in self.choices):
            self.fail("invalid_choice", input=str(data)[:80], choices=", ".join(map(str, self.choices)))
        return super().to_internal_value(data)


# An input serializer that refuses unknown fields. A docstring would appear in every schema of the OpenAPI document.
class StrictSerializer(serializers.Serializer[Any]):
    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping):
            unknown = sorted(set(data) - {name for name, field in self.fields.items() if not field.read_only})
            if unknown:
                raise serializers.ValidationError(
                    {name: [serializers.ErrorDetail("Unknown field.", "unknown_field")] for name in unknown}
                )
        return super().to_internal_value(data)
