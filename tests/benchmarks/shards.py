"""The same report by one, two, and four workers: `python -m tests.benchmarks shards`.

Each worker is a Celery worker with one process. The figures must be the same to the last bit.
"""

import os
from pathlib import Path

from django.db import connection

from config.supervisor.children import Child
from projects.models import Project
from raters.models import User
from reports.models import Report
from tests import live as living
from tests.benchmarks import shared_work
from tests.benchmarks.measuring import Results, seconds, wait_for_quiet
from tests.benchmarks.pages import new_project
from tests.live import Live, wait_until

N_RATERS = 20
FEW_ITEMS, MANY_ITEMS = 5_000, 50_000
FEW_LABELS = f"{N_RATERS * FEW_ITEMS:,} labels"
N_REPLICATES = 16_000
WORKERS = (1, 2, 4)
# The share of the ideal speed, as long as each worker has a processor.
LEAST_SHARE = 0.75
# For a million labels, above what an idle worker takes.
MOST_MEGABYTES = 600
LONGEST = 7200


def run(results: Results) -> None:
    lead = User.objects.create_user("lead", password="only for a benchmark")
    few = new_project(lead, n_raters=N_RATERS, n_items=FEW_ITEMS)
    many = new_project(lead, n_raters=N_RATERS, n_items=MANY_ITEMS)
    name = str(connection.settings_dict["NAME"])
    with living.open_live(living.live_url(name), broker_url=os.environ["BROKER_URL"]) as live:
        live.start_dispatcher()
        replicates = f"{N_REPLICATES:,} replicates of {FEW_LABELS}"
        measure_speed(results, live, few, lead, words=replicates, options=percentile(N_REPLICATES))
        for asked in shared_work.LONG:
            project = shared_work.project_of(asked, lead)
            measure_speed(results, live, project, lead, words=asked.words, options={})
        measure_memory(results, live, many, lead)


def percentile(n_replicates: int) -> dict[str, object]:
    return {"interval": "percentile", "replicates": n_replicates}


def measure_speed(
    results: Results, live: Live, project: Project, lead: User, *, words: str, options: dict[str, object]
) -> None:
    found: dict[int, Report] = {}
    for n in WORKERS:
        names = [f"{project.slug}-{n}-{place}" for place in range(n)]
        workers = [live.start_worker(concurrency=1, name=name) for name in names]
        wait_for_quiet()
        before = [busy(worker) for worker in workers]
        found[n] = computed(project, lead, options)
        each = [busy(worker) - started for worker, started in zip(workers, before, strict=True)]
        live.end(*workers)
        alone, together = found[1].seconds or 0, found[n].seconds or 0
        results.notes.append(
            f"{words}, {n} workers: {seconds(together)}; processor time of the busiest one {seconds(max(each))},"
            f" of all {seconds(sum(each))}."
        )
        if 1 < n <= (os.cpu_count() or 1):
            results.faster(f"{words}, {n} workers against one", together, alone, goal=LEAST_SHARE * n)
    assert len({figures(report) for report in found.values()}) == 1


def figures(report: Report) -> str:
    """All of them; for pairs, the sum of the hashes of their rows."""
    agreement = report.questions.get()
    sums = "sum(hashtextextended((n, counts, figures, kappa, se, ci_low, ci_high, reason)::text, 0)::numeric)"
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT count(*), {sums} FROM reports_pairagreement WHERE agreement_id = %s", [agreement.pk]
        )
        pairs = cursor.fetchone()
    return repr((agreement.coefficients, agreement.statistics, pairs))


def measure_memory(results: Results, live: Live, project: Project, lead: User) -> None:
    """The most that the worker with the report, and one with only shards, ever held, above an idle one."""
    workers = [live.start_worker(concurrency=1, name=f"memory-{n}") for n in range(2)]
    before = [held(worker) for worker in workers]
    report = computed(project, lead, percentile(1000))
    above = [held(worker) - idle for worker, idle in zip(workers, before, strict=True)]
    live.end(*workers)
    millions = N_RATERS * MANY_ITEMS / 1e6
    for whose, most in (("the report", max(above)), ("shards only", min(above))):
        words = f"memory of a worker with {whose}, for a million labels"
        results.at_most(words, most / millions, goal=MOST_MEGABYTES, unit="MB")
    results.notes.append(
        f"1,000 replicates of {millions:g} million labels, 2 workers: {seconds(report.seconds or 0)}."
    )


def computed(project: Project, lead: User, options: dict[str, object]) -> Report:
    report = Report.objects.create(
        project=project,
        asked_by=lead,
        scope={"questions": ["mood"], "rounds": None, "pooled": True},
        options=options,
    )
    report.notify()
    wait_until(lambda: Report.objects.get(pk=report.pk).is_final, seconds=LONGEST)
    report.refresh_from_db()
    assert report.state == Report.State.DONE, report.failure
    return report


def busy(worker: Child) -> float:
    """The processor time of its processes, in seconds."""
    ticks = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13] for pid in _pids(worker)]
    return sum(int(each) for pair in ticks for each in pair) / os.sysconf("SC_CLK_TCK")


def held(worker: Child) -> float:
    """The most megabytes that any process of the worker has held."""
    return max(_megabytes(pid) for pid in _pids(worker))


def _pids(worker: Child) -> list[str]:
    children = Path(f"/proc/{worker.pid}/task/{worker.pid}/children").read_text().split()
    return [str(worker.pid), *children]


def _megabytes(pid: str) -> float:
    """0 if the process is ending: Celery replaces those that hold much."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)
