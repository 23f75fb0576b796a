"""Runs each calculation in a separate process, to contain hostile or very large files."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import cast

from django.conf import settings

from core.refusals import RefusedWithCode
from reports.analysis.options import OptionsJson
from reports.pages.calculator.embedded_file import EmbeddedFile
from reports.pages.calculator.exchange import CalculatorRequest, CalculatorResponse
from reports.pages.calculator.limits import INSTEAD, MAX_ANSWER, SECONDS, TOO_MUCH, TOO_SLOW

_ROOT = Path(__file__).resolve().parents[3]
_CODE = [sys.executable, "-W", "ignore", "-m", "reports.pages.calculator.calculation_process"]


def run_calculation(
    embedded: EmbeddedFile,
    *,
    sent: dict[str, str] | None = None,
    round: str = "",
    question: str = "",
    analysis: OptionsJson | None = None,
) -> CalculatorResponse:
    """Run one calculation. Raises RefusedWithCode if it takes too long or too much memory."""
    asked: CalculatorRequest = {
        "name": embedded.name,
        "options": embedded.options.as_json(),
        "categories": embedded.categories,
        "sent": sent,
        "round": round,
        "question": question,
        "analysis": analysis,
    }
    output = _subprocess_output(json.dumps(asked).encode() + b"\n" + embedded.content)
    answer = cast(CalculatorResponse, json.loads(output))
    if refusal := answer["refusal"]:
        raise RefusedWithCode("too_much", refusal, status_code=413)
    return answer


def _subprocess_output(request: bytes) -> bytes:
    # Readers of binary files write to a folder that is deleted with the process, however it ends.
    with tempfile.TemporaryDirectory(prefix="calculator-") as folder:
        process = subprocess.Popen(
            _CODE,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=_ROOT,
            env=_environment(folder),
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(request, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            raise RefusedWithCode("too_slow", f"{TOO_SLOW} {INSTEAD}", status_code=413) from None
        finally:
            _end(process)
    if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise RefusedWithCode("too_slow", f"{TOO_SLOW} {INSTEAD}", status_code=413)
    if process.returncode or not output or len(output) > MAX_ANSWER:
        raise RefusedWithCode("too_much", f"{TOO_MUCH} {INSTEAD}", status_code=413)
    return output


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the process group and reap the process."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe:
            pipe.close()


def _environment(folder: str) -> dict[str, str]:
    """Return an environment without passwords or keys, since the process reads untrusted files."""
    kept = {
        name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "VIRTUAL_ENV") if name in os.environ
    }
    return {
        **kept,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "SECRET_KEY": "of-a-process-that-signs-nothing",
        "DATABASE_URL": "postgres://nobody@localhost:1/nothing",
        "TIME_ZONE": settings.TIME_ZONE,
        "TMPDIR": folder,
        "STATE_DIR": folder,
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
