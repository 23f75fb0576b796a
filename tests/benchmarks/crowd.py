"""Two hundred raters who save once every two seconds, while two reports and an import run.

`python -m tests.benchmarks crowd`: two minutes; ten with --full. Two web processes and a worker of two processes share
the machine with the raters.
"""

import os
import time
from pathlib import Path
from subprocess import CompletedProcess
from tempfile import TemporaryDirectory
from threading import Thread

from django.db import connection

from projects.models import Project
from raters.models import Label, User
from reports.models import Report
from tests import live as living
from tests.benchmarks.imports import write_file
from tests.benchmarks.labeling import AtWork, asking, label, quantiles, signed_in
from tests.benchmarks.measuring import Results
from tests.labeling import labeled_project
from tests.live import Live, wait_until
from tests.together import at_once
from tests.working import new_work

N_RATERS = 200
EVERY = 2.0
SHORT, FULL = 120.0, 600.0
MOST_TIMES_EMPTY = 4
N_REPORTS, N_IMPORTED_ITEMS = 2, 10_000


def run(results: Results, *, is_full: bool) -> None:
    seconds = FULL if is_full else SHORT
    database = str(connection.settings_dict["NAME"])
    with (
        living.open_live(living.live_url(database), broker_url=os.environ["BROKER_URL"]) as live,
        living.open_site(live, WEB_WORKERS="2") as site,
        TemporaryDirectory() as folder,
    ):
        live.start_worker(concurrency=2)
        live.start_dispatcher()
        lead = User.objects.create_user("lead", password="only for a benchmark")
        reports = [asked(lead, place) for place in range(N_REPORTS)]
        imported = Project.objects.create(name="Imported", slug="imported")
        importing = Importing(live, Path(folder) / "labels.csv")
        work = new_work(n_items=int(seconds / EVERY), n_raters=N_RATERS)
        cookies = [signed_in(work.user(number)) for number in range(N_RATERS)]
        held = [
            list(rater.assignments.order_by("position").values_list("pk", flat=True)) for rater in work.raters
        ]
        importing.start()
        done = at_once(
            N_RATERS,
            lambda number: label_steadily(
                site.url, work.project, cookies[number], held[number], number, seconds
            ),
        )
        importing.join()
        wait_until(lambda: all(Report.objects.get(pk=each.pk).is_final for each in reports), seconds=1200)
    wrong = 0
    for number, rater in enumerate(work.raters):
        stored = dict(Label.objects.filter(rater=rater).values_list("item__key", "category__key"))
        wrong += len(set(stored.items()) ^ set(done[number].saved.items()))
    n_saved = sum(len(one.saved) for one in done)
    who = f"{N_RATERS} raters, a save each {EVERY:g} s for {seconds:g} s"
    results.at_most(f"{who}: labels lost or wrong of {n_saved:,}", wrong, goal=0, unit="")
    assert Report.objects.filter(state="done").count() == N_REPORTS
    assert importing.done is not None
    assert importing.done.returncode == 0, importing.done.stderr[-2000:]
    empty = quantiles(done, "empty")
    for what in ("save", "next"):
        found = quantiles(done, what)
        for cut, ours, of_empty in zip(("p50", "p95"), found, empty, strict=True):
            words = f"{who}: {what}, {cut} {ours * 1000:,.0f} ms, times an empty page"
            results.at_most(words, ours / of_empty, goal=MOST_TIMES_EMPTY, unit="")
    results.notes.append(
        f"Saved per second: {n_saved / seconds:.0f} of {N_RATERS / EVERY:.0f};"
        f" meanwhile, {N_REPORTS} reports and an import of"
        f" {Label.objects.filter(item__project=imported).count():,} labels."
    )


def asked(lead: User, place: int) -> Report:
    report = Report.objects.create(
        project=labeled_project(f"report {place}", n_items=2_000, n_raters=10),
        asked_by=lead,
        scope={"questions": ["answer"], "rounds": None},
        options={"interval": "percentile", "replicates": 1000},
    )
    report.notify()
    return report


class Importing(Thread):
    """The import of a file by the command, meanwhile."""

    def __init__(self, live: Live, path: Path) -> None:
        super().__init__()
        self.live, self.path = live, path
        self.done: CompletedProcess[str] | None = None
        write_file(path, N_IMPORTED_ITEMS)

    def run(self) -> None:
        self.done = self.live.run("import_labels", "imported", str(self.path), "--yes")


def label_steadily(
    address: str, project: Project, cookie: str, held: list[int], number: int, seconds: float
) -> AtWork:
    """As people do: who is late does not catch up."""
    found = AtWork()
    start = time.monotonic()
    due, until = start + EVERY * number / N_RATERS, start + seconds
    with asking(address, cookie, found) as ask:
        for place, pk in enumerate(held):
            time.sleep(max(0, due - time.monotonic()))
            due = max(due + EVERY, time.monotonic())
            if due > until:
                break
            label(ask, project, found, pk, place=place, number=number)
    return found
