"""`make run` as a person meets it: first start, second start, crashes, busy ports, closed folders, full disks."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import psycopg
import pytest
import redis

from config.environment import BASE_DIR
from config.supervisor.children import birth
from core import database_roles
from tests.config.running import NOT_OURS, Run, ended, environment, get, mode, new_folder, query
from tests.config.starting import assert_closed_to_strangers, assert_one_house
from tests.core.attempts import ATTEMPTS, ELSEWHERE
from tests.live import wait_until
from tests.sizes import only_in_full

IS_ROOT = os.geteuid() == 0


@pytest.fixture
def supervised(folder: Path) -> Iterator[Run]:
    made = Run(folder / "var")
    with ended(made):
        yield made


@pytest.fixture(scope="module")
def started() -> Iterator[Run]:
    """A first start, for tests that only look."""
    with new_folder() as made, ended(run := Run(made / "var")):
        run.start(OWNER_NAME="lena").until_address()
        yield run


@only_in_full
def test_two_first_starts_at_once_make_one_key_and_both_work(folder):
    """P20; tests/faults/test_first_start.py makes twenty pairs."""
    with ended(first := Run(folder / "var"), second := Run(folder / "var")):
        for run in (first, second):
            run.start(OWNER_NAME="lena")
        for run in (first, second):
            run.until_address()
        assert_one_house(first, second)


def test_a_first_start_has_no_default_account_and_listens_on_loopback_alone(started: Run):
    assert_closed_to_strangers(started, owner="lena")


def test_first_start_makes_key_and_owner(started: Run):
    password = started.wait_for_output(r"Sign in as lena with the password (\S+)")

    assert mode(started.var / "secret_key") == 0o600
    assert len((started.var / "secret_key").read_text()) >= 50
    assert query(started, "SELECT username, is_superuser, is_staff FROM raters_user") == [
        ("lena", True, False)
    ]
    assert re.fullmatch(r"[a-z2-9]{4}(-[a-z2-9]{4}){3}", password)
    assert not any(password in log.read_text(errors="replace") for log in (started.var / "log").iterdir())
    assert not (started.var / "owner_password").exists()


def test_state_is_closed_to_others(started: Run):
    # Where root may not be Postgres, only the group of the services' user may pass, to its own folder.
    assert mode(started.var) == (0o710 if IS_ROOT else 0o700)
    ours = [path for path in started.var.iterdir() if path.name != "services" and path.is_file()]
    assert {mode(path) for path in ours} == {0o600}
    assert {mode(started.var / "services" / name) for name in ("postgres", "valkey")} == {0o700}


def test_postgres_keeps_what_it_took(started: Run):
    found = dict(query(started, "SELECT name, setting FROM pg_settings"))

    durable = ("fsync", "full_page_writes", "synchronous_commit", "data_checksums")
    assert [found[name] for name in durable] == ["on"] * 4
    assert query(started, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user") == [(False,)]


def test_the_program_rewrites_no_history(started: Run):
    """P3, as the program is started by `make run`; tests/core/test_roles.py asks the catalog what there is to try."""
    tables = sorted(database_roles.WRITTEN_BY_THE_DATABASE | database_roles.APPENDED)
    statements = [each.replace("{}", table) for table in tables for each in ATTEMPTS] + ELSEWHERE
    done = []
    with psycopg.connect(environment(started)["DATABASE_URL"], autocommit=True) as connection:
        for statement in statements:
            try:
                connection.execute(statement.format(database="interrater"))
                done.append(statement)
            except psycopg.Error:
                pass

    assert done == []


def test_what_serves_and_computes_never_learns_how_to_migrate(started: Run):
    """The superuser's address is in a file for commands that need it, and in the environment of no program."""
    assert "ADMIN_DATABASE_URL" not in environment(started)
    assert "ADMIN_DATABASE_URL" in (started.var / "administration").read_text()
    children = json.loads((started.var / "children.json").read_text())
    for name in ("web", "worker", "dispatcher"):
        told = Path(f"/proc/{children[name][0]}/environ").read_bytes()
        assert b"DATABASE_URL=" in told
        assert b"ADMIN_DATABASE_URL=" not in told, name


