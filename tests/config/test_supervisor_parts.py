"""The parts of the supervisor by themselves, where a whole start would show nothing more."""

import json
import signal
import socket
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.apps import apps
from django.db import connection
from django.utils import timezone

from config.supervisor import disks, liveness, postgres, web_socket
from config.supervisor.children import Records
from config.supervisor.console import Refusal
from projects.models import Project
from projects.runs import Run
from reports.models import Report

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
        ("/run/var", "in memory (tmpfs): ALL LABELS ARE LOST"),
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

    with pytest.raises(Refusal, match=r"is full: .* MB are free and .* MB are needed"):
        disks.require_room(tmp_path, is_new=True)


def test_next_free_port_is_taken_and_said(monkeypatch, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr(web_socket, "USUAL", port)

        with web_socket.listen(None) as found:
            name, other = found.getsockname()

    assert name == "127.0.0.1"
    assert port < other < port + web_socket.N_TRIES
    assert f"Port {port} is taken by another program, so this is port {other}." in capsys.readouterr().out


@pytest.mark.parametrize("wanted", ["eighty", "-1", "70000", "8000.5"])
def test_ports_that_are_none_are_refused(wanted):
    with pytest.raises(Refusal, match="PORT must be a number"):
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
    assert records.read() == {}


def test_next_start_spares_a_stranger_with_the_number_of_a_child(tmp_path: Path, left_behind):
    records = Records(tmp_path / "children.json")
    records.path.write_text(json.dumps({"worker": [left_behind.pid, "born long before"]}))

    names = records.end_orphans()

    assert names == []
    assert left_behind.poll() is None


def test_liveness_watches_every_table_of_runs():
    tables = {model._meta.db_table for model in apps.get_models() if issubclass(model, Run)}

    assert set(liveness.TABLES) == tables


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


def test_worker_with_nothing_to_do_is_not_deaf(db):
    assert not is_deaf()


def test_worker_that_has_just_been_told_is_not_deaf(waiting: Report):
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
