"""The command line of the benchmarks."""

import argparse
import os
import platform
from contextlib import nullcontext
from datetime import UTC, datetime

import django
import numpy as np
import pandas as pd
import psycopg
import scipy
import sklearn
import statsmodels
from django.db import connection

from tests import services
from tests.benchmarks import (
    counting,
    crowd,
    database,
    growing,
    growth,
    hosts,
    imports,
    labeling,
    large_exports,
    large_pages,
    pages,
    saving,
    shards,
    statistics,
)
from tests.benchmarks.measuring import Results
from tests.benchmarks.workloads import WORKLOADS, labels_of

DEFAULT = ["a1", "a2", "b", "d"]
FULL = ["a1", "a2", "a2m", "a3", "b", "c", "d"]
# These stand among the names of the workloads, with labels of their own.
IMPORTS, PAGES, FILTERS, LABELING = "imports", "pages", "filters", "labeling"
SAVING, CROWD, SHARDS, HOSTS, LARGE, EXPORTS = "saving", "crowd", "shards", "hosts", "large", "exports"
GROWING, GROWING_REPORTS, GROWING_COPY = "growing", "growing-reports", "growing-copy"
# Labels of the project whose pages are measured, with --full and without.
LARGEST, LARGER = 10_000_000, 1_000_000
OTHERS = (
    statistics.COEFFICIENTS,
    statistics.BOOTSTRAP,
    IMPORTS,
    PAGES,
    FILTERS,
    LABELING,
    SAVING,
    CROWD,
    SHARDS,
    HOSTS,
    LARGE,
    EXPORTS,
    GROWING,
    GROWING_REPORTS,
    GROWING_COPY,
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks")
    parser.add_argument(
        "workloads", nargs="*", metavar="workload", help=f"default: {' '.join((*DEFAULT, *OTHERS))}"
    )
    parser.add_argument(
        "--full", action="store_true", help="all workloads and the slowest peers; half an hour"
    )
    parser.add_argument("--no-database", action="store_true", help="only what needs no Postgres")
    given = parser.parse_args()
    if unknown := set(given.workloads) - {*WORKLOADS, *OTHERS}:
        there_are = ", ".join((*WORKLOADS, *OTHERS))
        parser.error(f"no such workload: {', '.join(sorted(unknown))}; there are {there_are}")
    asked = given.workloads or [*(FULL if given.full else DEFAULT), *OTHERS]
    names = [name for name in asked if name not in OTHERS]
    results = Results()
    if not given.no_database:
        services.ensure_started()
    with nullcontext() if given.no_database else database.scratch_database():
        if not given.no_database:
            database.lighten_labels()
            results.notes.append(f"PostgreSQL {server_version()}.")
        for name in names:
            load, labels = WORKLOADS[name], labels_of(WORKLOADS[name])
            counting.run(load, labels, results)
            if not given.no_database:
                database.run(load, labels, results, is_full=given.full)
    if "b" in names:
        growth.run(results)
    if statistics.COEFFICIENTS in asked:
        statistics.run_coefficients(results)
    if statistics.BOOTSTRAP in asked:
        statistics.run_bootstrap(results, is_full=given.full)
    if IMPORTS in asked and not given.no_database:
        with database.scratch_database():
            imports.run(results, is_full=given.full)
    if PAGES in asked and not given.no_database:
        with database.scratch_database():
            pages.run(results)
    if FILTERS in asked and not given.no_database:
        with database.scratch_database():
            pages.run_filters(results)
    if LABELING in asked and not given.no_database:
        with database.scratch_database():
            labeling.run(results)
    if SAVING in asked and not given.no_database:
        with database.scratch_database():
            saving.run(results)
    if CROWD in asked and not given.no_database:
        with database.scratch_database():
            crowd.run(results, is_full=given.full)
    if SHARDS in asked and not given.no_database:
        with database.scratch_database():
            database.lighten_labels()
            shards.run(results)
    if HOSTS in asked and not given.no_database:
        with database.scratch_database():
            hosts.run(results)
    if LARGE in asked and not given.no_database:
        with database.scratch_database():
            large_pages.run(results, n_labels=LARGEST if given.full else LARGER)
    if EXPORTS in asked and not given.no_database:
        with database.scratch_database():
            large_exports.run(results)
    for name, run in (
        (GROWING, growing.run),
        (GROWING_REPORTS, growing.run_reports),
        (GROWING_COPY, growing.run_copy),
    ):
        if name in asked and not given.no_database:
            took = {}
            for n_labels in (*growing.SIZES, *((growing.FULL_SIZE,) if given.full else ())):
                with database.scratch_database():
                    took[n_labels] = run(results, n_labels=n_labels)
            growing.tell_growth(results, took)
    print(f"\n{machine()}\n\n{results.markdown()}")
    return 0


def server_version() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        return str(cursor.fetchone()[0])


def machine() -> str:
    versions = ", ".join(
        f"{module.__name__} {module.__version__}"
        for module in (np, scipy, psycopg, django, pd, sklearn, statsmodels)
        if hasattr(module, "__version__")
    )
    python = f"Python {platform.python_version()}"
    return f"{datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} × {platform.machine()}, {python}, {versions}"
