"""What a JSON body may not hold; the numbers are those of the bad inputs that the API promises to refuse."""

import io
import json

import pytest

from core.refusals import RefusedWithCode
from core.web.strict import StrictJSONParser, parsed, read_limited, refuse_encodings


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (rb'{"a": "\u0000"}', "nul"),
        (rb'{"\u0000": 1}', "nul"),
        (rb'{"a": "\ud800"}', "surrogate"),
        (rb'{"\udfff": 1}', "surrogate"),
        (b'{"a": NaN}', "not_finite"),
        (b'{"a": Infinity}', "not_finite"),
        (b'{"a": -Infinity}', "not_finite"),
        (b'{"a": 1e999}', "not_finite"),
        (b'{"a": ' + b"9" * 5000 + b"}", "too_large_number"),
        (b"[" * 21 + b"]" * 21, "too_deep"),
        (b"[" * 20_000 + b"]" * 20_000, "too_deep"),
        (b'{"a":' * 100_000, "too_deep"),
        (b'{"a": 1, "a": 2}', "duplicate_key"),
        (b'{"a": {"b": 1, "b": 1}}', "duplicate_key"),
        (b"\xef\xbb\xbf{}", "encoding"),
        ("{}".encode("utf-16"), "encoding"),
        ('{"a": "é"}'.encode("latin-1"), "encoding"),
        (b'{"a": "x', "json"),
        (b"", "empty_body"),
        (b"  \n", "empty_body"),
    ],
)
def test_a_body_that_is_not_plain_json_is_refused(raw, code):
    with pytest.raises(RefusedWithCode) as refusal:
        parsed(raw)

    assert refusal.value.code == code
    assert refusal.value.status_code == 400


@pytest.mark.parametrize(
    "value",
    ["  edges  ", "line\r\nline", "e\u0301 é", "\u202eright", '"[{', "\\", "\U0001f600", "\u2028"],
)
def test_text_comes_through_unaltered(value):
    assert parsed(json.dumps({"a": [value]}).encode()) == {"a": [value]}


def test_twenty_levels_are_taken_and_brackets_in_text_are_not_levels():
    assert parsed(b"[" * 20 + b"]" * 20)
    assert parsed(json.dumps("[" * 50).encode()) == "[" * 50


def test_reading_stops_at_the_limit():
    stream = io.BytesIO(b"x" * 1000)

    with pytest.raises(RefusedWithCode) as refusal:
        read_limited(stream, 100)

    assert refusal.value.status_code == 413
    assert stream.tell() == 101


@pytest.mark.parametrize(
    ("meta", "media_type", "code"),
    [
        ({"HTTP_CONTENT_ENCODING": "gzip"}, "application/json", "content_encoding"),
        ({}, "application/json; charset=utf-16", "charset"),
        ({}, "application/json; charset=bogus", "charset"),
    ],
)
def test_packed_and_foreign_encodings_are_not_supported(meta, media_type, code):
    with pytest.raises(RefusedWithCode) as refusal:
        refuse_encodings(meta, media_type)

    assert refusal.value.code == code
    assert refusal.value.status_code == 415


def test_utf8_by_name_is_taken():
    refuse_encodings({}, "application/json; charset=UTF-8")

    assert StrictJSONParser().parse(io.BytesIO(b"{}"), "application/json") == {}
