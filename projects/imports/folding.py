"""Keys that look alike."""

from django.db import connection


def folded(key: str) -> str:
    """SQL that is equal for keys that differ only in case or Unicode composition."""
    if connection.pg_version >= 180000:  # type: ignore[attr-defined]
        return f"casefold(normalize({key}, NFC) COLLATE pg_unicode_fast)"
    return f"lower(normalize({key}, NFC))"
