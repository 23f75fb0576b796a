"""The way in: a file of labels, beside the same by bulk_create: `python -m tests.benchmarks imports`.

Both begin with the file and end with the same committed rows, under all constraints and triggers of the labels.
"""

import csv
import os
import random
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from django.db import connection, transaction

from config.environment import BASE_DIR
from projects.models import Category, Item, Project, Question
from raters.models import Label, Rater
from tests.benchmarks.measuring import Results, wait_for_quiet

# Each with ten labels; the few are those of a run that is not to last.
N_ITEMS, FEW_ITEMS, N_RATERS = 100_000, 15_000, 10
CATEGORIES = ("positive", "neutral", "negative", "mixed", "none")
GOAL, MOST_SECONDS, MOST_MEGABYTES = 3.0, 60.0, 256.0


def run(results: Results, *, n_items: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "labels.csv"
        write_file(path, n_items)
        wait_for_quiet()
        ours, megabytes = by_command(path)
        assert Label.objects.filter(item__project__slug="ours").count() == n_items * N_RATERS
        project = Project.objects.create(name="Theirs", slug="theirs")
        wait_for_quiet()
        start = time.perf_counter()
        by_bulk_create(project, path)
        theirs = time.perf_counter() - start
        assert Label.objects.filter(item__project=project).count() == n_items * N_RATERS
    what = f"import of {n_items * N_RATERS:,} labels"
    results.faster(f"{what}, against csv and bulk_create", ours, theirs, goal=GOAL)
    results.at_most(f"{what}, time", ours, goal=MOST_SECONDS, unit="s")
    results.at_most(f"{what}, memory of the process", megabytes, goal=MOST_MEGABYTES, unit="MB")


def write_file(path: Path, n_items: int) -> None:
    chance = random.Random(1_960)
    with path.open("w") as file:
        file.write("item,rater,question,label\n")
        for item in range(n_items):
            for rater in range(N_RATERS):
                file.write(f"item-{item:06},rater-{rater:02},mood,{chance.choice(CATEGORIES)}\n")


def by_command(path: Path) -> tuple[float, float]:
    """Seconds and peak megabytes of manage.py import_labels, in a process of its own."""
    url = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{connection.settings_dict['NAME']}")
    command = ["import_labels", "ours", str(path), "--create-project", "Ours", "--yes"]
    measured = (
        "import resource, subprocess, sys;"
        "done = subprocess.run([sys.executable, 'manage.py', *sys.argv[1:]]).returncode;"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(done)"
    )
    start = time.perf_counter()
    told = subprocess.run(
        [sys.executable, "-c", measured, *command],
        cwd=BASE_DIR,
        env={**os.environ, "DATABASE_URL": urlunsplit(url), "DJANGO_SETTINGS_MODULE": "config.settings"},
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
