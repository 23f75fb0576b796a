"""What holds of every first start of `make run`, however it was made."""

import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from django.urls import reverse

from tests.config.running import Run, get, mode, query


def assert_one_house(first: Run, second: Run) -> None:
    """Two that were started in one folder at once made one key and one owner, and both say where it is served."""
    addresses = {run.until_address() for run in (first, second)}

    assert len(addresses) == 1
    assert get(f"{addresses.pop()}readyz") == 200
    assert mode(first.var / "secret_key") == 0o600
    assert query(first, "SELECT count(*) FROM raters_user") == [(1,)]
    assert (first.output() + second.output()).count("with the password") == 1


def assert_closed_to_strangers(run: Run, *, owner: str) -> None:
    """There is no default account, nobody signs up, and nothing listens beyond this machine."""
    address = run.until_ready()

    signed_in = [pair for pair in GUESSES if _signs_in(address, *pair)]
    assert signed_in == []
    assert _signs_in(address, owner, run.wait_for_output(r"with the password (\S+)"))
    assert _refuses_to_sign_up(address)
    assert query(run, "SELECT count(*) FROM raters_user") == [(1,)]
    # Listening sockets are read from /proc.
    if sys.platform == "linux":
        assert {listener.partition(":")[0] for listener in _listeners(run)} == {LOOPBACK}


GUESSES = [
    ("owner", "owner"),
    ("admin", "admin"),
    ("owner", ""),
    ("owner", "password"),
    ("admin", "password"),
    ("lena", "lena"),
    ("lena", ""),
    ("lena", "password"),
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
    # A process of the run, or a handle of it, may have ended meanwhile.
    with suppress(FileNotFoundError, ProcessLookupError):
        for handle in (process / "fd").iterdir():
            with suppress(OSError):
                target = str(handle.readlink())
                if target.startswith("socket:["):
                    yield target.removeprefix("socket:[").removesuffix("]")
