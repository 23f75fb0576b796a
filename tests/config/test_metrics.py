"""Metrics: what Prometheus reads of a real server, and of the runs in the database."""

import os
import signal
import socket
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from django.http import HttpResponse
from django.test import RequestFactory
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import CollectorRegistry

from config.environment import BASE_DIR
from config.metrics.database import DatabaseMetrics, kind_of
from config.metrics.request_metrics import REGISTRY, RequestMetricsMiddleware
from config.probe import probe
from config.supervisor.children import Child, Program, Records
from core.runs.ledger import Run, run_models
from projects.models import Delivery, Webhook
from raters.models import LabelImport
from reports.models import Report
from tests.__main__ import descendants
from tests.live import Live, away, wait_until
from tests.sizes import only_in_full

State = Run.State


def asked() -> CollectorRegistry:
    registry = CollectorRegistry()
    registry.register(DatabaseMetrics())
    return registry


def ago(**time: float):
    return timezone.now() - timedelta(**time)


def test_what_waits_is_counted_by_kind_with_the_time_of_the_oldest(project, lead):
    for minutes in (1, 5):
        report = Report.objects.create(project=project, asked_by=lead)
        Report.objects.filter(pk=report.pk).update(asked_at=ago(minutes=minutes))
    Report.objects.create(project=project, asked_by=lead, state=State.DRAFT)

    found = asked()

    assert found.get_sample_value("interrater_runs_queued", {"kind": "report"}) == 2
    waited = found.get_sample_value("interrater_runs_oldest_queued_seconds", {"kind": "report"})
    assert 300 <= waited < 900
    assert found.get_sample_value("interrater_runs_queued", {"kind": "delivery"}) == 0
    assert found.get_sample_value("interrater_runs_oldest_queued_seconds", {"kind": "delivery"}) == 0


def test_deliveries_wait_from_when_they_are_due_also_for_each_other(project, lead):
    webhook = Webhook.objects.create(
        project=project, url="https://example.org", events=[], secret="s", site="s", made_by=lead
    )
    old, running = {"asked_at": ago(hours=5)}, {"state": State.RUNNING, "lease_until": ago(minutes=-1)}
    for more in (
        {"due_at": ago(minutes=2)},
        {"due_at": ago(minutes=-2)},
        {**running, "due_at": ago(minutes=3)},
    ):
        Delivery.objects.create(webhook=webhook, kind=Delivery.TEST, payload={}, **old, **more)

    found = asked()

    assert found.get_sample_value("interrater_runs_queued", {"kind": "delivery"}) == 1
    waited = found.get_sample_value("interrater_runs_oldest_queued_seconds", {"kind": "delivery"})
    assert 120 <= waited < 900


def test_running_silent_and_lost_runs_are_distinguished(project, lead):
    now = timezone.now()
    alive = {"lease_until": now + timedelta(minutes=1), "started_at": now}
    silent = {"lease_until": ago(minutes=1), "started_at": ago(minutes=20)}
    for times in (alive, {**alive, "losses": 1}, silent):
        Report.objects.create(project=project, asked_by=lead, state=State.RUNNING, **times)
    Report.objects.create(
        project=project, asked_by=lead, state=State.DONE, losses=1, started_at=ago(minutes=16)
    )

    found = asked()

    names = {"running": 3, "silent": 1, "lost_15m": 1}
    for name, n in names.items():
        assert found.get_sample_value(f"interrater_runs_{name}", {"kind": "report"}) == n, name


def test_what_ended_lately_is_counted_by_how_it_ended(project, lead):
    for state, minutes in [(State.DONE, 1), (State.DONE, 14), (State.FAILED, 2), (State.FAILED, 16)]:
        Report.objects.create(project=project, asked_by=lead, state=state, finished_at=ago(minutes=minutes))

    found = asked()

    ended = {"done": 2, "failed": 1, "cancelled": 0}
    for state, n in ended.items():
        labels = {"kind": "report", "state": state}
        assert found.get_sample_value("interrater_runs_ended_15m", labels) == n, state


def test_imported_labels_are_those_of_imports_that_ended_lately(project, lead):
    for n_labels, minutes in [(1_000, 1), (20, 14), (7, 16)]:
        LabelImport.objects.create(
            project=project,
            asked_by=lead,
            n_bytes=1,
            state=State.DONE,
            n_labels=n_labels,
            finished_at=ago(minutes=minutes),
        )

    assert asked().get_sample_value("interrater_labels_imported_15m") == 1_020


def test_each_kind_of_run_is_there_before_the_first_one(db):
    kinds = {kind_of(model) for model in run_models()}

    [queued] = [each for each in asked().collect() if each.name == "interrater_runs_queued"]

    assert {sample.labels["kind"] for sample in queued.samples} == kinds
    assert len(kinds) == len(run_models())


