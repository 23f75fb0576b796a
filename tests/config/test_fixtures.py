"""The name of a fixture means one thing, so that whoever reads a test finds what it asks for."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from config.environment import BASE_DIR


def names_in(source: str) -> Iterator[str]:
    """The names of the fixtures that a module defines."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for decorator in node.decorator_list:
                call = decorator if isinstance(decorator, ast.Call) else ast.Call(decorator, [], [])
                if ast.unparse(call.func) == "pytest.fixture":
                    given = {
                        word.arg: ast.literal_eval(word.value) for word in call.keywords if word.arg == "name"
                    }
                    yield given.get("name", node.name)


def fixtures(folder: Path) -> dict[str, list[Path]]:
    """Where each fixture is defined, the outermost folder first."""
    found = defaultdict(list)
    for path in sorted(folder.rglob("*.py"), key=lambda path: (len(path.parts), path)):
        source = path.read_text(encoding="utf-8")
        if "pytest.fixture" in source:
            for name in names_in(source):
                found[name].append(path)
    return found


def override_the_first(paths: list[Path]) -> bool:
    """Whether all are conftest.py, and all but the first in folders below that of the first."""
    first, *others = paths
    return all(path.name == "conftest.py" for path in paths) and all(
        first.parent in other.parent.parents for other in others
    )


def confusing(folder: Path) -> list[str]:
    return [
        f"The fixture `{name}` is defined in {' and in '.join(str(path.relative_to(folder)) for path in paths)}."
        for name, paths in sorted(fixtures(folder).items())
        if len(paths) > 1 and not override_the_first(paths)
    ]


def test_no_two_fixtures_share_a_name():
    found = confusing(BASE_DIR / "tests")

    advice = (
        "If they are the same thing, define it once, in the nearest common conftest.py; if not, give each a name that"
        " says what it is. Only a conftest.py may override a fixture, and only that of a conftest.py above it."
    )
    assert found == [], "\n".join([*found, advice])


ONE = "import pytest\n\n@pytest.fixture\ndef lead(): ...\n"
TWO = "import pytest\n\n@pytest.fixture(scope='module', name='lead')\ndef _lead(): ...\n"


def test_the_rule_sees_a_name_that_is_given_twice(tmp_path: Path):
    (tmp_path / "raters").mkdir()
    (tmp_path / "conftest.py").write_text(ONE)
    (tmp_path / "raters/test_rounds.py").write_text(TWO)

    assert confusing(tmp_path) == [
        "The fixture `lead` is defined in conftest.py and in raters/test_rounds.py."
    ]


def test_a_conftest_may_override_the_one_above_it_and_no_other(tmp_path: Path):
    for name in ("raters", "reports"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "conftest.py").write_text(ONE)
    beside = confusing(tmp_path)

    (tmp_path / "conftest.py").write_text(TWO)

    assert beside == ["The fixture `lead` is defined in raters/conftest.py and in reports/conftest.py."]
    assert confusing(tmp_path) == []
