"""P20: the first start is safe, also when two are made at once, or one is cut off at any moment."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.checks import PUBLISHED_KEYS
from tests.config.running import Run, ended, get, new_folder
from tests.config.starting import assert_one_house
from tests.sizes import FULL, only_in_full, some

pytestmark = [pytest.mark.faults, pytest.mark.timeout(3600 if FULL else 600)]


@only_in_full
def test_two_first_starts_at_once_make_one_key_and_both_work(folder: Path):
    """Once in `make test`, by tests/config/test_supervisor.py, which looks at more of such a start."""
    for number in range(20):
        first, second = Run(folder / f"var{number}"), Run(folder / f"var{number}")
        with ended(first, second):
            first.start()
            second.start()

            assert_one_house(first, second)


@only_in_full
def test_start_after_kill_at_any_moment_of_the_first_start_recovers(folder: Path):
    for number in range(16):
        run = Run(folder / f"var{number}")
        with ended(run):
            run.start()
            with pytest.raises(subprocess.TimeoutExpired):
                run.process.wait(0.25 * (number + 1))
            run.kill()

            address = run.start().until_ready()

            assert get(f"{address}readyz") == 200
            assert "with the password" in run.output()
            run.stop()


@pytest.fixture(scope="module")
def refusing() -> Iterator[Path]:
    """State of starts that are all refused: the first of them makes the database."""
    with new_folder() as made:
        yield made / "var"


@only_in_full
@pytest.mark.parametrize(
    "key", some(["django-insecure-" + "k3y-of-somebody-else" * 3, *PUBLISHED_KEYS], every=9)
)
def test_known_keys_are_refused(refusing: Path, key: str):
    run = Run(refusing)

    with ended(run):
        code = run.start(SECRET_KEY=key).until_ended()

        assert code == 1
        assert "SECRET_KEY" in run.output()
        assert key not in run.output()
        assert "Traceback" not in run.output()
