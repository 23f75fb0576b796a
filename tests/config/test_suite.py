"""What fails on a busy machine gets one more chance by itself; what fails then, or is much, has failed."""

from pathlib import Path

import pytest

import tests.__main__ as whole

SHAKY = """
from pathlib import Path

def test_once():
    mark = Path(__file__).with_name("was here")
    came_before = mark.exists()
    mark.touch()
    assert came_before
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setattr(whole, "WAITING", ["waiting"])
    monkeypatch.setattr(whole, "COMPUTING", ["computing"])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pytest.ini").touch()
    for name in ("waiting", "computing"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"test_{name}.py").write_text("def test_good(): pass\n")
    return tmp_path


def suite(folder: Path) -> int:
    return whole.suite(folder / "kept")


def test_all_pass(folder, capfd):
    assert suite(folder) == 0

    assert "Once more" not in capfd.readouterr().out


def test_one_that_passes_by_itself_is_named(folder, capfd):
    (folder / "waiting/test_shaky.py").write_text(SHAKY)

    assert suite(folder) == 0

    assert "SHAKY: failed beside the others and passed alone: " in capfd.readouterr().out


@pytest.mark.parametrize("place", ["waiting", "computing"])
def test_one_that_fails_twice_has_failed(folder, place):
    (folder / place / "test_bad.py").write_text("def test_bad(): assert 0\n")

    assert suite(folder) == 1


@pytest.mark.parametrize(
    "text",
    [
        f"import pytest\n@pytest.mark.parametrize('n', range({whole.FEW + 1}))\ndef test_bad(n): assert 0\n",
        "import nothing\n",
    ],
    ids=["many", "broken"],
)
def test_more_than_a_few_have_failed_at_once(folder, text, capfd):
    (folder / "waiting/test_bad.py").write_text(text)

    assert suite(folder) != 0

    assert "Once more" not in capfd.readouterr().out
