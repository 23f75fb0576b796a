"""The way in: a file of labels, beside a plain COPY of the same rows: `python -m tests.benchmarks imports [--full]`.

Both end with the same committed rows, under all constraints and triggers. COPY begins with the rows as the tables hold
them; the import goes the way of the page, from the upload to the end of the worker's task. Of the fewest labels, the
same by csv and bulk_create is measured, too.
"""

import csv
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from math import log
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from django.db import connection, transaction

from config.environment import BASE_DIR
from core.shapes import Json
from projects.imports.protocol import PREVIEWED
from projects.models import Category, Item, Project, Question
from raters.imports.label_file import WRITING
from raters.imports.undoing import undo_import
from raters.models import Label, LabelImport, Rater, User
from tests.benchmarks.import_by_worker import CHECKING_ALL, CONFIRMING, UPLOADING, processor_time
from tests.benchmarks.measuring import Results, wait_for_quiet

# Items with ten labels each: a hundred thousand labels, a million, and with --full ten million.
SIZES, FULL_SIZE, N_RATERS = (10_000, 100_000), 1_000_000, 10
CATEGORIES = ("positive", "neutral", "negative", "mixed", "none")
GOAL, MOST_TIMES_COPY, MOST_MEGABYTES, MOST_EXPONENT = 3.0, 4.0, 512.0, 1.05
MOST_OF_CHECK, MOST_OF_UNDOING = 0.5, 1.5
# The tables in which an import writes, in the order of their references, and what of them belongs to a project.
TABLES = {
    "projects_item": "project_id = {project}",
    "raters_rater": "project_id = {project}",
    "projects_question": "project_id = {project}",
    "projects_category": "question_id IN (SELECT id FROM projects_question WHERE project_id = {project})",
    "raters_label": "question_id IN (SELECT id FROM projects_question WHERE project_id = {project})",
}
# Added to each ID, so that the copied rows are rows of their own.
APART = 1_000_000_000
COLUMNS = """
SELECT column_name FROM information_schema.columns
WHERE table_name = %s AND is_generated = 'NEVER' AND table_schema = current_schema() ORDER BY ordinal_position
"""


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds by the clock, and of the processors for the program and its database process."""

    seconds: float
    processor: float


def run(results: Results, *, is_full: bool) -> None:
    User.objects.create_user("lena")
    took = {n: run_size(results, n_items=n) for n in (*SIZES, *((FULL_SIZE,) if is_full else ()))}
    for few, many in pairwise(took):
        exponent = log(took[many].processor / took[few].processor, many / few)
        what = f"growth of an import from {few * N_RATERS:,} to {many * N_RATERS:,} labels, exponent"
        results.at_most(what, exponent, goal=MOST_EXPONENT, unit="")
    measure_books(results)


def run_size(results: Results, *, n_items: int) -> Took:
    """What the worker takes to import so many items' labels, beside COPY."""
    n_labels = n_items * N_RATERS
    what = f"import of {n_labels:,} labels"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "labels.csv"
        write_file(path, n_items)
        name = f"ours-{n_items}"
        ours = Project.objects.create(name=name, slug=name)
        wait_for_quiet()
        found = by_worker(ours, path)
        assert Label.objects.filter(item__project=ours).count() == n_labels
        took = Took(*map(sum, zip(*worker_phases(found).values(), strict=True)))
        copied = by_copy(ours, Path(folder))
        results.within(f"{what}, against COPY", took.seconds, copied.seconds, goal=MOST_TIMES_COPY)
        results.within(
            f"{what}, processor time, against COPY", took.processor, copied.processor, goal=MOST_TIMES_COPY
        )
        results.at_most(f"{what}, memory of the process", found["megabytes"], goal=MOST_MEGABYTES, unit="MB")
        if n_labels > PREVIEWED:
            preview, check = (found["phases"][name][1] for name in (UPLOADING, CHECKING_ALL))
            which = f"upload and preview of {n_labels:,} labels, processor time, against checking all of them"
            results.within(which, preview, check, goal=MOST_OF_CHECK)
            measure_killed(results, path, n_labels)
        if n_items == min(SIZES):
            start = time.perf_counter()
            by_bulk_create(Project.objects.create(name="Rows", slug="rows"), path)
            of_rows = time.perf_counter() - start
            results.faster(f"{what}, against csv and bulk_create", took.seconds, of_rows, goal=GOAL)
    results.notes.append(f"{what.capitalize()}: {', '.join(phases_told(found))}.")
    slowest = "; ".join(f"{took:.1f} s {statement}" for statement, took in found["statements"])
    results.notes.append(f"Of that, the longest statements: {slowest}.")
    undone = by_undoing(ours.imports.get())
    which = f"undoing an {what}, processor time, against the import"
    results.within(which, undone.processor, took.processor, goal=MOST_OF_UNDOING)
    return took


