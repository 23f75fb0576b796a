"""The way in: a file of labels, beside a plain COPY of the same rows: `python -m tests.benchmarks imports [--tenth]`.

Both end with the same committed rows, under all constraints and triggers. COPY begins with the rows as the tables hold
them, and the import with the file. Of the few, the same by csv and bulk_create is measured, too.
"""

import csv
import os
import random
import subprocess
import sys
import tempfile
import time
import zipfile
from itertools import islice
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from django.db import connection, transaction

from config.environment import BASE_DIR
from projects.models import Category, Item, Project, Question
from raters.models import Label, LabelImport, Rater, User
from tests.benchmarks.measuring import Results, wait_for_quiet

# Each with ten labels: ten million, a tenth of that, and the few of a run that is not to last.
N_ITEMS, TENTH_ITEMS, FEW_ITEMS, N_RATERS = 1_000_000, 100_000, 15_000, 10
CATEGORIES = ("positive", "neutral", "negative", "mixed", "none")
GOAL, MOST_TIMES_COPY, MOST_MEGABYTES = 3.0, 4.0, 512.0
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


def run(results: Results, *, n_items: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "labels.csv"
        write_file(path, n_items)
        wait_for_quiet()
        n_labels = n_items * N_RATERS
        what = f"import of {n_labels:,} labels"
        User.objects.create_user("lena")
        ours, megabytes = by_command("import_labels", "ours", str(path), "--create-project", "Ours", "--yes")
        assert Label.objects.filter(item__project__slug="ours").count() == n_labels
        copied = by_copy(Project.objects.get(slug="ours"), Path(folder))
        # COPY found tables that were filled before: so does the import, the second time.
        wait_for_quiet()
        again, _ = by_command("import_labels", "again", str(path), "--create-project", "Again", "--yes")
        assert Label.objects.count() == 3 * n_labels
        results.notes.append(f"The {what} took {ours:.0f} s before COPY, and {again:.0f} s after it.")
        ours = max(ours, again)
        results.within(f"{what}, against COPY of its rows", ours, copied, goal=MOST_TIMES_COPY)
        results.at_most(f"{what}, memory of the process", megabytes, goal=MOST_MEGABYTES, unit="MB")
        if n_items <= FEW_ITEMS:
            start = time.perf_counter()
            by_bulk_create(Project.objects.create(name="Rows", slug="rows"), path)
            results.faster(
                f"{what}, against csv and bulk_create", ours, time.perf_counter() - start, goal=GOAL
            )
        book = Path(folder) / "labels.xlsx"
        n_rows = write_book(book, n_items)
        took, megabytes = by_command("import_labels", "ours", str(book), "--check")
        what = f"reading of {n_rows:,} rows of XLSX"
        results.at_most(f"{what}, memory of the process", megabytes, goal=MOST_MEGABYTES, unit="MB")
        results.notes.append(f"{what.capitalize()} took {took:.0f} s.")
        undone, _ = by_command("undo_import", str(LabelImport.objects.latest("id").pk))
        results.notes.append(f"Undoing the import of {n_labels:,} labels took {undone:.0f} s.")


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


def by_copy(ours: Project, folder: Path) -> float:
    """Seconds that COPY takes for all rows of the import, as rows of another project."""
    theirs = Project.objects.create(name="Theirs", slug="theirs")
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
    start = time.perf_counter()
    with transaction.atomic(), connection.cursor() as cursor:
        for table in TABLES:
            with (
                (folder / table).open("rb") as file,
                cursor.copy(f"COPY {table} ({columns[table]}) FROM STDIN") as copy,
            ):
                while block := file.read(1024 * 1024):
                    copy.write(block)
    return time.perf_counter() - start


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


def by_command(*command: str) -> tuple[float, float]:
    """Seconds and peak megabytes of a command of manage.py, in a process of its own."""
    url = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{connection.settings_dict['NAME']}")
    measured = (
        "import resource, subprocess, sys;"
        "done = subprocess.run([sys.executable, 'manage.py', *sys.argv[1:]]).returncode;"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(done)"
    )
    start = time.perf_counter()
    told = subprocess.run(
        [sys.executable, "-c", measured, *command, "--by", "lena"],
        cwd=BASE_DIR,
        env={
            **os.environ,
            "DATABASE_URL": urlunsplit(url),
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "IMPORT_MAX_ROWS": "20000000",
            "IMPORT_MAX_BYTES": str(4 * 1024**3),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
        text=True,
    ).stdout
    return time.perf_counter() - start, int(told.split()[-1]) / 1024


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
