"""A Django cache in Postgres, shared by all processes, with an atomic `add`.

Attempt counters depend on it. Per-process caches would multiply the number of allowed guesses by the number of
processes, and Django's own database cache counts its rows on every write.
"""

import secrets
from datetime import datetime
from typing import Any

from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache
from django.db import connection
from django.db.models import Q, QuerySet
from django.utils import timezone

from raters.models import CachedValue

# One in this many writes also deletes expired values.
CLEARING = 200

# An expired lock that was never released is taken over by only one of those waiting for it.
ADD = """
INSERT INTO raters_cachedvalue (key, value, expires_at) VALUES (%s, %s, %s)
ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at
WHERE raters_cachedvalue.expires_at <= %s
"""


class PostgresCache(BaseCache):
    """Values are stored as JSON, so that rows are pure data, wrapped in a list because None is a valid value."""

    def __init__(self, _location: str, params: dict[str, object]) -> None:
        super().__init__(params)

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        row = self._alive(key, version).values_list("value").first()
        return row[0][0] if row else default

    def set(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        row = CachedValue(
            key=self.make_and_validate_key(key, version), value=[value], expires_at=self._end(timeout)
        )
        CachedValue.objects.bulk_create(
            [row], update_conflicts=True, unique_fields=["key"], update_fields=["value", "expires_at"]
        )
        if secrets.randbelow(CLEARING) == 0:
            clear_expired()

    def add(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        field = CachedValue._meta.get_field("value")
        as_json = field.get_db_prep_value([value], connection)
        row = [self.make_and_validate_key(key, version), as_json, self._end(timeout), timezone.now()]
        with connection.cursor() as cursor:
            cursor.execute(ADD, row)
            return bool(cursor.rowcount)

    def touch(self, key: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        return bool(self._alive(key, version).update(expires_at=self._end(timeout)))

    def delete(self, key: Any, version: int | None = None) -> bool:
        n_deleted, _ = CachedValue.objects.filter(pk=self.make_and_validate_key(key, version)).delete()
        return bool(n_deleted)

    def clear(self) -> None:
        CachedValue.objects.all().delete()

    def _alive(self, key: Any, version: int | None) -> QuerySet[CachedValue]:
        rows = CachedValue.objects.filter(pk=self.make_and_validate_key(key, version))
        return rows.filter(Q(expires_at__isnull=True) | Q(expires_at__gt=timezone.now()))

    def _end(self, timeout: Any) -> datetime | None:
        end = self.get_backend_timeout(timeout)
        return None if end is None else datetime.fromtimestamp(end, tz=timezone.get_default_timezone())


def clear_expired() -> None:
    CachedValue.objects.filter(expires_at__lte=timezone.now()).delete()
