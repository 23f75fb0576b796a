"""The parts of the supervisor by themselves, where a whole start would show nothing more."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.apps import apps
from django.db import connection
from django.utils import timezone

from config.supervisor import console, disks, liveness, postgres, state, supervisor, web_socket
from config.supervisor.children import Child, Program, Records, birth
from config.supervisor.console import StartError
from config.supervisor.postgres import Postgres
from core.runs.delayed import DelayedRun
from core.runs.ledger import Run
from projects.models import Delivery, Project, Webhook
from reports.models import Report
from tests import cast, services
from tests.config.running import new_folder
from tests.live import wait_until
from tests.sizes import only_in_full

MOUNTS = """\
22 1 254:0 / / rw - ext4 /dev/vda rw
30 22 0:26 / /run rw - tmpfs tmpfs rw
31 22 0:27 / /srv/my\\040data rw - overlay overlay rw
32 30 0:28 / /run/kept rw - xfs /dev/vdb rw
"""


@pytest.mark.parametrize(
    ("folder", "words"),
    [
        ("/home/lena/var", None),
        ("/run/var", "in memory (tmpfs). ALL LABELS WILL BE LOST"),
        ("/run/kept/var", None),
        ("/srv/my data/var", "Mount a volume"),
    ],
)
def test_disks_that_forget_are_warned_of(tmp_path: Path, folder, words):
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS)

    warning = disks.warning(Path(folder), mounts=mounts)

    assert warning is None if words is None else words in str(warning)


def test_full_disk_is_refused_before_anything_is_written(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(disks, "ROOM_FOR_NEW", 10**18)

    with pytest.raises(StartError, match=r"is full: .* MB are free, but .* MB are needed"):
        disks.require_room(tmp_path, is_new=True)


def test_the_next_free_port_is_used_and_printed(monkeypatch, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr(web_socket, "USUAL", port)

        with web_socket.listen(None) as found:
            name, other = found.getsockname()

    assert name == "127.0.0.1"
    assert port < other < port + web_socket.N_TRIES
    assert f"Port {port} is in use. Using port {other} instead." in capsys.readouterr().out


@pytest.mark.parametrize("wanted", ["eighty", "-1", "70000", "8000.5"])
def test_invalid_ports_are_refused(wanted):
    with pytest.raises(StartError, match="PORT must be a number"):
        web_socket.listen(wanted)


@pytest.fixture
def left_behind() -> Iterator[subprocess.Popen[bytes]]:
    """A program that outlived its supervisor, as on a system where the kernel does not end it."""
    with subprocess.Popen(["sleep", "1000"]) as popen:
        yield popen
        popen.kill()


def test_next_start_ends_what_a_killed_supervisor_left(tmp_path: Path, left_behind):
    records = Records(tmp_path / "children.json")
    records.add("worker", pid=left_behind.pid)

    names = records.end_orphans()

    assert names == ["worker"]
    assert left_behind.wait(10) == -signal.SIGTERM
    assert records.children() == {}


def test_next_start_spares_a_stranger_with_the_number_of_a_child(tmp_path: Path, left_behind):
    records = Records(tmp_path / "children.json")
    records.add("worker", pid=left_behind.pid)
    written = json.loads(records.path.read_text())
    records.path.write_text(json.dumps(written | {"worker": [left_behind.pid, "born long before"]}))

    names = records.end_orphans()

    assert names == []
    assert left_behind.poll() is None


def test_start_of_a_copy_spares_the_programs_of_the_original(tmp_path: Path, left_behind):
    original, copy = tmp_path / "var", tmp_path / "copy"
    original.mkdir()
    Records(original / "children.json").add("worker", pid=left_behind.pid)
    shutil.copytree(original, copy)
    records = Records(copy / "children.json")

    names = records.end_orphans()

    assert names == []
    assert left_behind.poll() is None
    assert records.children() == {}
    assert list(Records(original / "children.json").children()) == ["worker"]


def test_a_second_start_ends_nothing(tmp_path: Path, left_behind):
    with subprocess.Popen(["sleep", "1000"]) as supervisor:
        records = Records(tmp_path / "children.json")
        records.add("worker", pid=left_behind.pid)
        written = json.loads(records.path.read_text())
        written["supervisor"][:2] = [supervisor.pid, birth(supervisor.pid)]
        records.path.write_text(json.dumps(written))

        with pytest.raises(StartError, match=f"already running from this folder .process {supervisor.pid}"):
            records.end_orphans()
        supervisor.kill()

    assert left_behind.poll() is None


@pytest.fixture
def closed() -> Iterator[Path]:
    """A folder that the services' user may not enter, so that its state lives elsewhere."""
    with new_folder() as made:
        made.chmod(0o700)
        yield made


