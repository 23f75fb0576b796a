"""Queries of the busiest requests: composed once in a process, and prepared once in a connection.

Django composes the SQL of a query again each time it is asked, and PostgreSQL plans it again, which together take
several times as long as answering it.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection
from django.db.backends.utils import CursorWrapper
from django.db.models import Expression, Model, QuerySet
from django.db.models.query import get_related_populators
from django.db.transaction import TransactionManagementError
from psycopg import Cursor, sql

Row = TypeVar("Row", bound=Model)

# A connection prepares a statement when it runs it for the third time.
USES_BEFORE = 2


class _Cursor(Cursor[Any]):
    """Remembers its SQL, which psycopg forgets once a statement is prepared, for Django to log."""

    def _convert_query(self, *asked: Any) -> Any:
        self._query = super()._convert_query(*asked)
        return self._query


def prepared_cursor() -> CursorWrapper:
    """Return a cursor whose statements PostgreSQL keeps with their plans. Its SQL must not be made of values."""
    connection.ensure_connection()
    ours: Any = connection
    ours.connection.prepare_threshold = USES_BEFORE
    # Django checks, times, and logs it like its own.
    cursor: CursorWrapper = ours._prepare_cursor(_Cursor(ours.connection))
    return cursor


class Param(Expression):
    """A value that a prepared query is given each time it runs."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        return "%s", (self,)


class PreparedQuery(Generic[Row]):
    """A query that is composed when it is first run. It may join and annotate, but not prefetch."""

    def __init__(self, compose: Callable[[], QuerySet[Row]]) -> None:
        self._compose = compose

    def first(self, **given: Any) -> Row | None:
        """Return the first row, in the order of the query."""
        return next(iter(self.all(**given)), None)

    def all(self, **given: Any) -> list[Row]:
        """Return the rows. given: the values of `Param`, by name."""
        return self._composed.run(given)

    @cached_property
    def _composed(self) -> "_CompiledQuery[Row]":
        return _CompiledQuery(self._compose())


def insert_rows(model: type[Model], rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows with values for the same columns, by attribute name; the database has defaults for all others."""
    if not rows:
        return
    fields: list[Any] = [model._meta.get_field(name) for name in rows[0]]
    columns = ", ".join(f'"{field.column}"' for field in fields)
    one = f"({', '.join(['%s'] * len(fields))})"
    values = [
        field.get_db_prep_save(value, connection)
        for row in rows
        for field, value in zip(fields, (row[name] for name in rows[0]), strict=True)
    ]
    with prepared_cursor() as cursor:
        cursor.execute(
            f'INSERT INTO "{model._meta.db_table}" ({columns}) VALUES {", ".join([one] * len(rows))}',  # noqa: S608
            values,
        )


def keep_fetched(manager: Any, rows: Sequence[Model]) -> None:
    """Have the manager of an object's relation return these rows, as if they were prefetched."""
    fetched = manager.all()
    fetched._result_cache, fetched._prefetch_done = list(rows), True
    kept = vars(manager.instance).setdefault("_prefetched_objects_cache", {})
    kept[manager.field.remote_field.cache_name] = fetched


class _CompiledQuery(Generic[Row]):
    """SQL, and what makes objects of its rows: what Django's `ModelIterable` finds out for each query."""

    def __init__(self, rows: QuerySet[Row]) -> None:
        self.compiler = rows.query.get_compiler(DEFAULT_DB_ALIAS)
        composed, params = self.compiler.as_sql()
        # As literals, constants match the conditions of partial indexes.
        self.sql = composed % tuple("%s" if isinstance(each, Param) else _literal(each) for each in params)
        self.given = [each.name for each in params if isinstance(each, Param)]
        select, klass = self.compiler.select, self.compiler.klass_info
        start, end = klass["select_fields"][0], klass["select_fields"][-1] + 1
        self.model, self.own = klass["model"], slice(start, end)
        self.names = [column.target.attname for column, *_ in select[start:end]]
        # The stubs are those of a later Django.
        self.joined = get_related_populators(klass, select, DEFAULT_DB_ALIAS)  # type: ignore[call-arg]
        self.annotated = list(self.compiler.annotation_col_map.items())
        self.columns = [column for column, *_ in select]

    def run(self, given: dict[str, Any]) -> list[Row]:
        if self.compiler.query.select_for_update and not connection.in_atomic_block:
            raise TransactionManagementError("Rows are locked in a transaction only.")
        with prepared_cursor() as cursor:
            cursor.execute(self.sql, [given[name] for name in self.given])
            found = cursor.fetchall()
        # How a column is shown may depend on the request, so that nothing of it is kept.
        converters = self.compiler.get_converters(self.columns)
        return [self._row(values) for values in self.compiler.apply_converters(found, converters)]

    def _row(self, values: list[Any]) -> Row:
        row: Row = self.model.from_db(DEFAULT_DB_ALIAS, self.names, values[self.own])
        for related in self.joined:
            related.populate(values, row)
        for name, place in self.annotated:
            setattr(row, name, values[place])
        return row


def _literal(value: Any) -> str:
    return sql.Literal(value).as_string(connection.connection).replace("%", "%%")
