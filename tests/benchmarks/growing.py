"""From a file of labels to pages, with 1 and 10 million labels: `python -m tests.benchmarks growing [--full]`.

With --full also a hundred million: 2 million items, 50 raters for each, and 50,000 raters, who work in teams of 100,
since raters who meet by chance would make more than a billion pairs. That takes 80 GB of disk and two hours.
`growing-reports` has the database write the same labels, without an import and without their history, and measures the
report, its pages, and its files. `growing-copy` writes them by COPY, with all constraints, triggers, and the history.
"""

import os
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import log
from pathlib import Path
from typing import Any

from django.db import connection, transaction
from django.test import Client

from projects.models import Category, Membership, Project, Question
from raters.models import Label, Rater, User
from reports.exports.export_list import LABELS, RESULTS, ExportFile
from reports.models import QuestionAgreement, Report
from tests import live as living
from tests.benchmarks import imports, large_pages, shards
from tests.benchmarks.import_by_worker import processor_time
from tests.benchmarks.large_exports import Sent, sent
from tests.benchmarks.measuring import Results, measure, seconds, wait_for_quiet
from tests.live import Live

OF_ITEM, TEAM, ITEMS_OF_RATER = 50, 100, 2_000
SIZES, FULL_SIZE = (1_000_000, 10_000_000), 100_000_000
CATEGORIES = imports.CATEGORIES
# Of a longer file, what comes within these seconds.
LONGEST_READ = 60.0
MOST_EXPONENT, MOST_PAGE, MOST_MEGABYTES = 1.05, 1.0, 64.0
# Pages of a project whose labels were imported: it has no rounds and no assignments.
PAGES = [name for name, address in large_pages.PAGES.items() if "{round}" not in address]
# Of a report, below the address of its question; {a} and {b} are raters who share items.
REPORT_PAGES = {
    "question": "",
    "raters": "raters/",
    "categories": "categories/",
    "a pair": "{a}/{b}/",
    "items of a pair": "{a}/{b}/items/",
    "items of a cell": "{a}/{b}/items/?row=mixed&column=none",
    "one rater": "raters/{a}/",
    "items of a rater": "raters/{a}/items/?in=dispute",
    "all items": "items/",
    "items on which raters differ": "items/?in=dispute",
    "the same, page 100": "items/?in=dispute&page=100",
    "filter by 3 raters": "filter/?raters=r00000&raters=r00001&raters=r00002",
}

# The labels of `write_file`, but for the chance of those that differ.
COLUMNS = "item_id, question_id, rater_id, category_id, is_abstention, pass_number, labelled_at, revision"
LABEL_ROWS = """
SELECT item.id, %(question)s, (%(raters)s::bigint[])[1 + n / %(of_team)s * %(team)s + (n * 13 + place) %% %(team)s],
    (%(categories)s::bigint[])[1 + CASE place %% 3 WHEN 0 THEN abs(hashint8(n * 1009 + place)::bigint) ELSE n END
        %% %(n_categories)s],
    false, 1, timestamptz '2026-03-02 09:00+00', 1
FROM (SELECT id, id - %(first)s AS n FROM projects_item WHERE project_id = %(project)s) item
CROSS JOIN generate_series(0, %(of_item)s - 1) place
WHERE n >= %(start)s AND n < %(end)s"""
ITEM_ROWS = """
INSERT INTO projects_item (project_id, key, content, attributes)
SELECT %(project)s, 'i' || lpad(n::text, 7, '0'), '[]', '{}' FROM generate_series(0, %(n)s - 1) n ORDER BY n"""
SLICE = 100_000


def run(results: Results, *, n_labels: int) -> dict[str, float]:
    """Everything for one size; returns the processor time of import and report."""
    project = new_project()
    import_took = imported(results, project, n_labels)
    vacuum(results, n_labels)
    agreement, report_took = reported(results, project, n_labels)
    large_pages.measure(results, project, n_labels=n_labels, names=PAGES)
    measure_report_pages(results, agreement, n_labels)
    measure_exports(results, agreement.report, n_labels, files=(*RESULTS, *LABELS))
    return {"import": import_took, "report": report_took}


def run_reports(results: Results, *, n_labels: int) -> dict[str, float]:
    """The report alone, on labels that the database has written itself."""
    project = new_project()
    write_labels(project, n_labels)
    vacuum(results, n_labels)
    agreement, report_took = reported(results, project, n_labels)
    measure_report_pages(results, agreement, n_labels)
    # Files of labels are read from the history.
    measure_exports(results, agreement.report, n_labels, files=RESULTS)
    return {"report": report_took}


