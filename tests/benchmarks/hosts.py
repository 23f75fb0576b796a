"""One, two, and four machines of a fixed size: `python -m tests.benchmarks hosts`.

Each worker and each web server gets a share of a processor, so that two processors bear four of them, PostgreSQL, and
those who ask: time by the clock then says what more machines bring. With a limit on PostgreSQL itself it says how many
saves a second a processor of PostgreSQL bears.
"""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from django.db import connection

from projects.models import Project
from raters.models import Label, User
from reports.models import Report
from tests import live as living
from tests.benchmarks import shared_work
from tests.benchmarks.labeling import AtWork, asking, label, signed_in
from tests.benchmarks.measuring import Results, seconds
from tests.benchmarks.pages import new_project
from tests.benchmarks.shards import WORKERS, computed, figures, percentile
from tests.benchmarks.shares_of_processors import limited
from tests.live import Live
from tests.together import at_once
from tests.working import new_work

OF_WORKER, OF_WEB = 0.4, 0.25
# So that PostgreSQL is what limits four web servers.
OF_POSTGRES = 0.2
N_RATERS, N_ITEMS = 24, 400
DURATION = 20.0
# Of the ideal speed.
LEAST_SHARE = 0.75
N_REPLICATES = 16_000
LONG = shared_work.LONG[3:]


def run(results: Results) -> None:
    lead = User.objects.create_user("lead", password="only for a benchmark")
    project = new_project(lead, n_raters=20, n_items=5_000)
    with opened() as live:
        live.start_dispatcher()
        words = f"{N_REPLICATES:,} replicates of 100,000 labels"
        measure_reports(results, live, project, lead, words=words, options=percentile(N_REPLICATES))
        for asked in LONG:
            measure_reports(
                results, live, shared_work.project_of(asked, lead), lead, words=asked.words, options={}
            )
    measure_saves(results, "", postgres=None)
    measure_saves(results, f", PostgreSQL with {OF_POSTGRES:g} of a processor", OF_POSTGRES)


@contextmanager
def opened() -> Iterator[Live]:
    name = str(connection.settings_dict["NAME"])
    with living.open_live(living.live_url(name), broker_url=os.environ["BROKER_URL"]) as live:
        yield live


def measure_reports(
    results: Results, live: Live, project: Project, lead: User, *, words: str, options: dict[str, object]
) -> None:
    found: dict[int, Report] = {}
    for n in WORKERS:
        names = [f"{project.slug}-{n}-{place}" for place in range(n)]
        workers = [live.start_worker(concurrency=1, name=name) for name in names]
        with ExitStack() as stack:
            for worker in workers:
                stack.enter_context(limited(worker.pid, OF_WORKER))
            found[n] = computed(project, lead, options)
        live.end(*workers)
        alone, together = found[1].seconds or 0, found[n].seconds or 0
        results.notes.append(
            f"{words}, {n} workers with {OF_WORKER:g} of a processor each: {seconds(together)}."
        )
        if n > 1:
            results.faster(f"{words}, {n} workers against one", together, alone, goal=LEAST_SHARE * n)
    assert len({figures(report) for report in found.values()}) == 1


def measure_saves(results: Results, words: str, postgres: float | None) -> None:
    """Raters who label without a pause, spread over the web servers."""
    found: dict[int, float] = {}
    for n in WORKERS:
        with ExitStack() as stack:
            sites = [
                stack.enter_context(living.open_site(stack.enter_context(opened()), WEB_WORKERS="1"))
                for _ in range(n)
            ]
            for site in sites:
                stack.enter_context(limited(site.child.pid, OF_WEB))
            if postgres is not None:
                stack.enter_context(limited(pid_of_postgres(), postgres))
            found[n] = saves_per_second([site.url for site in sites])
        results.notes.append(
            f"{n} web servers with {OF_WEB:g} of a processor each{words}: {found[n]:.1f} saves/s."
        )
        if n > 1 and postgres is None:
            results.faster(
                f"saves, {n} web servers against one", 1 / found[n], 1 / found[1], goal=LEAST_SHARE * n
            )
    if postgres is not None:
        results.notes.append(f"A whole processor of PostgreSQL: {found[WORKERS[-1]] / postgres:.0f} saves/s.")


def pid_of_postgres() -> int:
    """The server's first process: the parent of the one that we are connected to."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [pid] = cursor.fetchone()
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def saves_per_second(addresses: Sequence[str]) -> float:
    """None may be lost."""
    work = new_work(n_items=N_ITEMS, n_raters=N_RATERS)
    cookies = [signed_in(work.user(number)) for number in range(N_RATERS)]
    held = [
        list(rater.assignments.order_by("position").values_list("pk", flat=True)) for rater in work.raters
    ]
    start = time.monotonic()

    def label_on(number: int) -> AtWork:
        found = AtWork()
        with asking(addresses[number % len(addresses)], cookies[number], found) as ask:
            for place, pk in enumerate(held[number]):
                if time.monotonic() > start + DURATION:
                    break
                label(ask, work.project, found, pk, place=place, number=number)
        return found

    n_saved = sum(len(each.saved) for each in at_once(N_RATERS, label_on))
    took = time.monotonic() - start
    assert Label.objects.filter(rater__in=work.raters).count() == n_saved
    return n_saved / took
