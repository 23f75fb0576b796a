"""Path converters."""

from django.urls import register_converter
from django.urls.converters import StringConverter


class KeyConverter(StringConverter):
    """A key chosen by people: any characters, even slashes, except control characters."""

    regex = r"[^\x00-\x1f\x7f]{1,200}?"


class IdConverter:
    """A whole number that PostgreSQL can store."""

    regex = "[1-9][0-9]{0,17}"

    def to_python(self, value: str) -> int:
        return int(value)

    def to_url(self, value: int) -> str:
        return str(value)


register_converter(KeyConverter, "key")
register_converter(IdConverter, "id")
