"""The garbage collector leaves alone what a program has loaded."""

import os
import subprocess
import sys

from config.collector import THRESHOLDS
from config.environment import BASE_DIR

STARTED = """
import gc
import config
before = gc.get_freeze_count()
import django
django.setup()
print(*gc.get_threshold(), before, gc.get_freeze_count())
"""


def test_a_program_keeps_what_it_has_loaded_and_seldom_looks_through_the_rest():
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"}
    started = subprocess.run(
        [sys.executable, "-c", STARTED],
        cwd=BASE_DIR,
        env=environment,
        capture_output=True,
        check=True,
        text=True,
    )

    *thresholds, before, kept = map(int, started.stdout.split())
    assert tuple(thresholds) == THRESHOLDS
    assert before == 0
    # Modules, their functions and the models.
    assert kept > 50_000
