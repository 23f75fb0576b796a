"""`python -m tests`: the whole suite as four runs at once, on services of their own each.

Tests that start servers, break them and drive browsers mostly wait; all the others mostly compute. Side by side they
take little more than the longest of them, so the shorter ones have a folder of the others besides.
"""

import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from typing import IO

WAITING = [
    ["tests/config", "tests/projects"],
    ["tests/faults"],
    ["tests/browser", "tests/docs", "tests/reference"],
]
COMPUTING = ["tests", *(f"--ignore={folder}" for folders in WAITING for folder in folders)]


def main() -> int:
    """Show the computing run as it goes, and the others when they are through."""
    started = time.monotonic()
    with ExitStack() as stack:
        outputs = [stack.enter_context(tempfile.TemporaryFile("w+")) for _ in WAITING]
        waiting = [_started(run, output, stack) for run, output in zip(WAITING, outputs, strict=True)]
        codes = [subprocess.call(_pytest(COMPUTING))]
        for run, output in zip(waiting, outputs, strict=True):
            codes.append(run.wait())
            output.seek(0)
            sys.stdout.write(output.read())
    print(f"All took {time.monotonic() - started:.0f} s.")
    return max(map(abs, codes))


def _started(folders: list[str], output: IO[str], stack: ExitStack) -> subprocess.Popen[bytes]:
    run = subprocess.Popen(_pytest(folders), stdout=output, stderr=subprocess.STDOUT)
    stack.callback(run.wait)
    stack.callback(run.terminate)
    return run


def _pytest(arguments: list[str]) -> list[str]:
    # They must not write one cache.
    return [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]


if __name__ == "__main__":
    sys.exit(main())
