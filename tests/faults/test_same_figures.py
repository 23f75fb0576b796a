"""The same labels give the same figures, whoever computes them and whatever happens meanwhile (promise P13)."""

import random
import threading
from collections.abc import Iterator

import pytest
from django.db import connection
from pytest_django import DjangoDbBlocker

from projects.models import Category, Project
from raters.models import Label, Rater
from reports.models import PairAgreement, Report
from reports.store.requests import request_report
from reports.store.verification import verify
from tests import cast
from tests.faults.arena import Arena, open_arena
from tests.labeling import add_labels, keyed, labeled_project, new_question
from tests.live import wait_until
from tests.sizes import FULL, only_in_full

pytestmark = [pytest.mark.faults, pytest.mark.timeout(600)]

CATEGORIES = ("good", "fair", "bad")


@pytest.fixture(scope="module")
def dispatching_arena(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Arena]:
    with django_db_blocker.unblock(), open_arena() as opened:
        opened.start_dispatcher()
        yield opened


def keep_changing_labels(project: Project, *, seed: int, until: threading.Event) -> None:
    chance = random.Random(seed)
    labels = list(Label.objects.filter(question__project=project).values_list("pk", flat=True))
    categories = list(Category.objects.filter(question__project=project))
    try:
        while not until.is_set():
            Label.objects.filter(pk=chance.choice(labels)).update(category=chance.choice(categories))
    finally:
        connection.close()


@only_in_full
def test_a_report_computed_among_writers_can_be_computed_again_to_the_last_bit(dispatching_arena):
    lead, project = cast.person("lena", unique=True), labeled_project("slow writers", n_items=200)
    worker = dispatching_arena.start_worker(FAULT_SLOW_SECONDS="2" if FULL else "1")
    enough = threading.Event()
    writers = [
        threading.Thread(target=keep_changing_labels, args=[project], kwargs={"seed": n, "until": enough})
        for n in range(50)
    ]
    for writer in writers:
        writer.start()
    try:
        reports = []
        for _ in range(5 if FULL else 2):
            asked = request_report(project, by=lead)
            wait_until(lambda pk=asked.pk: Report.objects.get(pk=pk).is_final)
            reports.append(Report.objects.get(pk=asked.pk))
    finally:
        enough.set()
        for writer in writers:
            writer.join()
        dispatching_arena.stop_worker(worker)

    assert (
        len({report.pk for report in reports}) == len({report.digest for report in reports}) == len(reports)
    )
    assert [verify(report) for report in reports] == [[]] * len(reports)


def figures(report: Report) -> tuple[object, ...]:
    """Every figure, with raters by name, so that reports of two projects can be compared."""
    names = (
        "rater_a__key",
        "rater_b__key",
        "n",
        "counts",
        "observed",
        "expected",
        "kappa",
        "se",
        "kappa_max",
    )
    pairs = PairAgreement.objects.filter(agreement__report=report).values_list(*names)
    agreement = report.questions.get()
    return sorted(pairs), agreement.coefficients, agreement.statistics


def shuffled_copy(project: Project, *, seed: int) -> Project:
    question = project.questions.get()
    rows = list(question.labels.order_by("pk").values_list("item__key", "rater__key", "category__key"))
    random.Random(seed).shuffle(rows)
    copy = cast.new_project("shuffled", unique=True)
    # The same raters in the same order: which of a pair is rater A is no matter of the rows of labels.
    keyed(Rater, copy, sorted({rater for _, rater, _ in rows}))
    add_labels(new_question(copy, categories=CATEGORIES), rows)
    return copy


@only_in_full
def test_shuffled_rows_and_any_number_of_processes_give_equal_figures(dispatching_arena):
    lead, first = cast.person("lena", unique=True), labeled_project("ordered", n_items=150, n_raters=7)
    projects = [first, *(shuffled_copy(first, seed=seed) for seed in range(3 if FULL else 1))]
    half = len(projects) // 2
    found = []
    for concurrency, those in [(1, projects[:half]), (8 if FULL else 2, projects[half:])]:
        worker = dispatching_arena.start_worker(concurrency=concurrency)
        for project in those:
            asked = request_report(project, by=lead)
            wait_until(lambda pk=asked.pk: Report.objects.get(pk=pk).is_final)
            found.append(figures(Report.objects.get(pk=asked.pk)))
        dispatching_arena.stop_worker(worker)

    assert len(found[0][0]) == 21
    assert all(figure == found[0] for figure in found)


@only_in_full
def test_two_clicks_at_once_ask_for_one_report(dispatching_arena):
    lead, project = cast.person("lena", unique=True), labeled_project("clicked")
    asked = []

    def click() -> None:
        try:
            asked.append(request_report(project, by=lead).pk)
        finally:
            connection.close()

    clicks = [threading.Thread(target=click) for _ in range(20)]
    for one in clicks:
        one.start()
    for one in clicks:
        one.join()

    assert len(asked) == 20
    assert len(set(asked)) == 1
