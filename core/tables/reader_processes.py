"""Runs readers written in C and Rust in separate processes, so that a crash or a lack of memory harms nothing else.

The process prints JSON lines: what it found, then rows in blocks; or the name of an error, after which it ends.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.tables.faults import Faults
from core.tables.formats import damaged, locked

# More than a valid file of the largest size needs.
MEMORY = 3 * 1024**3
SECONDS = 600
LOCKED, DAMAGED, UNKNOWN_SHEET = "locked", "damaged", "unknown_sheet"
_ROOT = Path(__file__).resolve().parents[2]


def output_of_program(program: str, arguments: list[str], what: str, faults: Faults) -> Iterator[Any]:
    """The output of a program of this folder; raises FileRefused if it can't read the file."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", f"core.tables.{program}", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=_ROOT,
        env=environment,
    ) as process:
        assert process.stdout is not None  # noqa: S101  It is piped.
        try:
            for line in process.stdout:
                output = json.loads(line)
                if output == LOCKED:
                    raise locked(faults)
                if output == DAMAGED:
                    raise damaged(faults, what)
                yield output
            if process.wait():
                raise damaged(faults, what)
        finally:
            process.kill()


def limit_process() -> None:
    """Must be called first by a program that runs in a separate process."""
    try:
        import resource
    except ImportError:
        return
    # A process with a lower limit of its own can't allow more.
    for limit, most in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CPU, SECONDS)):
        _, before = resource.getrlimit(limit)
        least = most if before == resource.RLIM_INFINITY else min(most, before)
        resource.setrlimit(limit, (least, least))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def say(something: object) -> None:
    sys.stdout.write(json.dumps(something, ensure_ascii=True) + "\n")