def test_the_state_of_the_database_server(db):
    found = asked()

    assert found.get_sample_value("interrater_database_up") == 1
    connected = found.get_sample_value("interrater_database_connections")
    assert 1 <= connected <= found.get_sample_value("interrater_database_connections_limit")
    assert found.get_sample_value("interrater_database_bytes") > 1_000_000


# --- Requests


@pytest.fixture
def counted(settings):
    settings.METRICS_BIND = "127.0.0.1:9100"
    return RequestMetricsMiddleware(lambda request: HttpResponse(status=404))


def test_no_address_and_no_invented_method_becomes_a_label(counted, rf: RequestFactory):
    for number in range(20):
        counted(rf.generic(f"METHOD{number}", f"/p/project-{number}/items/{number}/"))

    samples = [sample for family in REGISTRY.collect() for sample in family.samples]
    assert not [sample for sample in samples if "project-" in str(sample) or "METHOD" in str(sample)]
    labels = {"route": "none", "method": "other", "status": "404"}
    assert REGISTRY.get_sample_value("interrater_http_requests_total", labels) >= 20


# --- The server


@dataclass(frozen=True)
class Served:
    site: str
    metrics: str
    child: Child


@contextmanager
def served(live: Live, **environment: str) -> Iterator[Served]:
    """gunicorn as in a container, at two addresses."""
    site, metrics = free_address(), free_address()
    statics = str(live.folder / "metered")
    live.run("collectstatic", "--no-input", STATIC_ROOT=statics).check_returncode()
    ours = {"WEB_BIND": site, "METRICS_BIND": metrics, "STATIC_ROOT": statics}
    program = Program(
        name="web",
        command=[sys.executable, "-m", "gunicorn", "--config", str(BASE_DIR / "config" / "gunicorn.py")],
        log=live.folder / "metered.log",
        environment=live.environment(**ours, **environment),
        folder=BASE_DIR,
    )
    child = Child(program, Records(live.folder / "metered.json"))
    child.start()
    try:
        port = int(site.rpartition(":")[2])
        wait_until(lambda: probe("/healthz", port=port) == 200, child=child)
        yield Served(f"http://{site}", f"http://{metrics}", child)
    finally:
        child.stop()


def free_address() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{free.getsockname()[1]}"


def read(url: str) -> str:
    # As Prometheus asks: by an address that is no name of the site.
    with urllib.request.urlopen(url, timeout=60) as answer:
        return str(answer.read().decode())


def status(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def n_asked(page: str, **labels: str) -> float:
    """How often the server was asked, by all of its processes together."""
    return sum(
        sample.value
        for family in text_string_to_metric_families(page)
        for sample in family.samples
        if sample.name == "interrater_http_requests_total" and labels.items() <= sample.labels.items()
    )


@only_in_full
def test_all_processes_are_counted_together_also_after_they_end(live):
    with served(live, WEB_WORKERS="3") as web:
        page, master = f"{web.metrics}/metrics", web.child.pid
        before = n_asked(read(page), route="healthz")
        for _ in range(40):
            assert status(f"{web.site}/healthz") == 200
        between = n_asked(read(page), route="healthz")
        ended = {*descendants(master)}
        for pid in ended:
            os.kill(pid, signal.SIGTERM)
        wait_until(lambda: len(descendants(master)) == 3 and not ended & {*descendants(master)})
        for _ in range(10):
            assert status(f"{web.site}/healthz") == 200
        after = n_asked(read(page), route="healthz", method="GET", status="200")
        files = [*folder_of(web.child).iterdir()]

    assert (between - before, after - before) == (40, 50)
    # Two for each of three processes, however many there have been.
    assert len(files) <= 6


def folder_of(child: Child) -> Path:
    """Where the processes of this server count."""
    maps = [Path(f"/proc/{pid}/maps").read_text() for pid in descendants(child.pid)]
    lines = [line for text in maps for line in text.splitlines() if "/interrater-metrics-" in line]
    [found] = {Path(line.split()[-1]).parent for line in lines}
    return found


def test_metrics_are_at_their_own_port_alone(live):
    with served(live) as web:
        assert status(f"{web.site}/metrics") == 404
        assert status(f"{web.metrics}/metrics") == 200
        folder = folder_of(web.child)
        assert [status(web.metrics + path) for path in ("/", "/readyz", "/sign-in/")] == [404, 404, 404]
        page = read(f"{web.metrics}/metrics")
        assert 'interrater_runs_queued{kind="report"} ' in page
        assert n_asked(page, route="none", status="404") == 1
    assert not folder.exists()


def test_without_a_port_there_are_no_metrics(site):
    assert status(f"{site.url}/metrics") == 404


@only_in_full
def test_metrics_say_that_the_database_is_away(live, live_database):
    with served(live) as web:
        page = f"{web.metrics}/metrics"
        assert "interrater_database_up 1.0" in read(page)
        with away(live_database):
            while_away = read(page)
        assert "interrater_database_up 0.0" in while_away
        assert "interrater_runs_queued" not in while_away
        wait_until(lambda: "interrater_database_up 1.0" in read(page))
