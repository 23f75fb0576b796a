"""`python -m tests`: the whole suite, or what its arguments name, as pytest takes them.

However it ends, by itself, by Ctrl-C or by SIGTERM, nothing remains of what it started: no server, no browser, no
temporary folder. Programs under test are leaders of sessions of their own, and some are killed on purpose, so that
their children lose their parent; on Linux such orphans come to this process, which ends them.
"""

import ctypes
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from config.supervisor.children import die_with_parent
from tests import services

# Plugins that come with packages of ours and that no test uses; the first takes more than a second to import.
UNUSED = ["-p", "no:schemathesis", "-p", "no:anyio", "-p", "no:valkey"]
# One more than cores: many tests wait for servers and browsers.
N_WORKERS = (os.cpu_count() or 1) + 1
PR_SET_CHILD_SUBREAPER = 36
# How long pytest may take to end once it is asked to, and what is left of its programs (seconds).
PATIENCE, GRACE = 30.0, 5.0


def main(arguments: list[str]) -> int:
    began = time.monotonic()
    adopt_orphans()
    with folders() as environment:
        code = run([*UNUSED, "-q", "-n", str(N_WORKERS), *arguments], environment)
        left = end_all(patience=GRACE)
    if code == 0 and left:
        print(f"Left behind by tests that passed: {', '.join(left)}")
        code = 1
    print(f"All took {time.monotonic() - began:.0f} s.")
    return code


@contextmanager
def folders() -> Iterator[dict[str, str]]:
    """The environment that keeps everything temporary in two folders, which are removed."""
    # Short, for a unix socket's path may have 107 bytes; and the services' user may pass through it.
    folder = Path(tempfile.mkdtemp(prefix="irr-"))
    folder.chmod(0o711)
    served = services.new_folder()
    try:
        # What this process has imported has named other settings.
        environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
        # Dozens of programs start, and each would compile all modules again.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        yield {**environment, "TMPDIR": str(folder), services.FOLDER: str(served)}
    finally:
        for each in (folder, served):
            shutil.rmtree(each, ignore_errors=True)


def run(arguments: list[str], environment: dict[str, str]) -> int:
    """pytest in a session of its own, so that Ctrl-C reaches this process alone, which hands it on."""
    signals: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        signals.append(number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, note)
    tests = subprocess.Popen(
        [sys.executable, "-m", "pytest", *arguments],
        env=environment,
        start_new_session=True,
        preexec_fn=die_with_parent(signal.SIGTERM),
    )
    while not signals:
        if (code := tests.poll()) is not None:
            return code
        # As the system's first process does: a test may look whether what it killed is gone.
        _reap(except_for=tests.pid)
        time.sleep(0.1)
    print("Ending everything …", flush=True)
    with suppress(ProcessLookupError):
        os.killpg(tests.pid, signal.SIGINT)
    with suppress(subprocess.TimeoutExpired):
        tests.wait(PATIENCE)
    end_all(patience=GRACE)
    return 128 + signals[0]


def adopt_orphans() -> None:
    if platform.system() == "Linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_all(*, patience: float) -> list[str]:
    """Wait for all programs below this one, then end them; returns the commands of those that had to be ended."""
    left = _living(patience)
    names = [name for pid in left if (name := command(pid))]
    for number in (signal.SIGTERM, signal.SIGKILL):
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        left = _living(patience)
    return names


def _living(patience: float) -> list[int]:
    until = time.monotonic() + patience
    while True:
        _reap()
        found = descendants(os.getpid())
        if not found or time.monotonic() > until:
            return found
        time.sleep(0.05)


def _reap(*, except_for: int = 0) -> None:
    """Bury the dead, until it comes to this one, which is waited for elsewhere."""
    # Where there are no orphans, there need not be waitid.
    if platform.system() != "Linux":
        return
    with suppress(ChildProcessError):
        while (
            dead := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        ) and dead.si_pid != except_for:
            os.waitpid(dead.si_pid, 0)


def descendants(pid: int) -> list[int]:
    """All processes below this one, by the table of Linux; none where there is no such table."""
    below: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            # The name, in brackets, may hold spaces; the parent is the second field after it.
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            below.setdefault(parent, []).append(int(folder.name))
    found, pids = [], [pid]
    while pids:
        children = below.get(pids.pop(), [])
        found += children
        pids += children
    return found


def command(pid: int) -> str:
    """How a process was started, or nothing if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