def by_undoing(label_import: LabelImport) -> Took:
    backend = connection.connection.info.backend_pid
    start, worked = time.perf_counter(), processor_time(backend)
    undo_import(label_import, by=label_import.asked_by)
    return Took(time.perf_counter() - start, processor_time(backend) - worked)


def measure_killed(results: Results, path: Path, n_labels: int) -> None:
    """A command that is killed as soon as it writes, and started again, beside one that is left alone."""
    for name in ("whole", "killed"):
        Project.objects.create(name=name, slug=f"{name}-{n_labels}")
    whole, _ = by_command("import_labels", f"whole-{n_labels}", str(path), "--yes")
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "manage.py", "import_labels", f"killed-{n_labels}", str(path), "--yes"],
        cwd=BASE_DIR, env=_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    run = LabelImport.objects.filter(project__slug=f"killed-{n_labels}")
    while not run.filter(stage=WRITING).exists():
        time.sleep(0.1)
    process.kill()
    process.wait()
    killed = time.perf_counter() - began
    LabelImport.lose(run.get().pk)
    again, _ = by_command("import_labels", f"killed-{n_labels}", str(path), "--yes")
    assert Label.objects.filter(item__project__slug=f"killed-{n_labels}").count() == n_labels
    results.notes.append(
        f"An import of {n_labels:,} labels by command took {whole:.0f} s. Killed after {killed:.0f} s, as soon as it "
        f"wrote, and started again, it took another {again:.0f} s."
    )


def measure_books(results: Results) -> None:
    with tempfile.TemporaryDirectory() as folder:
        book = Path(folder) / "labels.xlsx"
        n_rows = write_book(book, max(SIZES))
        took, megabytes = by_command("import_labels", f"ours-{min(SIZES)}", str(book), "--check")
    what = f"reading of {n_rows:,} rows of XLSX"
    results.at_most(f"{what}, memory of the process", megabytes, goal=MOST_MEGABYTES, unit="MB")
    results.notes.append(f"{what.capitalize()} took {took:.0f} s.")


def worker_phases(found: Json) -> dict[str, list[float]]:
    """What the worker does, without the upload and its preview."""
    phases: dict[str, list[float]] = found["phases"]
    of_request = (UPLOADING, CHECKING_ALL, CONFIRMING)
    return {name: took for name, took in phases.items() if name not in of_request}


def phases_told(found: Json) -> Iterator[str]:
    for name, (took, processor) in found["phases"].items():
        yield f"{name.lower()} {took:.1f} s (processors {processor:.1f} s)"


def write_file(path: Path, n_items: int) -> None:
    chance = random.Random(1_960)
    with path.open("w") as file:
        file.write("item,rater,question,label\n")
        for item in range(n_items):
            for rater in range(N_RATERS):
                file.write(f"item-{item:06},rater-{rater:02},mood,{chance.choice(CATEGORIES)}\n")


def write_book(path: Path, n_items: int) -> int:
    """A tenth as many rows as labels of the file, in one sheet; returns their number."""
    chance = random.Random(1_961)
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    main = "http://schemas.openxmlformats.org"
    links = f"{main}/officeDocument/2006/relationships"
    relation = f'<Relationship Id="r1" Type="{links}/{{}}" Target="{{}}"/></Relationships>'
    relations = f'<Relationships xmlns="{main}/package/2006/relationships">' + relation
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as book:
        book.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{main}/package/2006/content-types">'
            f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/></Types>',
        )
        book.writestr("_rels/.rels", relations.format("officeDocument", "xl/workbook.xml"))
        book.writestr("xl/_rels/workbook.xml.rels", relations.format("worksheet", "worksheets/sheet1.xml"))
        sheets = '<sheets><sheet name="Labels" sheetId="1" r:id="r1"/></sheets>'
        book.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{main}/spreadsheetml/2006/main" xmlns:r="{links}">{sheets}</workbook>',
        )
        with book.open("xl/worksheets/sheet1.xml", "w") as sheet:
            sheet.write(f'<worksheet xmlns="{main}/spreadsheetml/2006/main"><sheetData>'.encode())
            sheet.write(_row_of("item", "rater", "question", "label"))
            for row in range(n_items):
                label = chance.choice(CATEGORIES)
                sheet.write(_row_of(f"page-{row // 10:06}", f"rater-{row % 10:02}", "mood", label))
            sheet.write(b"</sheetData></worksheet>")
    return n_items


