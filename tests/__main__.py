"""`python -m tests`: the whole suite as four runs at once, on services of their own each.

Tests that start servers, break them and drive browsers mostly wait; all the others mostly compute. Side by side they
take little more than the longest of them. Four runs on two cores leave a test waiting now and then for longer than it
was made for: a few that fail are therefore run again by themselves, and named at the end if they pass then. More than
a few, or one that fails twice, and the suite has failed.
"""

import json
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO

WAITING = ["tests/config", "tests/faults", "tests/browser"]
COMPUTING = ["tests", *(f"--ignore={folder}" for folder in WAITING)]
# More failures than these are no accident of a busy machine.
FEW = 5
PASSED, FAILED = 0, 1
# Plugins that come with packages of ours and that no test uses; the first takes more than a second to import.
UNUSED = ["-p", "no:schemathesis", "-p", "no:anyio", "-p", "no:valkey"]


@dataclass(frozen=True, slots=True)
class Run:
    """One pytest, with a folder of its own for what it remembers."""

    arguments: list[str]
    folder: Path

    def start(self, output: IO[str] | None = None) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "pytest", *UNUSED, "-o", f"cache_dir={self.folder}", *self.arguments]
        return subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT if output else None)

    def failed(self) -> list[str]:
        """The tests that failed, as pytest names them."""
        path = self.folder / "v/cache/lastfailed"
        return sorted(json.loads(path.read_text())) if path.exists() else []


def main() -> int:
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="irr-suite-") as name:
        code = suite(Path(name))
    print(f"All took {time.monotonic() - started:.0f} s.")
    return code


def suite(folder: Path) -> int:
    runs = [Run([path], folder / str(place)) for place, path in enumerate(WAITING)]
    runs.append(Run(COMPUTING, folder / "computing"))
    codes = all_at_once(runs)
    failed = [test for run in runs for test in run.failed()]
    if not set(codes) <= {PASSED, FAILED} or not 0 < len(failed) <= FEW:
        return max(map(abs, codes))
    print(f"\nOnce more, by themselves: {', '.join(failed)}\n", flush=True)
    code = Run(failed, folder / "again").start().wait()
    if code == PASSED:
        print(f"SHAKY: failed beside the others and passed alone: {', '.join(failed)}")
    return abs(code)


def all_at_once(runs: list[Run]) -> list[int]:
    """Show the last run as it goes, and the others when they are through; returns how each ended."""
    *others, shown = runs
    with ExitStack() as stack:
        outputs = [stack.enter_context(tempfile.TemporaryFile("w+")) for _ in others]
        waiting = [_started(run, output, stack) for run, output in zip(others, outputs, strict=True)]
        codes = [_started(shown, None, stack).wait()]
        for process, output in zip(waiting, outputs, strict=True):
            codes.append(process.wait())
            output.seek(0)
            sys.stdout.write(output.read())
    return codes


def _started(run: Run, output: IO[str] | None, stack: ExitStack) -> subprocess.Popen[bytes]:
    process = run.start(output)
    stack.callback(process.wait)
    stack.callback(process.terminate)
    return process


if __name__ == "__main__":
    sys.exit(main())
