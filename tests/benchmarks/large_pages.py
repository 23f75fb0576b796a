"""Every page of a large project, by the clock and by processor time: `python -m tests.benchmarks large [--full]`.

A million labels, with --full ten million. Each page is asked for as the program hands it to the server, and may take
one second. Processor time is that of the program and of PostgreSQL, with its parallel workers.
"""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from django.core.cache import cache
from django.db import connection
from django.test import Client

from projects.models import Project
from raters.models import StoredFigures
from raters.tasks import compute_figures
from tests.benchmarks.large_project import make_large_project
from tests.benchmarks.measuring import Results, seconds, wait_for_quiet

MOST_SECONDS = 1.0
REPEATS = 2
TICKS = os.sysconf("SC_CLK_TCK")
PAGES = {
    "projects": "/",
    "overview": "/p/large/",
    "progress": "/p/large/progress/",
    "list: finished items": "/p/large/progress/items/?what=finished",
    "list: waiting items": "/p/large/progress/items/?what=waiting",
    "list: free items": "/p/large/progress/items/?what=free",
    "list: disputed items": "/p/large/progress/items/?what=disputed",
    "list: completed assignments": "/p/large/progress/items/?what=done",
    "list: labels": "/p/large/progress/items/?what=labels",
    "list: labels, last page": "/p/large/progress/items/?what=labels&page=99999999",
    "list: cannot tell": "/p/large/progress/items/?what=cannot_tell",
    "list: unlike the reference": "/p/large/progress/items/?what=missed",
    "adjudication": "/p/large/adjudicate/",
    "adjudication, page 100": "/p/large/adjudicate/?page=100",
    "adjudication, one round": "/p/large/adjudicate/?round={round}",
    "adjudication, resolved": "/p/large/adjudicate/?state=decided",
    "adjudication, an item": "/p/large/adjudicate/{item}/{question}/",
    "final labels": "/p/large/items/final/",
    "items": "/p/large/items/",
    "items, last page": "/p/large/items/?page=99999999",
    "items, search for a rare word": "/p/large/items/?q=Review+4321+of",
    "items, search for a common word": "/p/large/items/?q=hotel",
    "items, search without a result": "/p/large/items/?q=volcano",
    "an item": "/p/large/items/{item}/",
    "raters": "/p/large/raters/",
    "rounds": "/p/large/rounds/",
    "a round": "/p/large/rounds/{round}/",
    "plan a round": "/p/large/rounds/new/",
    "lists of items": "/p/large/lists/",
    "log": "/p/large/log/",
    "label history": "/p/large/label-history/",
    "label history of a rater": "/p/large/label-history/?person=rater-007",
    "label history of an item": "/p/large/label-history/?item=item-00000042",
    "label history without a result": "/p/large/label-history/?change=D",
    "quality": "/p/large/quality/",
    "threads": "/p/large/threads/",
    "codebook": "/p/large/codebook/",
    "members": "/p/large/members/",
    "imports": "/p/large/import/",
    "export of labels": "/p/large/export/",
    "agreement": "/p/large/agreement/",
    "audits": "/p/large/audits/",
}


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds by the clock, and of processor time of the program and of PostgreSQL."""

    clock: float
    program: float
    database: float


def run(results: Results, *, n_labels: int) -> None:
    start = time.perf_counter()
    project = make_large_project(n_labels)
    results.notes.append(
        f"A project of {n_labels:,} labels took {seconds(time.perf_counter() - start)} to make."
    )
    measure(results, project, n_labels=n_labels)


def measure(results: Results, project: Project, *, n_labels: int, names: Sequence[str] = ()) -> None:
    client = Client(SERVER_NAME="localhost", raise_request_exception=False)
    client.force_login(project.memberships.get(role="lead").user)
    about = {
        "item": project.items.order_by("pk")[41].pk,
        "question": project.questions.get().pk,
        "round": project.rounds.filter(key="b").values_list("pk", flat=True).first(),
    }
    for name in names or PAGES:
        address = PAGES[name].format(**about)
        measure_page(results, client, address, words=f"{n_labels:,} labels: {name}")


def measure_page(results: Results, client: Client, address: str, *, words: str) -> None:
    worker = compute_what_waits(client, address)
    best = min((cost_of(client, address) for _ in range(REPEATS)), key=lambda cost: cost.clock)
    of_worker = f", worker {seconds(worker)} before" if worker else ""
    results.at_most(
        f"{words}; processor: program {seconds(best.program)}, database {seconds(best.database)}{of_worker}",
        best.clock,
        goal=MOST_SECONDS,
        unit="s",
    )


def compute_what_waits(client: Client, address: str) -> float:
    """Seconds that a worker takes for the figures that the page waits for; 0 if it waits for none."""
    client.get(address)
    start = time.perf_counter()
    for run in StoredFigures.objects.filter(state=StoredFigures.State.QUEUED):
        compute_figures(run.pk)
        run.refresh_from_db()
        assert run.state == StoredFigures.State.DONE, run.failure
        return time.perf_counter() - start + compute_what_waits(client, address)
    return 0.0


def cost_of(client: Client, address: str) -> Cost:
    """Nothing that an earlier request left in the cache is used."""
    cache.clear()
    wait_for_quiet()
    database, program, clock = database_time(), time.process_time(), time.perf_counter()
    answer = client.get(address)
    assert answer.status_code == 200, (address, answer.status_code)
    if answer.streaming:
        next(iter(answer))
    return Cost(time.perf_counter() - clock, time.process_time() - program, database_time() - database)


def database_time() -> float:
    """Of our connection, and of whatever PostgreSQL has started and ended, such as parallel workers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [pid] = cursor.fetchone()
    own = _stat(pid)
    server = _stat(int(own[1]))
    return (int(own[11]) + int(own[12]) + int(server[13]) + int(server[14])) / TICKS


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat after the name, from the state on."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
