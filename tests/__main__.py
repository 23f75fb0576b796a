"""`python -m tests`: the whole suite as four runs at once, on services of their own each.

Tests that start servers, break them and drive browsers mostly wait; all the others mostly compute. Side by side they
take little more than the longest of them.
"""

import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from typing import IO

WAITING = ["tests/config", "tests/faults", "tests/browser"]
COMPUTING = ["tests", *(f"--ignore={folder}" for folder in WAITING)]


def main() -> int:
    """Show the computing run as it goes, and the others when they are through."""
    started = time.monotonic()
    with ExitStack() as stack:
        outputs = [stack.enter_context(tempfile.TemporaryFile("w+")) for _ in WAITING]
        waiting = [_started(folder, output, stack) for folder, output in zip(WAITING, outputs, strict=True)]
        codes = [subprocess.call(_pytest(COMPUTING))]
        for run, output in zip(waiting, outputs, strict=True):
            codes.append(run.wait())
            output.seek(0)
            sys.stdout.write(output.read())
    print(f"All took {time.monotonic() - started:.0f} s.")
    return max(map(abs, codes))


def _started(folder: str, output: IO[str], stack: ExitStack) -> subprocess.Popen[bytes]:
    run = subprocess.Popen(_pytest([folder]), stdout=output, stderr=subprocess.STDOUT)
    stack.callback(run.wait)
    stack.callback(run.terminate)
    return run


def _pytest(arguments: list[str]) -> list[str]:
    # They must not write one cache.
    return [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]


if __name__ == "__main__":
    sys.exit(main())
