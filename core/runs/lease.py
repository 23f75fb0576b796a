"""How a worker executes a run: claim it, keep its lease alive, and end it in exactly one state."""

import logging
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from typing import Generic, TypeVar, cast

import psycopg
from billiard.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection

from core.runs.ledger import Run
from core.web import request_ids

logger = logging.getLogger(__name__)

TOO_LONG = (
    "This took longer than {minutes:.0f} minutes and was stopped. Request fewer questions or rounds at a time, or "
    "ask the server administrator to allow more time (RUN_SOFT_TIME_LIMIT)."
)
OUT_OF_MEMORY = "The worker ran out of memory. Request fewer questions or rounds at a time."
UNEXPECTED = "An unexpected error occurred ({error}). Try again. If it happens again, report it{reference}."
GAVE_UP = "The database became unavailable {attempts} times in a row. Try again later."
PROGRESS_EVERY = 0.5
# The signal that the heartbeat sends to the computing thread when the run is lost.
INTERRUPT = signal.SIGUSR2
# How many attempts may be released; beyond that, the run itself is probably what the database cannot handle.
MOST_ATTEMPTS = 30
# As Django raises it, and as our own connections do.
DATABASE_GONE = (OperationalError, InterfaceError, psycopg.OperationalError, psycopg.InterfaceError)


class RunLost(Exception):
    """The run was canceled, or another worker has claimed it: stop and write nothing."""


class RunFailed(Exception):
    """The run cannot be completed; the message tells the person who requested it why."""


R = TypeVar("R", bound=Run)


class Lease(Generic[R]):
    """Our claim on a run, kept alive by a thread with a connection of its own while we compute."""

    def __init__(self, run: R) -> None:
        self.run = run
        self._progress: dict[str, object] = dict(run.no_progress)
        self._lost = threading.Event()
        self._stop = threading.Event()
        self._interrupts: int | None = None
        self._is_interrupted = False
        # In a copy of our context, so that its log lines name the same request.
        self._thread = threading.Thread(
            target=copy_context().run, args=(self._keep_alive,), name="heartbeat", daemon=True
        )

    def report_progress(self, stage: str, share: float, /, **counts: int) -> None:
        """Report progress (share done, 0 to 1, and counts that the run has columns for); raises RunLost once the run is
        no longer ours.
        """
        self._progress = {"stage": stage, "share_done": share, **counts}
        if self._lost.is_set():
            raise RunLost

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()

    def _keep_alive(self) -> None:
        try:
            reported, beaten = dict(self.run.no_progress), time.monotonic()
            while not self._stop.wait(PROGRESS_EVERY):
                progress = self._progress
                is_due = progress != reported or time.monotonic() - beaten >= settings.RUN_HEARTBEAT
                if not is_due:
                    self._look()
                elif self._beat(progress):
                    reported, beaten = progress, time.monotonic()
                elif time.monotonic() - beaten > settings.RUN_LEASE:
                    self._lose()
        finally:
            connection.close()

    def _beat(self, progress: dict[str, object]) -> bool:
        """Extend the lease; False if the database can't be reached right now."""
        # A finished run has no lease to extend, and is not lost.
        return self._asked(lambda: self.run.beat(**progress) or self.run.is_ours())

    def _look(self) -> bool:
        """Check for cancellation during a stage that reports no progress for a long time."""
        return self._asked(self.run.is_ours)

    def _asked(self, is_ours: Callable[[], bool]) -> bool:
        try:
            if not is_ours():
                self._lose()
        except DATABASE_GONE:
            connection.close()
            return False
        return True

    def _lose(self) -> None:
        """Let the next progress report raise RunLost, or raise it now if the computation doesn't report progress."""
        if self._lost.is_set():
            return
        self._lost.set()
        if self._interrupts is not None:
            signal.pthread_kill(self._interrupts, INTERRUPT)

    @contextmanager
    def interrupting(self) -> Iterator[None]:
        """Within the block, a lost lease interrupts whatever Python is doing. Signals reach the main thread only;
        in other threads, the next progress report has to notice.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(INTERRUPT, self._interrupt)
        self._interrupts = threading.get_ident()
        try:
            yield
        except Exception:
            if not self._is_interrupted:
                raise
            # The connection may be in the middle of a command, and would keep failing.
            connection.close()
            raise RunLost from None
        finally:
            self._interrupts = None
            signal.signal(INTERRUPT, before)

    @contextmanager
    def uninterrupted(self) -> Iterator[None]:
        """Within the block, a lost lease interrupts nothing: it does so at the end, when all has been written."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {INTERRUPT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _interrupt(self, *_: object) -> None:
        # A signal may arrive when the block has already ended.
        if self._interrupts is not None:
            self._is_interrupted = True
            raise RunLost