def test_services_want_a_password_and_listen_on_no_port(started: Run):
    found = environment(started)
    sockets = Path((started.var / "sockets").read_text())

    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(found["DATABASE_URL"], password="wrong")
    with pytest.raises(redis.AuthenticationError):
        redis.Redis(unix_socket_path=str(sockets / "valkey.sock")).ping()
    assert dict(query(started, "SELECT name, setting FROM pg_settings"))["listen_addresses"] == ""
    assert mode(sockets) == 0o700
    assert {mode(path) for path in sockets.iterdir() if path.is_socket()} == {0o700}


def test_broker_keeps_what_it_took(started: Run):
    sockets = Path((started.var / "sockets").read_text())
    password = (started.var / "broker_password").read_text()

    with redis.Redis(unix_socket_path=str(sockets / "valkey.sock"), password=password) as client:
        found = {
            name: client.config_get(name)[name]
            for name in ("appendonly", "appendfsync", "maxmemory-policy", "save")
        }

    assert found == {
        "appendonly": "yes",
        "appendfsync": "always",
        "maxmemory-policy": "noeviction",
        "save": "",
    }


def test_secrets_are_in_no_log_and_on_no_command_line(started: Run):
    names = ("secret_key", "postgres_password", "database_password", "broker_password")
    hidden = [(started.var / name).read_text() for name in names]

    shown = [log.read_text(errors="replace") for log in (started.var / "log").iterdir()]
    for pid in started.children().values():
        shown.append(
            subprocess.run(["ps", "-o", "args=", "-p", str(pid)], capture_output=True, text=True).stdout
        )

    assert [secret for secret in hidden if any(secret in text for text in shown)] == []


@pytest.mark.skipif(not IS_ROOT, reason="only root runs the services as another user")
def test_services_do_not_run_as_root(started: Run):
    children = started.children()

    owners = [Path(f"/proc/{children[name]}").stat().st_uid for name in ("postgres", "valkey")]

    assert 0 not in owners
    assert "Running as root, so the database and the broker run as the user" in started.output()


@only_in_full
def test_commands_typed_by_hand_find_the_running_services(started: Run):
    done = manage(started)

    assert done.returncode == 0, done.stderr


@only_in_full
@pytest.mark.timeout(480)
def test_later_starts_keep_key_owner_and_data_also_in_a_folder_that_is_closed(folder: Path):
    """After a stop, after deaths of its programs and of itself.

    In a deep folder, for a unix socket's path ends at 107 bytes; as root in one that no service may enter.
    """
    closed = folder / "home"
    closed.mkdir(mode=0o700)
    deep = closed.joinpath(*["a folder with a rather long name, of Ölpreise"] * 4)
    deep.mkdir(parents=True)
    run = Run(deep / "var")
    with ended(run):
        run.start(OWNER_PASSWORD="three blind mice see").until_ready()
        key = (run.var / "secret_key").read_text()
        before = query(run, "SELECT id, username, password FROM raters_user")
        pids = run.children().values()

        assert run.stop() == 0
        assert [pid for pid in pids if birth(pid)] == []
        assert "database system is shut down" in (run.var / "log" / "postgres.log").read_text()
        assert not (run.var / "sockets").exists()

        address = run.start().until_ready()

        assert get(f"{address}readyz") == 200
        assert (run.var / "secret_key").read_text() == key
        assert query(run, "SELECT id, username, password FROM raters_user") == before
        assert "with the password" not in run.output()
        if IS_ROOT:
            _lives_where_the_services_may_enter(run, closed)
        _what_dies_is_started_again(run, address)
        _services_that_lost_their_sockets_are_started_again(run, address)
        _a_killed_supervisor_starts_anew(run)


def _lives_where_the_services_may_enter(run: Run, closed: Path) -> None:
    home = (run.var / "services").resolve()
    assert not home.is_relative_to(closed)
    assert mode(run.var) == 0o700
    assert mode(closed) == 0o700
    assert f"stored in {home}" in run.output() or home.exists()


def _what_dies_is_started_again(run: Run, address: str) -> None:
    """A test of its own would cost another first start, and so would one of what follows."""
    before = run.children()

    for name in ("postgres", "valkey", "web", "dispatcher"):
        os.kill(before[name], signal.SIGKILL)
        wait_until(partial(_is_another, run, name, before[name]))

    wait_until(lambda: _is_ready(address))
    assert {name for name in before if name != "worker" and run.children()[name] == before[name]} == set()


