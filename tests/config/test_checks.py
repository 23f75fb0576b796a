"""What must hold before anyone is served."""

import os
import subprocess
import sys

import pytest
from django.db import connection

from config import checks
from config.environment import BASE_DIR

GOOD = "k7Qz-" * 12


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("$(fefwefwef13;LFK{P!)@#*!)kdsjfWF2l+i5e3t(8a1n", "publicly known"),
        ("v8sk33sy82!uw3ty=!jjv5vp7=s2phrzw(m(hrn^f7e_#1h2al", "publicly known"),
        ("django-insecure-" + GOOD, "django-insecure-"),
        ("", "got 0"),
        ("k7Qz-" * 9, "got 45"),
        ("a" * 60, "must be random"),
    ],
)
def test_weak_keys_are_refused(key, words):
    assert words in (checks.secret_key_fault(key) or "")


def test_good_key_is_accepted():
    assert checks.secret_key_fault(GOOD) is None


@pytest.mark.parametrize(
    "argument", ["-m gunicorn --config config/gunicorn.py", "-m celery -A config worker"]
)
def test_servers_refuse_a_published_key_with_a_sentence(argument):
    environment = {**os.environ, "SECRET_KEY": checks.PUBLISHED_KEYS[0], "WEB_BIND": "127.0.0.1:0"}

    done = subprocess.run(
        [sys.executable, *argument.split()],
        cwd=BASE_DIR,
        env={**environment, "DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.returncode != 0
    assert "SECRET_KEY is a publicly known default value" in done.stderr
    assert "Traceback" not in done.stderr
    assert checks.PUBLISHED_KEYS[0] not in done.stderr + done.stdout


def test_durable_database_has_no_faults(db):
    assert checks.durability_faults() == []


def test_forgetful_database_is_named(db):
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = off")

    faults = checks.durability_faults()

    assert [fault for fault in faults if "synchronous_commit = off" in fault] == faults != []


def test_production_settings_pass_the_checks_of_deployment():
    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=BASE_DIR,
        env={
            "PATH": os.environ["PATH"],
            "SECRET_KEY": GOOD,
            "HTTPS": "1",
            "ALLOWED_HOSTS": "agreement.example.org",
        },
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout
