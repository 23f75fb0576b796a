"""A test that lasts until it is stopped; run by test_suite.py alone, in a suite of its own."""

import os
import signal
from pathlib import Path

from tests.together import at_once


def test_lasts(page, worker, tmp_path):
    """With a server, a worker and a browser at work, and threads."""
    assert page.goto("/healthz").ok
    Path(os.environ["LASTING"]).touch()

    at_once(2, lambda _: signal.sigtimedwait([signal.SIGUSR1], 3600))
