"""`make install`: an environment that is whole is kept, one that is half made is made anew."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from config.environment import BASE_DIR

SCRIPT = Path("config/supervisor/install.py")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone with the script alone, and lists that ask for nothing."""
    (tmp_path / SCRIPT).parent.mkdir(parents=True)
    shutil.copy(BASE_DIR / SCRIPT, tmp_path / SCRIPT)
    (tmp_path / "requirements").mkdir()
    for name in ("embedded", "dev"):
        (tmp_path / "requirements" / f"{name}.txt").write_text(f"# nothing for {name}\n")
    return tmp_path


def install(clone: Path, *, wanted: str = "embedded") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, SCRIPT, wanted], cwd=clone, capture_output=True, text=True, check=False, timeout=120
    )


def stamp(clone: Path) -> dict[str, str]:
    return dict(json.loads((clone / ".venv" / "interrater.json").read_text()))


def test_install_makes_an_environment_once(clone: Path):
    first, second = install(clone), install(clone)

    assert first.returncode == 0, first.stderr
    assert "Making .venv" in first.stdout
    assert (second.returncode, second.stdout) == (0, "")
    assert (clone / ".venv" / "bin" / "python").exists()


def test_half_made_environment_is_made_anew(clone: Path):
    install(clone)
    (clone / ".venv" / "interrater.json").unlink()
    left = clone / ".venv" / "lib" / "left-behind"
    left.touch()

    again = install(clone)

    assert again.returncode == 0, again.stderr
    assert "half made" in again.stdout
    assert not left.exists()


def test_changed_requirements_are_installed_into_the_same_environment(clone: Path):
    install(clone)
    before = stamp(clone)
    (clone / "requirements" / "embedded.txt").write_text("# still nothing\n")

    again = install(clone)

    assert "Installing 0 packages" in again.stdout
    assert "Making .venv" not in again.stdout
    assert stamp(clone)["embedded"] != before["embedded"]


def test_environment_for_tests_serves_to_run(clone: Path):
    install(clone, wanted="dev")

    assert install(clone, wanted="embedded").stdout == ""


def test_failed_install_leaves_no_stamp_and_says_why(clone: Path):
    (clone / "requirements" / "embedded.txt").write_text("./no-such-wheel.whl\n")

    failed = install(clone)

    assert failed.returncode == 1
    assert "The packages could not be installed" in failed.stderr
    assert "Traceback" not in failed.stderr
    assert not (clone / ".venv" / "interrater.json").exists()


@pytest.mark.parametrize("name", ["base", "embedded", "dev"])
def test_requirements_are_pinned_by_hash_and_name_no_index(name: str):
    text = (BASE_DIR / "requirements" / f"{name}.txt").read_text()

    pins = [line for line in text.splitlines() if line and line[0] not in " #"]
    assert pins
    assert all("==" in pin and pin.endswith("\\") for pin in pins)
    assert text.count("--hash=sha256:") >= len(pins)
    assert "http" not in text


def test_what_runs_is_what_was_tested():
    pins = {name: set(_pins(name)) for name in ("base", "embedded", "dev")}

    assert pins["base"] < pins["embedded"] < pins["dev"]


def _pins(name: str) -> list[str]:
    text = (BASE_DIR / "requirements" / f"{name}.txt").read_text()
    return [line.split(" ;")[0].rstrip(" \\") for line in text.splitlines() if line and line[0] not in " #"]