def _row_of(*cells: str) -> bytes:
    texts = "".join(f'<c t="inlineStr"><is><t>{cell}</t></is></c>' for cell in cells)
    return f"<row>{texts}</row>".encode()


def by_copy(ours: Project, folder: Path, *, is_kept: bool = True) -> Took:
    """What COPY takes for all rows of the import, as rows of another project."""
    name = f"theirs-{ours.pk}"
    theirs = Project.objects.create(name=name, slug=name)
    columns = {}
    with connection.cursor() as cursor:
        for table, belongs in TABLES.items():
            cursor.execute(COLUMNS, [table])
            columns[table] = ", ".join(names := [name for (name,) in cursor.fetchall()])
            values = ", ".join(_value(table, name, theirs.pk) for name in names)
            query = f"COPY (SELECT {values} FROM {table} WHERE {belongs.format(project=ours.pk)}) TO STDOUT"
            with (folder / table).open("wb") as file, cursor.copy(query) as copy:
                for block in copy:
                    file.write(block)
    wait_for_quiet()
    backend = connection.connection.info.backend_pid
    start, worked = time.perf_counter(), processor_time(backend)
    with transaction.atomic(), connection.cursor() as cursor:
        for table in TABLES:
            with (
                (folder / table).open("rb") as file,
                cursor.copy(f"COPY {table} ({columns[table]}) FROM STDIN") as copy,
            ):
                while block := file.read(1024 * 1024):
                    copy.write(block)
        if not is_kept:
            # What a commit would check.
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            transaction.set_rollback(True)
    return Took(time.perf_counter() - start, processor_time(backend) - worked)


def _value(table: str, column: str, project: int) -> str:
    if column == "project_id":
        return str(project)
    of_ours = column == "id" or f"{table}.{column}" in _REFERENCES
    return f"{column} + {APART}" if of_ours else column


_REFERENCES = {
    "projects_category.question_id",
    "raters_label.item_id",
    "raters_label.question_id",
    "raters_label.rater_id",
    "raters_label.category_id",
}


def by_worker(project: Project, path: Path, *, checks_all: bool = True) -> Json:
    """What `import_by_worker` prints.

    checks_all: whether the check of all labels, which is no part of an import, is measured as well.
    """
    options = ["--check-all"] if checks_all else []
    command = [sys.executable, "-m", "tests.benchmarks.import_by_worker", project.slug, str(path), *options]
    found: Json = json.loads(_told(command).splitlines()[-1])
    return found


def by_command(*command: str) -> tuple[float, float]:
    """Seconds and peak megabytes of a command of manage.py, in a process of its own."""
    measured = (
        "import resource, subprocess, sys;"
        "done = subprocess.run([sys.executable, 'manage.py', *sys.argv[1:]]).returncode;"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(done)"
    )
    start = time.perf_counter()
    told = _told([sys.executable, "-c", measured, *command, "--by", "lena"])
    return time.perf_counter() - start, int(told.split()[-1]) / 1024


def _told(command: list[str]) -> str:
    """What a program prints that works on the scratch database."""
    return subprocess.run(
        command,
        cwd=BASE_DIR,
        env=_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
        text=True,
    ).stdout


def _environment() -> dict[str, str]:
    url = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{connection.settings_dict['NAME']}")
    return {
        **os.environ,
        "DATABASE_URL": urlunsplit(url),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "IMPORT_MAX_ROWS": "200000000",
        "IMPORT_MAX_BYTES": str(8 * 1024**3),
    }


def by_bulk_create(project: Project, path: Path) -> None:
    """As one would write it: names by bulk_create, then labels, 5,000 at a time, in one transaction."""
    with transaction.atomic():
        with path.open(newline="") as file:
            rows = csv.reader(file)
            next(rows)
            seen = [dict.fromkeys(column) for column in zip(*rows, strict=True)]
        items = Item.objects.bulk_create((Item(project=project, key=key) for key in seen[0]), 5_000)
        raters = Rater.objects.bulk_create(Rater(project=project, key=key) for key in seen[1])
        question = Question.objects.create(project=project, key=next(iter(seen[2])))
        categories = Category.objects.bulk_create(
            Category(question=question, key=key, position=place) for place, key in enumerate(seen[3])
        )
        item_of, rater_of, category_of = (
            {thing.key: thing.pk for thing in things} for things in (items, raters, categories)
        )
        with path.open(newline="") as file:
            rows = csv.reader(file)
            next(rows)
            while some := list(islice(rows, 5_000)):
                Label.objects.bulk_create(
                    Label(
                        item_id=item_of[item],
                        rater_id=rater_of[rater],
                        question=question,
                        category_id=category_of[label],
                    )
                    for item, rater, _, label in some
                )