def _services_that_lost_their_sockets_are_started_again(run: Run, address: str) -> None:
    """As after a night in which something empties /tmp."""
    sockets = Path((run.var / "sockets").read_text())
    shutil.rmtree(sockets)

    wait_until(lambda: sockets.is_dir() and _is_ready(address))

    assert mode(sockets) == 0o700
    assert f"The socket folder {sockets} was removed" in run.output()


def _a_killed_supervisor_starts_anew(run: Run) -> None:
    pids = run.children().values()
    with psycopg.connect(environment(run)["DATABASE_URL"]) as connection:
        connection.execute("UPDATE raters_user SET first_name = 'kept'")
    run.kill()

    address = run.start().until_ready()

    assert [pid for pid in pids if birth(pid) and pid not in run.children().values()] == []
    assert query(run, "SELECT first_name FROM raters_user") == [("kept",)]
    assert get(f"{address}readyz") == 200


@only_in_full
@pytest.mark.timeout(480)
def test_a_copy_of_a_running_folder_starts_next_to_it(supervised: Run, folder: Path):
    """With services, sockets, port and data of its own; the original notices nothing of it."""
    address = supervised.start().until_ready()
    before, sockets = supervised.children(), (supervised.var / "sockets").read_text()
    copy = Run(folder / "copy")
    subprocess.run(["cp", "-a", supervised.var, copy.var], check=True)
    refused = manage(copy)
    with ended(copy):
        other = copy.start().until_ready()
        with psycopg.connect(environment(copy)["DATABASE_URL"]) as connection:
            connection.execute("UPDATE raters_user SET first_name = 'copied'")

        assert refused.returncode == 1
        assert "is a copy" in refused.stderr
        assert [get(f"{each}readyz") for each in (address, other)] == [200, 200]
        assert supervised.children() == before
        assert set(copy.children().values()).isdisjoint(before.values())
        assert (supervised.var / "sockets").read_text() == sockets != (copy.var / "sockets").read_text()
        assert query(supervised, "SELECT first_name FROM raters_user") == [("",)]
        assert f"was copied from {supervised.var}" in copy.output()

        # What the original leaves when it is killed is its own next start's to end, not the copy's.
        copied = copy.children()
        supervised.kill()
        address = supervised.start().until_ready()

        assert [pid for pid in before.values() if birth(pid)] == []
        assert copy.children() == copied
        assert [get(f"{each}readyz") for each in (address, other)] == [200, 200]


def manage(run: Run) -> subprocess.CompletedProcess[str]:
    """A command typed by hand, beside this run."""
    inherited = {name: value for name, value in os.environ.items() if name not in NOT_OURS}
    return subprocess.run(
        [sys.executable, "manage.py", "check", "--database", "default"],
        cwd=BASE_DIR,
        env={**inherited, "STATE_DIR": str(run.var), "DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
        check=False,
    )


def _is_another(run: Run, name: str, pid: int) -> bool:
    return run.children().get(name, pid) != pid


def _is_ready(address: str) -> bool:
    try:
        return get(f"{address}readyz") == 200
    except OSError:
        return False


def test_named_port_that_is_busy_is_refused_with_advice(supervised: Run):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        code = supervised.start(PORT=str(port)).until_ended()

    assert code == 1
    assert f"Port {port} is in use" in supervised.output()
    assert "Traceback" not in supervised.output()


@only_in_full
def test_short_owner_password_is_refused(supervised: Run):
    code = supervised.start(OWNER_PASSWORD="short").until_ended()

    assert code == 1
    assert "OWNER_PASSWORD is not valid: This password is too short" in supervised.output()


def test_database_of_another_major_version_is_refused(supervised: Run):
    data = supervised.var / "services" / "postgres" / "data"
    data.mkdir(parents=True)
    supervised.var.chmod(0o700)
    (data / "PG_VERSION").write_text("17\n")

    code = supervised.start().until_ended()

    assert code == 1
    assert "was created by PostgreSQL 17" in supervised.output()


@only_in_full
@pytest.mark.skipif(not IS_ROOT, reason="only root can mount a small disk")
def test_a_full_disk_is_reported_in_a_sentence(folder: Path):
    disk = folder / "disk"
    disk.mkdir(mode=0o755)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "none", disk], check=False).returncode:
        pytest.skip("this machine lets nobody mount")
    try:
        run = Run(disk / "var")
        code = run.start().until_ended()
    finally:
        subprocess.run(["umount", "-l", disk], check=True)

    assert code == 1
    assert "is full" in run.output()
    assert "Traceback" not in run.output()
