"""`make install`: an environment that is whole is kept, one that is half made is made anew."""

import json
import secrets
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from config.environment import BASE_DIR
from config.supervisor import install as installing
from tests.sizes import only_in_full

SCRIPT = Path("config/supervisor/install.py")


@dataclass(frozen=True, slots=True)
class Clone:
    """A clone with the script alone, and lists that ask for nothing; `first`: what the first install said."""

    folder: Path
    first: subprocess.CompletedProcess[str]

    @property
    def python(self) -> Path:
        return self.folder / ".venv" / "bin" / "python"

    @property
    def stamp(self) -> Path:
        return self.folder / ".venv" / "interrater.json"


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """Made once, for an environment takes seconds; each test leaves a whole one."""
    folder = tmp_path_factory.mktemp("clone")
    (folder / SCRIPT).parent.mkdir(parents=True)
    shutil.copy(BASE_DIR / SCRIPT, folder / SCRIPT)
    (folder / "requirements").mkdir()
    change_lists(folder)
    return Clone(folder, install(folder))


def change_lists(folder: Path, *, embedded: str = "") -> None:
    """Lists that are other ones each time; `embedded` asks for something."""
    for name in ("embedded", "dev"):
        asked = embedded if name == "embedded" else ""
        (folder / "requirements" / f"{name}.txt").write_text(f"# nothing: {secrets.token_hex(4)}\n{asked}")


def install(folder: Path, *, wanted: str = "embedded") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, SCRIPT, wanted], cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )


@only_in_full
def test_install_makes_an_environment_once(clone: Clone):
    second = install(clone.folder)

    assert clone.first.returncode == 0, clone.first.stderr
    assert "Creating .venv" in clone.first.stdout
    assert (second.returncode, second.stdout) == (0, "")
    assert clone.python.exists()


@only_in_full
def test_a_failed_install_says_why_and_starts_over(clone: Clone):
    change_lists(clone.folder, embedded="./no-such-wheel.whl\n")

    failed = install(clone.folder)

    assert failed.returncode == 1
    assert "The packages could not be installed" in failed.stderr
    assert "Traceback" not in failed.stderr
    assert not clone.stamp.exists()
    _made_anew(clone)


def _made_anew(clone: Clone) -> None:
    left = clone.folder / ".venv" / "lib" / "left-behind"
    left.touch()
    change_lists(clone.folder)

    again = install(clone.folder)

    assert again.returncode == 0, again.stderr
    assert "Recreating" in again.stdout
    assert not left.exists()
    assert clone.stamp.exists()


def test_long_installation_says_that_it_goes_on(monkeypatch, capsys):
    monkeypatch.setattr(installing, "EVERY", 0.2)
    program = "import sys, time; time.sleep(0.7); sys.stderr.write('no such package')"

    with subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True) as popen:
        errors = installing.finished(popen)

    assert errors == "no such package"
    assert "Still installing (0 s) ..." in capsys.readouterr().out


@only_in_full
def test_changed_requirements_are_installed_into_the_same_environment(clone: Clone):
    before = json.loads(clone.stamp.read_text())
    change_lists(clone.folder)

    again = install(clone.folder)

    assert "Installing 0 packages" in again.stdout
    assert "Creating .venv" not in again.stdout
    assert json.loads(clone.stamp.read_text())["embedded"] != before["embedded"]


@only_in_full
def test_environment_for_tests_serves_to_run(clone: Clone):
    change_lists(clone.folder)

    assert "Installing 0 packages" in install(clone.folder, wanted="dev").stdout
    assert install(clone.folder, wanted="embedded").stdout == ""


@pytest.mark.parametrize("name", ["base", "embedded", "dev"])
def test_requirements_are_pinned_by_hash_and_name_no_index(name: str):
    text = (BASE_DIR / "requirements" / f"{name}.txt").read_text()

    pins = [line for line in text.splitlines() if line and line[0] not in " #"]
    assert pins
    assert all("==" in pin and pin.endswith("\\") for pin in pins)
    assert text.count("--hash=sha256:") >= len(pins)
    assert "://" not in text


def test_what_runs_is_what_was_tested():
    pins = {name: set(_pins(name)) for name in ("base", "embedded", "dev")}

    assert pins["base"] < pins["embedded"] < pins["dev"]


def _pins(name: str) -> list[str]:
    text = (BASE_DIR / "requirements" / f"{name}.txt").read_text()
    return [line.split(" ;")[0].rstrip(" \\") for line in text.splitlines() if line and line[0] not in " #"]


def test_a_linked_environment_is_used_but_never_changed(clone: Clone, tmp_path: Path):
    linking = tmp_path / "linking"
    shutil.copytree(clone.folder / "config", linking / "config")
    shutil.copytree(clone.folder / "requirements", linking / "requirements")
    (linking / ".venv").symlink_to(clone.folder / ".venv")
    before = clone.stamp.read_bytes()

    fitting = install(linking)
    change_lists(linking)
    other = install(linking)

    assert (fitting.returncode, fitting.stdout, fitting.stderr) == (0, "", "")
    assert other.returncode == 1
    assert "is a link to" in other.stderr
    assert clone.stamp.read_bytes() == before
    assert (linking / ".venv").is_symlink()
