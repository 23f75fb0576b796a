"""P20: the first start is safe, also when two are made at once, or one is cut off at any moment."""

import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from django.urls import reverse

from config.checks import PUBLISHED_KEYS
from tests.config.running import Run, ended, get, mode, new_folder, query
from tests.sizes import FULL, only_in_full, some

pytestmark = [pytest.mark.faults, pytest.mark.timeout(3600 if FULL else 600)]


def test_two_first_starts_at_once_make_one_key_and_both_work(folder: Path):
    for number in range(20 if FULL else 1):
        first, second = Run(folder / f"var{number}"), Run(folder / f"var{number}")
        with ended(first, second):
            first.start()
            second.start()

            addresses = {run.until_said(r"(?:ready|folder,) at (http://\S+)") for run in (first, second)}

            assert len(addresses) == 1
            assert get(f"{addresses.pop()}readyz") == 200
            assert mode(first.var / "secret_key") == 0o600
            assert query(first, "SELECT count(*) FROM raters_user") == [(1,)]
            assert (first.said() + second.said()).count("with the password") == 1
            if number == 0:
                _has_no_default_account_and_listens_on_loopback_alone(first, second)


def _has_no_default_account_and_listens_on_loopback_alone(first: Run, second: Run) -> None:
    """A test of its own would cost another first start."""
    run = first if "with the password" in first.said() else second
    address = run.until_ready()

    signed_in = [pair for pair in GUESSES if _signs_in(address, *pair)]
    assert signed_in == []
    assert _signs_in(address, "owner", run.until_said(r"with the password (\S+)"))
    assert _refuses_to_sign_up(address)
    assert query(run, "SELECT count(*) FROM raters_user") == [(1,)]
    # Listening sockets are read from /proc.
    if sys.platform == "linux":
        assert {listener.partition(":")[0] for listener in _listeners(run)} == {LOOPBACK}


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
            assert "with the password" in run.said()
            run.stop()


@pytest.fixture(scope="module")
def refusing() -> Iterator[Path]:
    """State of starts that are all refused: the first of them makes the database."""
    with new_folder() as made:
        yield made / "var"


@pytest.mark.parametrize(
    "key", some(["django-insecure-" + "k3y-of-somebody-else" * 3, *PUBLISHED_KEYS], every=9)
)
def test_known_keys_are_refused(refusing: Path, key: str):
    run = Run(refusing)

    with ended(run):
        code = run.start(SECRET_KEY=key).until_ended()

        assert code == 1
        assert "SECRET_KEY" in run.said()
        assert key not in run.said()
        assert "Traceback" not in run.said()


GUESSES = [
    ("owner", "owner"),
    ("admin", "admin"),
    ("owner", ""),
    ("owner", "password"),
    ("admin", "password"),
]
# As /proc/net/tcp writes 127.0.0.1.
LOOPBACK = "0100007F"


def _signs_in(address: str, username: str, password: str) -> bool:
    """Whether the page of signing in lets this pair through."""
    return _accepts(address, "account_login", {"login": username, "password": password})


def _refuses_to_sign_up(address: str) -> bool:
    """Whether nobody makes an account who was not invited."""
    sentence = "a spoon, a fork and a knife"
    form = {"username": "nina", "email": "nina@example.org", "password1": sentence, "password2": sentence}
    return not _accepts(address, "account_signup", form)


def _accepts(address: str, name: str, form: dict[str, str]) -> bool:
    """Whether a form leads on to another page, rather than being refused or shown again."""
    page = address.rstrip("/") + reverse(name)
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with opener.open(address.rstrip("/") + reverse("account_login"), timeout=60) as shown:
        token = shown.read().decode().partition('name="csrfmiddlewaretoken" value="')[2].partition('"')[0]
    form = {"csrfmiddlewaretoken": token, **form}
    request = urllib.request.Request(page, urllib.parse.urlencode(form).encode(), {"Referer": page})
    try:
        with opener.open(request, timeout=60) as answer:
            return bool(answer.url != page)
    except urllib.error.HTTPError as refused:
        if refused.code not in {400, 403}:
            raise
        return False


def _listeners(run: Run) -> set[str]:
    """The addresses on which the processes of this run listen."""
    ours = [process for process in Path("/proc").glob("[0-9]*") if run.is_ours(int(process.name))]
    inodes = {inode for process in ours for inode in _sockets(process)}
    tables = [Path(f"/proc/net/{name}").read_text() for name in ("tcp", "tcp6")]
    rows = [line.split() for table in tables for line in table.splitlines()]
    return {row[1] for row in rows if row[3] == "0A" and row[9] in inodes}


def _sockets(process: Path) -> Iterator[str]:
    for handle in (process / "fd").iterdir():
        with suppress(OSError):
            target = str(handle.readlink())
            if target.startswith("socket:["):
                yield target.removeprefix("socket:[").removesuffix("]")
