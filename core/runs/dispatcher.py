"""The only sender of Celery messages: it reads due runs from PostgreSQL and passes their IDs to the broker.

A page never talks to the broker. An advisory lock lets one dispatcher work at a time; any number may wait.
"""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from celery import current_app
from django.core.management import call_command
from django.db import DatabaseError, connection
from django.db.models import DurationField, ExpressionWrapper, F, Q, Value
from django.db.models.functions import Least, Now, Power
from kombu import Connection
from kombu.exceptions import OperationalError as BrokerError

from core.runs.chores import Chore, chores
from core.runs.ledger import CHANNEL, Run, run_models

logger = logging.getLogger(__name__)

LOCK = 4_711_202_601
BATCH = 100
# Seconds between polls of the table when no notification comes.
POLL = 1.0
LONGEST_RESEND = 60
LONGEST_BROKER_PAUSE = 8.0
# Seconds that a statement of a chore may take, while all runs wait.
LONGEST_OF_CHORE = 10
# Seconds between two removals of expired rows.
CLEAR_EVERY = 3600.0
# Seconds that a run has to end after its time limit; then its process is killed.
UNWINDING = 30
# The delay does not grow beyond this number of attempts.
MOST_SENDS = 100


def is_overdue() -> Q:
    """Runs whose message was sent so long ago (2, 4, 8 ... 60 s) that it may be lost."""
    pause = ExpressionWrapper(
        Value(timedelta(seconds=1)) * Least(Power(2.0, F("sends")), float(LONGEST_RESEND)),
        output_field=DurationField(),
    )
    return Q(sent_at__lt=Now() - pause)


def next_runs() -> list[Run]:
    """The runs to send to the broker now, longest waiting first.

    Projects take turns: each has at most one message in transit, and gets the next once a worker has started that run.
    So at most one run of each other project is ahead of a new one, however many the others have queued. Runs that
    take no place in the queue, such as shards, have turns of their own: nothing waits for one that no worker takes.
    """
    overdue: list[Run] = []
    # Turns that have a message in transit, and the next run of each of the others.
    on_its_way: set[tuple[int, bool]] = set()
    first: dict[tuple[int, bool], Run] = {}
    for model in run_models():
        due = model.objects.due()
        overdue += due.filter(is_overdue()).order_by("asked_at", "pk")[:BATCH]
        sent = due.filter(sent_at__isnull=False).values_list(model.project_path, flat=True)
        on_its_way.update((project, model.takes_a_place) for project in sent.distinct())
        waiting = due.filter(sent_at__isnull=True).annotate(turn_of=F(model.project_path))
        for run in waiting.order_by("turn_of", "asked_at", "pk").distinct("turn_of"):
            turn = (run.turn_of, model.takes_a_place)
            rival = first.setdefault(turn, run)
            if run.asked_at < rival.asked_at:
                first[turn] = run
    turns = [run for turn, run in first.items() if turn not in on_its_way]
    return overdue + sorted(turns, key=lambda run: run.asked_at)[:BATCH]


class Dispatcher:
    def __init__(self) -> None:
        self.stopping = threading.Event()
        self._broker_pause = 0.0
        self._broker_again_at = 0.0
        self._clear_at = 0.0
        self._chores_at: dict[Chore, float] = {}

    def serve(self) -> None:
        """Work until `stopping` is set, even if the database or the broker fails meanwhile."""
        while not self.stopping.is_set():
            try:
                self._serve_one_connection()
            except Exception:
                # The border of the process: a restarted database or a bug must not end all dispatching.
                logger.exception("The dispatcher failed and is restarting")
            connection.close()
            self.stopping.wait(POLL)

    def _serve_one_connection(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK])
            if not cursor.fetchone()[0]:
                return
            logger.info("Dispatching runs")
            cursor.execute(f"LISTEN {CHANNEL}")
        while not self.stopping.is_set():
            self.do_chores()
            self.sweep()
            self.clear()
            # Returns on the first notification, or after POLL seconds.
            for _ in connection.connection.notifies(timeout=POLL, stop_after=1):
                pass

    def sweep(self) -> None:
        """Fail the runs that were lost on their last attempt, and send the next ones to the broker."""
        for model in run_models():
            if failed := model.objects.fail_lost():
                logger.error("%d %s failed after their last attempt", failed, model._meta.verbose_name_plural)
        if time.monotonic() >= self._broker_again_at:
            self._send_all(next_runs())

    def do_chores(self) -> None:
        """Do the chores that are due, each at its own interval."""
        for chore in chores():
            if time.monotonic() < self._chores_at.get(chore, 0.0):
                continue
            self._chores_at[chore] = time.monotonic() + chore.every
            try:
                with _time_limit(LONGEST_OF_CHORE):
                    chore.work()
            except DatabaseError:
                # Retried next time; runs cannot wait.
                logger.exception("%s failed", chore.work.__qualname__)

    def clear(self) -> None:
        """Remove what has expired, once an hour."""
        if time.monotonic() < self._clear_at:
            return
        self._clear_at = time.monotonic() + CLEAR_EVERY
        try:
            # By its name: `core` must not import the apps that know what expires.
            call_command("clear_expired")
        except DatabaseError:
            # Removal can wait; runs cannot.
            logger.exception("Could not delete expired data")

    def _send_all(self, runs: list[Run]) -> None:
        if not runs:
            return
        try:
            # A new connection each time: a kept one to a broker that died or hung would fail again.
            with current_app.connection_for_write() as broker:
                for run in runs:
                    self._send(run, broker)
        except (BrokerError, OSError) as error:
            self._pause(error)
        else:
            self._broker_pause = 0.0

    def _send(self, run: Run, broker: Connection) -> None:
        limit = run.seconds_allowed
        current_app.send_task(
            run.task,
            args=[run.pk],
            connection=broker,
            retry=False,
            soft_time_limit=limit,
            time_limit=limit + UNWINDING,
        )
        type(run).objects.filter(pk=run.pk, attempt=run.attempt, state=run.state).update(
            sent_at=Now(), sends=Least(F("sends") + 1, MOST_SENDS)
        )

    def _pause(self, error: Exception) -> None:
        self._broker_pause = min(max(1.0, 2 * self._broker_pause), LONGEST_BROKER_PAUSE)
        self._broker_again_at = time.monotonic() + self._broker_pause
        logger.warning("The broker is not responding (%s); retrying in %.0f s", error, self._broker_pause)


@contextmanager
def _time_limit(seconds: int) -> Iterator[None]:
    """Cancel each statement that takes longer."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET statement_timeout = '{seconds}s'")
    try:
        yield
    finally:
        # A connection that is closed has no limits any more, and the next one has none yet.
        if connection.connection and not connection.connection.closed:
            with connection.cursor() as cursor:
                cursor.execute("RESET statement_timeout")
