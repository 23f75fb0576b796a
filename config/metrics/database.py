"""What is asked of the database when Prometheus asks us: runs, which are its rows, and its own state.

So the numbers are right however many workers there are and however often they restart. Each web server gives the same
ones: dashboards and alerts take their maximum.
"""

import logging
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.db import DatabaseError, connection, transaction
from django.db.models import Count, Expression, F, Min, Q, Sum
from django.db.models.functions import Greatest, Now
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from core.runs.delayed import DelayedRun
from core.runs.ledger import Run, run_models
from raters.models import LabelImport

logger = logging.getLogger(__name__)

# Rows are removed sooner or later, so counting all of them gives no counter that only grows.
RECENT = timedelta(minutes=15)
ENDED = (Run.State.DONE, Run.State.FAILED, Run.State.CANCELLED)
# A slow database must not add to its own load: seconds.
PATIENCE = 5


class DatabaseMetrics(Collector):
    def collect(self) -> Iterator[Metric]:
        try:
            found = _database_metrics()
        except DatabaseError:
            logger.warning("Metrics: the database does not answer", exc_info=True)
            found = []
        yield GaugeMetricFamily(
            "interrater_database_up", "1 if the database answered, otherwise 0.", value=float(bool(found))
        )
        yield from found


@transaction.atomic
def _database_metrics() -> list[Metric]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', %s, true)", [f"{PATIENCE}s"])
    return [*of_runs(), *of_imports(), *of_server()]


def of_runs() -> Iterator[Metric]:
    waiting = GaugeMetricFamily(
        "interrater_runs_queued", "Runs that are due and wait for a worker.", labels=["kind"]
    )
    oldest = GaugeMetricFamily(
        "interrater_runs_oldest_queued_seconds", "How long the oldest of them has waited.", labels=["kind"]
    )
    running = GaugeMetricFamily("interrater_runs_running", "Runs that a worker executes.", labels=["kind"])
    silent = GaugeMetricFamily(
        "interrater_runs_silent", "Runs whose worker has let its lease expire.", labels=["kind"]
    )
    lost = GaugeMetricFamily(
        "interrater_runs_lost_15m",
        "Runs restarted in the last 15 minutes after their worker was lost.",
        labels=["kind"],
    )
    ended = GaugeMetricFamily(
        "interrater_runs_ended_15m", "Runs that ended in the last 15 minutes.", labels=["kind", "state"]
    )
    for model in run_models():
        kind, row = kind_of(model), _query_of(model)
        waiting.add_metric([kind], row["queued"])
        oldest.add_metric([kind], row["waited"].total_seconds() if row["waited"] else 0.0)
        running.add_metric([kind], row["running"])
        silent.add_metric([kind], row["silent"])
        lost.add_metric([kind], row["lost"])
        for state in ENDED:
            ended.add_metric([kind, state.value], row[state.value])
    yield from (waiting, oldest, running, silent, lost, ended)


def kind_of(model: type[Run]) -> str:
    return str(model._meta.verbose_name).replace(" ", "_")


def _query_of(model: type[Run]) -> dict[str, Any]:
    # Not `is_waiting`, which looks for another delivery to the same server, for each of possibly many thousands.
    since: Expression | F = F("asked_at")
    queued = Q(state=Run.State.QUEUED)
    if issubclass(model, DelayedRun):
        since, queued = Greatest("asked_at", "due_at"), queued & Q(due_at__lte=Now())
    running, recent = Q(state=Run.State.RUNNING), Now() - RECENT
    return model.objects.aggregate(
        queued=Count("pk", filter=queued),
        waited=Now() - Min(since, filter=queued),
        running=Count("pk", filter=running),
        silent=Count("pk", filter=running & Q(lease_until__lt=Now())),
        lost=Count("pk", filter=Q(losses__gt=0, started_at__gt=recent)),
        **{state.value: Count("pk", filter=Q(state=state, finished_at__gt=recent)) for state in ENDED},
    )


def of_imports() -> Iterator[Metric]:
    done = LabelImport.objects.filter(
        kind=LabelImport.Kind.LABELS, state=Run.State.DONE, finished_at__gt=Now() - RECENT
    )
    yield GaugeMetricFamily(
        "interrater_labels_imported_15m",
        "Labels in the files whose import ended in the last 15 minutes.",
        value=done.aggregate(n=Sum("n_labels", default=0))["n"],
    )


SERVER = """
WITH client AS (SELECT * FROM pg_stat_activity WHERE backend_type = 'client backend')
SELECT pg_database_size(datname), xact_commit, xact_rollback, deadlocks, current_setting('max_connections')::int,
    (SELECT count(*) FROM client),
    (SELECT coalesce(extract(epoch FROM max(now() - client.xact_start)), 0) FROM client
     WHERE client.datname = current_database() AND client.pid <> pg_backend_pid())
FROM pg_stat_database WHERE datname = current_database()
"""


def of_server() -> Iterator[Metric]:
    with connection.cursor() as cursor:
        cursor.execute(SERVER)
        size, commits, rollbacks, deadlocks, most, connected, longest = cursor.fetchone()
    yield GaugeMetricFamily("interrater_database_bytes", "Size of the database.", value=size)
    yield GaugeMetricFamily(
        "interrater_database_connections", "Connections to the database server.", value=connected
    )
    yield GaugeMetricFamily(
        "interrater_database_connections_limit", "Connections that it allows.", value=most
    )
    yield GaugeMetricFamily(
        "interrater_database_longest_transaction_seconds",
        "Age of the oldest open transaction.",
        value=float(longest),
    )
    ended = CounterMetricFamily(
        "interrater_database_transactions", "Transactions, by how they ended.", labels=["end"]
    )
    ended.add_metric(["commit"], commits)
    ended.add_metric(["rollback"], rollbacks)
    yield ended
    yield CounterMetricFamily("interrater_database_deadlocks", "Deadlocks.", value=deadlocks)
