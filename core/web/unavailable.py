"""Temporary failures that are nobody's mistake: the database or the disk can't serve the request now.

Each has its own message: waiting for a lock, taking too long, and an unreachable database are different things.
"""

import errno
from collections.abc import Iterator
from dataclasses import dataclass

import psycopg
from django.db import InterfaceError, OperationalError
from psycopg import errors
from psycopg_pool import PoolTimeout


@dataclass(frozen=True, slots=True)
class ServiceUnavailable:
    """Why a valid request could not be served. retry_after: seconds."""

    code: str
    title: str
    detail: str
    status_code: int = 503
    retry_after: int | None = None


AWAY = ServiceUnavailable(
    "database_unavailable",
    "The database is unavailable",
    "The server cannot reach its database. Try again in a moment.",
    retry_after=5,
)
# Also if the database is away: those who wait for a shared connection learn no more.
BUSY = ServiceUnavailable(
    "no_connection",
    "The server is busy",
    "The server could not get a database connection in time. Nothing was saved. Try again in a moment.",
    retry_after=3,
)
LOCKED = ServiceUnavailable(
    "locked",
    "This is being changed",
    "Someone else is changing the same data. Nothing was saved. Try again in a moment.",
    retry_after=3,
)
TOO_SLOW = ServiceUnavailable(
    "timed_out",
    "This took too long",
    "The database stopped this request because it took too long. Nothing was saved. "
    "Request less data at a time, or try again when the server is less busy.",
    retry_after=30,
)
DISK_FULL = ServiceUnavailable(
    "disk_full",
    "The server's disk is full",
    "The server's disk is full, so nothing was saved. Free some space on the server, then try again.",
    status_code=507,
)
FILES_AWAY = ServiceUnavailable(
    "files_unavailable",
    "The files are unavailable",
    "The server cannot reach its storage for files. Nothing was saved. Try again in a moment.",
    retry_after=5,
)
# The first match wins. PostgreSQL's error codes, most specific first.
_KINDS: list[tuple[tuple[type[BaseException], ...], ServiceUnavailable]] = [
    ((PoolTimeout,), BUSY),
    ((errors.DiskFull,), DISK_FULL),
    ((errors.LockNotAvailable, errors.DeadlockDetected, errors.SerializationFailure), LOCKED),
    (
        (
            errors.QueryCanceled,
            errors.IdleInTransactionSessionTimeout,
            errors.TransactionTimeout,
            errors.OutOfMemory,
        ),
        TOO_SLOW,
    ),
    (
        (
            errors.AdminShutdown,
            errors.CrashShutdown,
            errors.CannotConnectNow,
            errors.TooManyConnections,
            errors.ReadOnlySqlTransaction,
            errors.ConnectionException,
            errors.IoError,
        ),
        AWAY,
    ),
]


def count_as(found: ServiceUnavailable, *kinds: type[BaseException]) -> None:
    """Name what a library raises that not every installation uses."""
    _KINDS.append((kinds, found))


def unavailable(exc: BaseException | None) -> ServiceUnavailable | None:
    """What the exception or its cause says about the database or the disk; None for any other failure."""
    return next((found for link in _chain(exc) if (found := _kind_of(link)) is not None), None)


def _chain(exc: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while exc is not None and id(exc) not in seen:
        yield exc
        seen.add(id(exc))
        exc = exc.__cause__ or exc.__context__


def _kind_of(exc: BaseException) -> ServiceUnavailable | None:
    if isinstance(exc, OSError) and exc.errno in {errno.ENOSPC, errno.EDQUOT}:
        return DISK_FULL
    for kinds, found in _KINDS:
        if isinstance(exc, kinds):
            return found
    is_lost = isinstance(exc, psycopg.OperationalError | psycopg.InterfaceError) and exc.sqlstate is None
    # Django raises its own exception, without a cause, for a connection that is already closed.
    is_closed = isinstance(exc, OperationalError | InterfaceError) and exc.__cause__ is None
    return AWAY if is_lost or is_closed else None
