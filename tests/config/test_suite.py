"""`python -m tests`: what fails has failed, and however it ends nothing remains of what it started."""

import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from config.environment import BASE_DIR
from config.supervisor.children import birth
from tests import chromium, services
from tests.__main__ import command, descendants
from tests.live import wait_until
from tests.sizes import only_in_full

ONE_PROCESS = ("-n", "1", "-p", "no:cacheprovider")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A short path, for sockets, where the services' user may go."""
    with tempfile.TemporaryDirectory(prefix="irr-", dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o711)
        yield folder


@contextmanager
def suite(place: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A suite of its own in a group of its own, which is ended whatever the test finds."""
    with (
        (place / "output").open("w") as output,
        subprocess.Popen(
            [sys.executable, "-m", "tests", *ONE_PROCESS, *arguments],
            cwd=BASE_DIR,
            env={**services.of_a_run_of_its_own(), "TMPDIR": str(place), "LASTING": str(place / "lasts")},
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as popen,
    ):
        try:
            yield popen
        finally:
            popen.kill()


def output(place: Path) -> str:
    return (place / "output").read_text()


def test_one_failure_fails_it(place):
    failing = place / "test_failing.py"
    failing.write_text("def test_good(): pass\n\ndef test_bad(): assert 0\n")

    with suite(place, "-c", "/dev/null", "--rootdir", str(place), "-p", "no:django", str(failing)) as run:
        run.wait(200)

    assert run.returncode == 1, output(place)
    assert "1 failed, 1 passed" in output(place)


@only_in_full
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.skipif(sys.platform != "linux", reason="orphans are found by Linux alone")
@pytest.mark.skipif(chromium.find() is None, reason="without a browser")
def test_a_signal_ends_everything_that_was_started(place, number):
    with suite(place, "tests/config/lasting.py") as run:
        wait_until(lambda: (place / "lasts").exists() or run.poll() is not None, seconds=200)
        assert run.poll() is None, output(place)
        started = {pid: birth(pid) for pid in descendants(run.pid)}
        in_memory = re.findall(r"/\S+/irr-test-\w+", " ".join(map(command, started)))
        run.send_signal(number)
        run.wait(120)

    assert len(started) > 10, "a server, a worker, a browser, Postgres, a broker, and pytest twice"
    assert {pid for pid, born in started.items() if born and birth(pid) == born} == set()
    assert {path.name for path in place.iterdir()} == {"output", "lasts"}
    assert in_memory
    assert not any(Path(folder).exists() for folder in in_memory)
    assert run.returncode == 128 + number