@pytest.mark.skipif(os.geteuid() != 0, reason="only root keeps the services' data elsewhere")
def test_copy_that_would_share_the_database_is_refused_with_the_way_out(closed: Path):
    home = state.open_state(closed / "var").home
    copy = closed / "copy"
    subprocess.run(["cp", "-a", closed / "var", copy], check=True)

    with pytest.raises(StartError, match="is a copy of") as refused:
        state.open_state(copy)
    way_out = str(refused.value).rpartition("run: ")[2]
    subprocess.run(way_out, shell=True, check=True)

    own = state.open_state(copy).home
    assert own not in {home, copy}
    assert state.open_state(closed / "var").home == home


@pytest.mark.skipif(os.geteuid() != 0, reason="only root keeps the services' data elsewhere")
def test_folder_that_was_moved_keeps_its_database(closed: Path):
    home = state.open_state(closed / "var").home
    (closed / "var").rename(closed / "moved")

    assert state.open_state(closed / "moved").home == home


@pytest.fixture
def cluster() -> Iterator[Postgres]:
    with new_folder() as folder:
        server = services.own_postgres(folder)
        server.initialize()
        yield server


@contextmanager
def served(server: Postgres, name: str = "postgres") -> Iterator[Child]:
    child = Child(server.program(), Records(server.log.with_name(f"{name}.json")))
    child.start()
    try:
        yield child
    finally:
        child.stop()


@only_in_full
def test_database_whose_lock_names_a_stranger_starts(cluster: Postgres, left_behind):
    """As after a crash of the machine, when another program has got the number of the server."""
    (cluster.data / "postmaster.pid").write_text(f"{left_behind.pid}\n{cluster.data}\n1\n5432\n\n\n")

    cluster.forget_foreign_lock()

    with served(cluster) as child:
        cluster.wait(child, seconds=90)


def test_a_database_in_use_is_reported_in_the_words_of_postgres(cluster: Postgres, capsys):
    with served(cluster) as first:
        cluster.wait(first)
        elsewhere = cluster.sockets.with_name("elsewhere")
        elsewhere.mkdir(mode=0o700)
        if cluster.account:
            cluster.account.own(elsewhere)
        second = replace(cluster, sockets=elsewhere, log=cluster.log.with_name("second.log"))
        second.forget_foreign_lock()

        with served(second, "second") as child, pytest.raises(StartError, match="lock file"):
            second.wait(child, seconds=3)

        assert first.is_running
    output = capsys.readouterr().out
    assert f"Another PostgreSQL is still using {cluster.data}" in output
    assert "lock file" in output


def test_long_waits_are_printed(monkeypatch, capsys):
    monkeypatch.setattr(console, "FIRST_WORD", 0.02)
    monkeypatch.setattr(console, "NEXT_WORD", 0.02)

    for _ in console.waiting("the paint to dry", seconds=0.2, pause=0.01):
        pass

    output = capsys.readouterr().out.splitlines()
    assert 2 <= len(output) <= 10
    assert set(output) == {"Waiting for the paint to dry (0 s) …"}


def test_program_that_does_not_end_is_cut_off_and_named(tmp_path: Path, capsys):
    program = Program(
        name="deaf",
        command=[
            sys.executable,
            "-c",
            "import signal; signal.signal(15, 1); print('up', flush=True); signal.pause()",
        ],
        log=tmp_path / "log",
        environment={},
        patience=0.3,
    )
    child = Child(program, Records(tmp_path / "children.json"))
    child.start()
    wait_until(lambda: "up" in child.output())

    child.stop()

    assert not child.is_running
    assert "deaf did not stop within 0 seconds" in capsys.readouterr().out


def test_liveness_watches_every_table_of_runs():
    tables = {model._meta.db_table for model in apps.get_models() if issubclass(model, Run)}

    assert {*liveness.TABLES, *liveness.DELAYED} == tables
    assert set(liveness.DELAYED) == {
        model._meta.db_table for model in apps.get_models() if issubclass(model, DelayedRun)
    }


