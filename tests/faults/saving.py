"""Raters as programs that save without pause, each with a ledger outside the server of what was acknowledged to it."""

import json
import os
import random
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from uuid import uuid4

from django.db import connection
from knox.models import AuthToken

from tests.live import wait_until
from tests.working import Work

CATEGORIES = ("good", "fair", "bad")
AGAIN_AFTER = 0.1


@dataclass(frozen=True, slots=True)
class Acknowledged:
    assignment: int
    revision: int
    category: str
    note: str


@dataclass(slots=True)
class Ledger:
    """A line for each saving that was acknowledged, on the disk before the next one begins."""

    path: Path
    n: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def write(self, acknowledged: Acknowledged) -> None:
        line = json.dumps(
            [acknowledged.assignment, acknowledged.revision, acknowledged.category, acknowledged.note]
        )
        with self._lock, self.path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
            file.flush()
            os.fsync(file.fileno())
            self.n += 1

    def read(self) -> list[Acknowledged]:
        return [Acknowledged(*json.loads(line)) for line in self.path.read_text("utf-8").splitlines()]


@dataclass(slots=True)
class Saver:
    """address: where the server is now. limit: how many savings, None for no end. n_tries: savings and retries."""

    address: Callable[[], str]
    slug: str
    token: str
    places: list[int]
    ledger: Ledger
    stopped: threading.Event
    limit: int | None = None
    n_tries: int = 0
    fault: BaseException | None = None

    def run(self) -> None:
        try:
            self._run()
        except BaseException as fault:
            self.fault = fault

    def _run(self) -> None:
        seen = dict.fromkeys(self.places, 0)
        number = 0
        while not self.stopped.is_set() and number != self.limit:
            place, category = self.places[number % len(self.places)], CATEGORIES[number % 3]
            note = f"saving {number} of {self.token[:12]}"
            revision = self._save(place, category, note, seen[place])
            if revision is None:
                return
            seen[place] = revision
            self.ledger.write(Acknowledged(place, revision, category, note))
            number += 1

    def _save(self, place: int, category: str, note: str, seen: int) -> int | None:
        """The revision that the server acknowledged, asking again under the same key until it does."""
        body = {
            "answers": [{"question": "tone", "category": category, "note": note}],
            "revisions": [{"question": "tone", "revision": seen}] if seen else [],
        }
        key = str(uuid4())
        while not self.stopped.is_set():
            self.n_tries += 1
            try:
                return self._send(place, json.dumps(body).encode(), key)
            except urllib.error.HTTPError as refused:
                # What is in between may fail for a while; what the program refuses, it refuses for ever.
                if refused.code < 500:
                    raise AssertionError(f"{refused.code}: {refused.read().decode()}") from refused
            except (OSError, HTTPException):
                pass
            time.sleep(AGAIN_AFTER)
        return None

    def _send(self, place: int, body: bytes, key: str) -> int:
        url = f"{self.address()}api/v1/projects/{self.slug}/assignments/{place}/answers/"
        headers = {
            "Authorization": f"Token {self.token}",
            "Content-Type": "application/json",
            "Idempotency-Key": key,
        }
        request = urllib.request.Request(url, body, headers, method="PUT")
        with urllib.request.urlopen(request, timeout=15) as answer:
            return int(json.load(answer)["revisions"][0]["revision"])


@contextmanager
def savers(
    work: Work, address: Callable[[], str], ledger: Ledger, *, limit: int | None = None
) -> Iterator[list[Saver]]:
    """One for each rater of the work, saving for as long as this lasts, or until all have done their part."""
    stopped = threading.Event()
    found = [
        Saver(
            address=address,
            slug=work.project.slug,
            token=AuthToken.objects.create(user=work.user(place))[1],
            places=list(rater.assignments.order_by("pk").values_list("pk", flat=True)),
            ledger=ledger,
            stopped=stopped,
            limit=limit,
        )
        for place, rater in enumerate(work.raters)
    ]
    threads = [threading.Thread(target=saver.run) for saver in found]
    for thread in threads:
        thread.start()
    try:
        yield found
        if limit is not None:
            for thread in threads:
                thread.join()
    finally:
        stopped.set()
        for thread in threads:
            thread.join()


