"""Wrong settings give one error with the variable, its value, and what is expected."""

import os
import subprocess
import sys

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import variables
from config.environment import BASE_DIR


@pytest.mark.parametrize("value", ["200MB", "-1", "0", "1.5", "1_000", "nan", "\u0663"])
def test_a_wrong_number_is_named(monkeypatch, value):
    monkeypatch.setenv("IMPORT_MAX_BYTES", value)

    with pytest.raises(ImproperlyConfigured) as refused:
        variables.whole("IMPORT_MAX_BYTES", 5)

    assert all(part in str(refused.value) for part in ("IMPORT_MAX_BYTES", repr(value), "at least 1"))


def test_numbers_have_bounds(monkeypatch):
    monkeypatch.setenv("HOUR", "24")
    with pytest.raises(ImproperlyConfigured, match="from 0 to 23"):
        variables.whole("HOUR", 7, low=0, high=23)
    monkeypatch.setenv("HOUR", " 23 ")
    assert variables.whole("HOUR", 7, low=0, high=23) == 23
    monkeypatch.setenv("HOUR", "")
    assert variables.whole("HOUR", 7, low=0, high=23) == 7


@pytest.mark.parametrize("value", ["soon", "0", "-1", "inf", "nan"])
def test_a_wrong_time_is_named(monkeypatch, value):
    monkeypatch.setenv("RUN_LEASE", value)
    with pytest.raises(ImproperlyConfigured, match="RUN_LEASE"):
        variables.seconds("RUN_LEASE", 60)


def test_the_level_of_the_log(monkeypatch):
    monkeypatch.setenv("LOG_LEVEL", "warning")
    assert variables.log_level() == "WARNING"
    monkeypatch.setenv("LOG_LEVEL", "WARNIGN")
    with pytest.raises(ImproperlyConfigured, match="WARNIGN"):
        variables.log_level()


def test_the_time_zone(monkeypatch):
    monkeypatch.setenv("TIME_ZONE", "Europe/Berlin")
    assert variables.time_zone() == "Europe/Berlin"
    for wrong in ("Europe/Berlni", "../x", "Europe"):
        monkeypatch.setenv("TIME_ZONE", wrong)
        with pytest.raises(ImproperlyConfigured, match="TIME_ZONE"):
            variables.time_zone()


@pytest.mark.parametrize(
    "url", ["mysql://u:hunter2@h/x", "postgres://u:hunter2@h:port/x", "postgres://u:hunter2@h", "hunter2"]
)
def test_a_wrong_database_url_is_named_without_its_password(monkeypatch, url):
    monkeypatch.setenv("DATABASE_URL", url)

    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL") as refused:
        variables.database_url("DATABASE_URL")

    assert "hunter2" not in str(refused.value)


def typed(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=BASE_DIR,
        env={**os.environ, "SECRET_KEY": "x" * 60, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_command_shows_one_line_for_a_wrong_setting():
    done = typed("backup", "x.tar", RUN_MEMORY_MB="4GB")

    assert done.returncode == 1
    [line] = done.stderr.strip().splitlines()
    assert "RUN_MEMORY_MB" in line
    assert "4GB" in line


@pytest.mark.parametrize("words", [("backup",), ("changepassword", "owner")])
def test_a_command_says_what_to_do_without_a_database(tmp_path, words):
    nowhere = "postgres:///interrater?host=" + str(tmp_path)

    done = typed(*words, *([str(tmp_path / "x.tar")] if words == ("backup",) else []), DATABASE_URL=nowhere)

    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "make run" in done.stderr.strip().splitlines()[-1]
    assert not (tmp_path / "x.tar").exists()
