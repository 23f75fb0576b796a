"""Readers in C and Rust, each in a process of its own: one that crashes, or uses too much memory, harms nothing else.

The process prints lines of JSON: what it saw, then rows in blocks; or the name of an error, and it ends.
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

# More than a good file of the largest size needs.
MEMORY = 3 * 1024**3
SECONDS = 600
LOCKED, DAMAGED, UNKNOWN_SHEET = "locked", "damaged", "unknown_sheet"
_ROOT = Path(__file__).resolve().parents[2]


def said_apart(program: str, arguments: list[str], what: str, faults: Faults) -> Iterator[Any]:
    """What a program of this folder prints; raises FileRefused where it cannot read the file."""
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
                said = json.loads(line)
                if said == LOCKED:
                    raise locked(faults)
                if said == DAMAGED:
                    raise damaged(faults, what)
                yield said
            if process.wait():
                raise damaged(faults, what)
        finally:
            process.kill()


def limit_process() -> None:
    """To be called first by a program that runs apart."""
    try:
        import resource
    except ImportError:
        return
    # A process that is held to less itself may not allow more.
    for limit, most in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CPU, SECONDS)):
        _, before = resource.getrlimit(limit)
        least = most if before == resource.RLIM_INFINITY else min(most, before)
        resource.setrlimit(limit, (least, least))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def say(something: object) -> None:
    sys.stdout.write(json.dumps(something, ensure_ascii=True) + "\n")
