"""Arguments of the supervisor: everything is set in the environment, so there is only --help."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


def test_help_of_the_supervisor_starts_nothing(tmp_path: Path):
    state = tmp_path / "state"

    shown = _supervise("--help", state=state)

    assert shown.returncode == 0
    assert {"PORT", "STATE_DIR", "DEMO", "RESTORE"} <= set(shown.stdout.split())
    assert not state.exists()


@pytest.mark.parametrize("argument", ["--port=9000", "start"])
def test_the_supervisor_refuses_arguments(tmp_path: Path, argument):
    state = tmp_path / "state"

    refused = _supervise(argument, state=state)

    assert refused.returncode == 2
    assert argument in refused.stderr
    assert not state.exists()


def _supervise(argument: str, *, state: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "config.supervisor", argument],
        env={**os.environ, "STATE_DIR": str(state)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