def run_copy(results: Results, *, n_labels: int) -> dict[str, float]:
    """What COPY takes for the labels, and the report on them."""
    project = new_project()
    params = write_all_but_labels(project, n_labels)
    took = [copied(params, start) for start in range(0, n_labels // OF_ITEM, SLICE)]
    assert Label.objects.filter(item__project=project).count() == n_labels
    by_clock, worked = sum(each.seconds for each in took), sum(each.processor for each in took)
    note(results, f"COPY of {n_labels:,} labels: {seconds(by_clock)}, processor time {seconds(worked)}.")
    vacuum(results, n_labels)
    _, report_took = reported(results, project, n_labels)
    return {"COPY": worked, "report": report_took}


def copied(params: dict[str, Any], start: int) -> imports.Took:
    """COPY the labels of a slice of the items, in a transaction of its own: the checks of all would fill memory."""
    query = f"COPY ({LABEL_ROWS}) TO STDOUT"
    with tempfile.TemporaryFile() as file:
        with connection.cursor() as cursor:
            with cursor.copy(query, {**params, "start": start, "end": start + SLICE}) as rows:
                file.writelines(rows)
            file.seek(0)
            backend = connection.connection.info.backend_pid
            began, worked = time.perf_counter(), processor_time(backend)
            with transaction.atomic(), cursor.copy(f"COPY raters_label ({COLUMNS}) FROM STDIN") as rows:
                while block := file.read(1024 * 1024):
                    rows.write(block)
        return imports.Took(time.perf_counter() - began, processor_time(backend) - worked)


def tell_growth(results: Results, took: dict[int, dict[str, float]]) -> None:
    for few, many in pairwise(took):
        for what in took[few]:
            exponent = log(took[many][what] / took[few][what], many / few)
            words = f"growth of {what} from {few:,} to {many:,} labels, processor time, exponent"
            results.at_most(words, exponent, goal=MOST_EXPONENT, unit="")


def new_project() -> Project:
    lead = User.objects.create_user("lena", password="only for a benchmark")
    project = Project.objects.create(name="Large", slug="large")
    Membership.objects.create(project=project, user=lead, role=Membership.Role.LEAD)
    return project


def write_labels(project: Project, n_labels: int) -> None:
    """As a superuser, for whom no trigger need run."""
    params = write_all_but_labels(project, n_labels)
    with living.as_superuser() as superuser:
        superuser.execute("SET session_replication_role = replica")
        for start in range(0, n_labels // OF_ITEM, SLICE):
            rows = {**params, "start": start, "end": start + SLICE}
            superuser.execute(f"INSERT INTO raters_label ({COLUMNS}) {LABEL_ROWS}", rows)
    assert Label.objects.filter(item__project=project).count() == n_labels


def write_all_but_labels(project: Project, n_labels: int) -> dict[str, Any]:
    """The codebook, raters, and items; returns the parameters of LABEL_ROWS, but for the first item and the last."""
    question = Question.objects.create(project=project, key="mood", prompt="How is it?")
    categories = Category.objects.bulk_create(
        Category(question=question, key=key, name=key, position=place) for place, key in enumerate(CATEGORIES)
    )
    raters = Rater.objects.bulk_create(
        Rater(project=project, key=f"r{n:05}") for n in range(n_labels // ITEMS_OF_RATER)
    )
    with living.as_superuser() as superuser:
        superuser.execute("SET session_replication_role = replica")
        superuser.execute(ITEM_ROWS, {"project": project.pk, "n": n_labels // OF_ITEM})
    return {
        "project": project.pk,
        "question": question.pk,
        "first": project.items.order_by("pk").values_list("pk", flat=True)[0],
        "raters": [rater.pk for rater in raters],
        "team": TEAM,
        "of_team": ITEMS_OF_RATER * TEAM // OF_ITEM,
        "of_item": OF_ITEM,
        "categories": [category.pk for category in categories],
        "n_categories": len(categories),
    }


def imported(results: Results, project: Project, n_labels: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "labels.csv"
        write_file(path, n_labels)
        found = imports.by_worker(project, path, checks_all=False)
        phases = ", ".join(imports.phases_told(found))
        note(results, f"Import of {n_labels:,} labels: {phases}; {found['megabytes']:.0f} MB.")
        took = imports.Took(*map(sum, zip(*imports.worker_phases(found).values(), strict=True)))
        if n_labels < FULL_SIZE:
            copied = imports.by_copy(project, Path(folder), is_kept=False)
            words = f"import of {n_labels:,} labels against COPY"
            results.within(words, took.seconds, copied.seconds, goal=imports.MOST_TIMES_COPY)
            results.within(
                f"{words}, processor time", took.processor, copied.processor, goal=imports.MOST_TIMES_COPY
            )
    assert Label.objects.filter(item__project=project).count() == n_labels
    return took.processor


def write_file(path: Path, n_labels: int) -> None:
    """Each team of raters has items of its own, each of which half of the team has labeled; two in three agree."""
    chance = random.Random(1_960)
    items_of_team = ITEMS_OF_RATER * TEAM // OF_ITEM
    ends = [f",mood,{category}\n" for category in CATEGORIES]
    with path.open("w") as file:
        file.write("item,rater,question,label\n")
        for item in range(n_labels // OF_ITEM):
            first, shift = item // items_of_team * TEAM, item * 13 % TEAM
            key, truth = f"i{item:07},r", ends[item % len(ends)]
            drawn = chance.choices(ends, k=OF_ITEM)
            file.writelines(
                f"{key}{first + (shift + place) % TEAM:05}{drawn[place] if place % 3 == 0 else truth}"
                for place in range(OF_ITEM)
            )


def vacuum(results: Results, n_labels: int) -> None:
    """As PostgreSQL does by itself where it is left to; the benchmarks' server does not."""
    start = time.perf_counter()
    with living.as_superuser() as superuser:
        superuser.execute("VACUUM (ANALYZE)")
        [size] = superuser.execute("SELECT pg_database_size(current_database())").fetchone() or ()
    took = seconds(time.perf_counter() - start)
    note(results, f"{n_labels:,} labels: {size / 1e9:.1f} GB; VACUUM and ANALYZE took {took}.")


def reported(results: Results, project: Project, n_labels: int) -> tuple[QuestionAgreement, float]:
    """The same report by one worker and by two, whose figures must be the same to the last bit."""
    lead = project.memberships.get().user
    spent: dict[int, float] = {}
    reports: list[Report] = []
    name = str(connection.settings_dict["NAME"])
    with living.open_live(living.live_url(name), broker_url=os.environ["BROKER_URL"]) as live:
        live.start_dispatcher()
        for n in (1, 2):
            reports.append(by_workers(results, live, project, lead, n=n, n_labels=n_labels, spent=spent))
    assert len({shards.figures(report) for report in reports}) == 1
    return reports[0].questions.select_related("report__project", "question").get(), spent[1]


def by_workers(
    results: Results,
    live: Live,
    project: Project,
    lead: User,
    *,
    n: int,
    n_labels: int,
    spent: dict[int, float],
) -> Report:
    workers = [live.start_worker(concurrency=1, name=f"growing-{n}-{place}") for place in range(n)]
    wait_for_quiet()
    busy, held = [shards.busy(worker) for worker in workers], [shards.held(worker) for worker in workers]
    report = shards.computed(project, lead, {})
    each = [shards.busy(worker) - before for worker, before in zip(workers, busy, strict=True)]
    most = max(shards.held(worker) - before for worker, before in zip(workers, held, strict=True))
    live.end(*workers)
    spent[n] = sum(each)
    note(
        results,
        f"Report on {n_labels:,} labels by {n} workers: {seconds(report.seconds or 0)}; processor time of the busiest "
        f"{seconds(max(each))}, of all {seconds(sum(each))}; at most {most:.0f} MB above an idle worker.",
    )
    return report


def measure_report_pages(results: Results, agreement: QuestionAgreement, n_labels: int) -> None:
    client = Client(SERVER_NAME="localhost", raise_request_exception=False)
    client.force_login(agreement.report.asked_by)
    pair = agreement.pairs.order_by("rater_a_id", "rater_b_id").first()
    a, b = pair.rater_a_id, pair.rater_b_id
    base = f"/p/large/agreement/{agreement.report_id}/{agreement.question_id}/"
    for name, rest in REPORT_PAGES.items():
        address = base + rest.format(a=a, b=b)
        large_pages.measure_page(results, client, address, words=f"{n_labels:,} labels: report, {name}")


def measure_exports(results: Results, report: Report, n_labels: int, files: Sequence[ExportFile]) -> None:
    for file in files:
        wait_for_quiet()
        call: Callable[[], Sent] = lambda file=file: sent(lambda: file.pieces(report), most=LONGEST_READ)  # noqa: E731
        measured = measure(call, repeats=0)
        found: Sent = measured.value
        words = f"{n_labels:,} labels: {file.name}"
        results.at_most(f"{words}, first byte", found.first, goal=MOST_PAGE, unit="s")
        results.at_most(f"{words}, memory", measured.megabytes, goal=MOST_MEGABYTES, unit="MB")
        took = f"{seconds(found.whole)}, processor time of the program {seconds(found.processor)}"
        is_cut = found.whole > LONGEST_READ
        note(results, f"{words}: {'the first ' if is_cut else ''}{found.n_bytes / 1e6:.0f} MB in {took}.")


def note(results: Results, words: str) -> None:
    results.notes.append(words)
    print(words, flush=True)