@contextmanager
def work_on(model: type[R], pk: int) -> Iterator[Lease[R] | None]:
    """Claim the run for the duration of the block; None if there is nothing to do.

    The block completes the run by `run.finish(...)` in the transaction of its results. An exception ends the attempt:
    the run fails with a message, or is released if the database went away.
    """
    # mypy takes the manager of an abstract model for that of Run itself.
    run = cast("R | None", model._default_manager.filter(pk=pk).first())
    if run is None or not run.claim():
        yield None
        return
    with request_ids.resumed(run.request_id), held(run) as lease:
        yield lease


@contextmanager
def held(run: R) -> Iterator[Lease[R]]:
    """Keep the lease of a claimed run alive within the block, and end the attempt as the block ends."""
    began = time.monotonic()
    logger.info("%s %d started, attempt %d", run._meta.verbose_name, run.pk, run.attempt)
    lease = Lease(run)
    lease.start()
    try:
        with lease.interrupting():
            yield lease
    except RunLost:
        logger.info("%s is no longer leased by this worker", run)
    except RunFailed as failure:
        run.fail(str(failure))
    except SoftTimeLimitExceeded:
        run.fail(TOO_LONG.format(minutes=run.seconds_allowed / 60))
    except MemoryError:
        run.fail(OUT_OF_MEMORY)
    except Exception as error:
        if is_gone(error):
            logger.warning("%s: lost the database connection (%s)", run, error)
            lease.stop()
            hand_back(run)
            return
        logger.exception("%s failed", run)
        run.fail(_unexpected(error, run))
    finally:
        lease.stop()
        logger.info("%s %d ended after %.1f s", run._meta.verbose_name, run.pk, time.monotonic() - began)


def _unexpected(error: Exception, run: Run) -> str:
    reference = f" with the request ID {run.request_id}" if run.request_id else ""
    return UNEXPECTED.format(error=type(error).__name__, reference=reference)


def is_gone(error: Exception) -> bool:
    """Whether the database went away, as opposed to a failing statement (too slow, no lock, no space)."""
    if not isinstance(error, DATABASE_GONE):
        return False
    cause = error if isinstance(error, psycopg.Error) else error.__cause__
    sqlstate = getattr(cause, "sqlstate", None)
    # 08: connection error; 57P: a server that stops or starts; 53300: too many connections; 40: conflict with others;
    # without a SQLSTATE there was no response at all.
    return sqlstate is None or sqlstate.startswith(("08", "40", "57P", "53300"))


def hand_back(run: Run) -> None:
    """Release the run as soon as the database responds; otherwise it is claimed again when the lease has expired."""
    give_up = time.monotonic() + settings.RUN_LEASE
    while time.monotonic() < give_up:
        connection.close()
        try:
            if run.attempt < MOST_ATTEMPTS:
                run.release()
            else:
                run.fail(GAVE_UP.format(attempts=run.attempt))
        except DATABASE_GONE:
            time.sleep(0.2)
        else:
            run.notify()
            return