_KEPT = """
SELECT a.id, r.revision, c.key, r.note
FROM raters_labelrevision r
JOIN raters_assignment a ON a.item_id = r.item_id AND a.rater_id = r.rater_id AND a.pass_number = r.pass_number
JOIN projects_category c ON c.id = r.category_id
JOIN projects_batch b ON b.id = a.batch_id
WHERE b.project_id = %s
"""
_STANDING = """
SELECT a.id, l.revision, c.key, l.note
FROM raters_label l
JOIN raters_assignment a ON a.item_id = l.item_id AND a.rater_id = l.rater_id AND a.pass_number = l.pass_number
JOIN projects_category c ON c.id = l.category_id
JOIN projects_batch b ON b.id = a.batch_id
WHERE b.project_id = %s
"""


def kept(work: Work) -> list[Acknowledged]:
    """Every saving that the history has."""
    return _rows(_KEPT, work)


def standing(work: Work) -> list[Acknowledged]:
    """What the labels say now."""
    return _rows(_STANDING, work)


def _rows(query: str, work: Work) -> list[Acknowledged]:
    with connection.cursor() as cursor:
        cursor.execute(query, [work.project.pk])
        return [Acknowledged(*row) for row in cursor.fetchall()]


def assert_all_kept(work: Work, acknowledged: list[Acknowledged]) -> None:
    history = {(row.assignment, row.revision): row for row in kept(work)}
    missing = [row for row in acknowledged if (row.assignment, row.revision) not in history]
    altered = [
        row for row in acknowledged if row not in missing and history[row.assignment, row.revision] != row
    ]
    assert (missing, altered) == ([], [])
    # A label says what was said last, which at the end of all may not have been acknowledged any more.
    last = {row.assignment: row for row in sorted(acknowledged, key=lambda row: row.revision)}
    for now in standing(work):
        assert now == history[now.assignment, now.revision]
        assert now.assignment not in last or now.revision >= last[now.assignment].revision


def wait_for_savings(ledger: Ledger, n: float, clients: list[Saver]) -> None:
    wait_until(lambda: ledger.n >= n or any(client.fault for client in clients), seconds=240)
    assert [client.fault for client in clients if client.fault] == []


@dataclass(slots=True)
class LosingProxy:
    """Passes each request on, and loses a share of the answers after the server has given them."""

    host: str
    port: int
    share: float
    chance: random.Random
    n_lost: int = 0
    n_passed: int = 0

    @contextmanager
    def serve(self) -> Iterator[str]:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            accepting = threading.Thread(target=self._accept, args=[listener])
            accepting.start()
            try:
                yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
            finally:
                # Wakes what waits for the next connection.
                listener.shutdown(socket.SHUT_RDWR)
                accepting.join()

    def _accept(self, listener: socket.socket) -> None:
        passing = []
        while True:
            try:
                caller, _ = listener.accept()
            except OSError:
                break
            passing.append(threading.Thread(target=self._pass_on, args=[caller]))
            passing[-1].start()
        for thread in passing:
            thread.join()

    def _pass_on(self, caller: socket.socket) -> None:
        with caller, socket.create_connection((self.host, self.port), timeout=15) as server:
            server.sendall(_request(caller))
            answer = b"".join(iter(lambda: server.recv(65536), b""))
            if self.chance.random() < self.share:
                self.n_lost += 1
                return
            self.n_passed += 1
            caller.sendall(answer)


def _request(caller: socket.socket) -> bytes:
    """One whole request; callers close after each, and so does the server then."""
    got = b""
    while b"\r\n\r\n" not in got:
        got += caller.recv(65536)
    head, _, body = got.partition(b"\r\n\r\n")
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    length = int(lengths[0].partition(b":")[2]) if lengths else 0
    while len(body) < length:
        body += caller.recv(65536)
    return head + b"\r\n\r\n" + body