LONG_AGO = timedelta(minutes=5)


@pytest.fixture
def waiting(project: Project) -> Report:
    return Report.objects.create(project=project, state=Run.State.QUEUED, sent_at=timezone.now() - LONG_AGO)


def is_deaf() -> bool:
    connection.ensure_connection()
    return liveness.is_deaf(connection.connection)


def is_mute() -> bool:
    connection.ensure_connection()
    return liveness.is_mute(connection.connection)


def test_worker_that_takes_nothing_up_is_deaf(waiting: Report):
    assert is_deaf()


def test_dispatcher_that_offers_nothing_is_mute(waiting: Report):
    before = is_mute()
    Report.objects.filter(pk=waiting.pk).update(sent_at=None, asked_at=timezone.now() - LONG_AGO)

    assert (before, is_mute()) == (False, True)


def test_dispatcher_is_not_mute_while_a_project_waits_for_its_own_turn(waiting: Report):
    Report.objects.create(project=waiting.project)
    Report.objects.update(asked_at=timezone.now() - LONG_AGO)
    silent = is_mute()
    Report.objects.filter(pk=waiting.pk).update(sent_at=timezone.now() - timedelta(seconds=61))

    assert (silent, is_mute()) == (True, False)


def delivery(project: Project, **state: object) -> Delivery:
    webhook = Webhook.objects.create(
        project=project, url="https://example.org/", events=[], made_by=cast.person("owner")
    )
    return Delivery.objects.create(webhook=webhook, kind=Delivery.TEST, payload={}, **state)


def test_a_delivery_that_waits_for_its_next_try_is_no_sign_of_a_fault(project: Project):
    now = timezone.now()
    delivery(project, asked_at=now - LONG_AGO, sent_at=now - LONG_AGO, due_at=now + LONG_AGO)

    assert not is_deaf()
    assert not is_mute()


def test_a_delivery_that_was_due_long_ago_is(project: Project):
    now = timezone.now()
    waiting = delivery(project, asked_at=now - 2 * LONG_AGO, due_at=now - LONG_AGO)
    mute = is_mute()
    Delivery.objects.filter(pk=waiting.pk).update(sent_at=now - LONG_AGO)

    assert (mute, is_deaf()) == (True, True)


def test_worker_with_nothing_to_do_is_not_deaf(db):
    assert not is_deaf()


def test_a_worker_that_was_just_signaled_still_reads(waiting: Report):
    Report.objects.filter(pk=waiting.pk).update(sent_at=timezone.now())

    assert not is_deaf()


def test_busy_worker_is_not_deaf(waiting: Report, project: Project):
    now = timezone.now()
    Report.objects.create(
        project=project,
        state=Run.State.RUNNING,
        started_at=now - LONG_AGO,
        lease_until=now + timedelta(seconds=30),
    )

    assert not is_deaf()


def test_worker_that_has_just_taken_something_up_is_not_deaf(waiting: Report, project: Project):
    Report.objects.create(project=project, state=Run.State.DONE, started_at=timezone.now())

    assert not is_deaf()


@pytest.mark.parametrize(("gigabytes", "buffers"), [(0.5, "128MB"), (2, "256MB"), (64, "512MB")])
def test_shared_buffers_follow_the_memory_within_bounds(gigabytes, buffers, monkeypatch):
    sizes = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": int(gigabytes * (1 << 30)) // 4096}
    monkeypatch.setattr("os.sysconf", sizes.__getitem__)

    assert postgres.shared_buffers() == buffers


def test_shared_buffers_are_small_where_the_memory_is_not_known(monkeypatch):
    def unknown(name: str) -> int:
        raise ValueError(f"unrecognized configuration name {name}")

    monkeypatch.setattr("os.sysconf", unknown)

    assert postgres.shared_buffers() == "128MB"


def test_the_printed_command_finds_the_state_folder(monkeypatch, tmp_path):
    state = tmp_path / "a state"
    monkeypatch.delenv("STATE_DIR", raising=False)
    assert supervisor._typed("changepassword", "lena").endswith("python manage.py changepassword lena")

    monkeypatch.setenv("STATE_DIR", str(state))

    assert supervisor._typed("changepassword", "lena").startswith(f"STATE_DIR='{state}' ")
