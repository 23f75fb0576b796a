"""A report that is computed in shards has the same figures, once, whatever dies meanwhile."""

import re
from collections.abc import Iterator
from itertools import product

import pytest
from pytest_django import DjangoDbBlocker

from config.supervisor.children import Child
from projects.models import Question
from reports.agreement.intervals import replicates
from reports.models import Report, ReportShard
from reports.store.verification import verify
from tests import cast
from tests.faults.arena import Arena, open_arena
from tests.faults.test_runs import all_final, results, states
from tests.labeling import add_labels, labeled_project, new_question
from tests.live import wait_until
from tests.reports.numbers_and_sets import add_numbers
from tests.sizes import FULL, only_in_full, some

pytestmark = [pytest.mark.faults, pytest.mark.timeout(600)]

BLOCK_CELLS = 1 << 9


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    monkeypatch.setattr(replicates, "BLOCK_CELLS", BLOCK_CELLS)


@pytest.fixture(scope="module")
def sharing_arena(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Arena]:
    """Two workers of two processes, which share whatever has several blocks."""
    shared = {
        "RUN_SHARD_SECONDS": "0.001",
        "FAULT_BLOCK_CELLS": str(BLOCK_CELLS),
        "FAULT_SLOW_SECONDS": "0.5",
    }
    with django_db_blocker.unblock(), open_arena() as opened:
        opened.start_dispatcher()
        opened.start_worker(**shared)
        opened.start_worker(**shared)
        yield opened


@pytest.fixture
def shared_report(sharing_arena: Arena, request: pytest.FixtureRequest) -> Report:
    """A report in shards of half a second each, the fault of the word "slow": of replicates, pairs, or questions."""
    what = getattr(request, "param", "replicates")
    # In a question with few items, no rater is left out, so that there is nothing to share within it.
    project = labeled_project("slow shards", n_items=12 if what == "questions" else 30)
    keys, options = ["answer"], {"interval": "percentile", "replicates": 1000}
    if what == "pairs":
        keys, options = ["score"], {}
        score = new_question(project, key="score", categories=(), kind=Question.Kind.NUMBER, level="interval")
        add_numbers(score, [[item * 7 % 11 + rater * item % 3 for rater in range(12)] for item in range(15)])
    if what == "questions":
        keys, options = ["answer", *(f"more-{n}" for n in range(9))], {}
        rows = list(project.questions.get().labels.values_list("item__key", "rater__key", "category__key"))
        for key in keys[1:]:
            add_labels(new_question(project, key=key, categories=("good", "fair", "bad")), rows)
    scope = {"questions": keys, "rounds": None}
    lead = cast.person("lena", unique=True)
    made = Report.objects.create(project=project, asked_by=lead, scope=scope, options=options)
    made.notify()
    wait_until(lambda: finished(made, least=3))
    return made


def finished(report: Report, *, least: int = 0) -> list[int]:
    done = list(ReportShard.objects.filter(report=report, state="done").values_list("pk", flat=True))
    return done if len(done) >= least else []


def starts(worker: Child) -> list[int]:
    """The shards that a worker started, since it was started itself."""
    return [int(pk) for pk in re.findall(r"report shard (\d+) started", worker.output())]


def holder(arena: Arena, report: Report) -> Child:
    """The worker that has the report itself."""
    return next(worker for worker in arena.workers if f"report {report.pk} started" in worker.output())


def assert_same_figures(arena: Arena, report: Report) -> None:
    """The figures are those of one process, once."""
    arena.wait(all_final, [report.pk])
    report.refresh_from_db()
    assert states([report.pk]) == ["done"], report.failure
    assert verify(report) == []
    assert not ReportShard.objects.filter(report=report).exists()
    assert report.questions.count() == len(report.scope["questions"])


@only_in_full
def test_two_workers_share_a_report(sharing_arena, shared_report):
    sharing_arena.wait(all_final, [shared_report.pk])

    first, second = (set(starts(worker)) for worker in sharing_arena.workers)
    assert first
    assert second
    assert not first & second
    assert_same_figures(sharing_arena, shared_report)


@pytest.mark.parametrize(
    ("shared_report", "whose"),
    some(product(["replicates", "pairs", "questions"], ["shards only", "the report"]), every=6),
    indirect=["shared_report"],
)
def test_a_killed_worker_costs_its_shards_only(sharing_arena, shared_report, whose):
    has_report = holder(sharing_arena, shared_report)
    victim = next(each for each in sharing_arena.workers if (each is has_report) == (whose == "the report"))

    other = next(each for each in sharing_arena.workers if each is not victim)
    done, n_before = set(finished(shared_report)), len(starts(other))
    sharing_arena.restart_worker(victim)

    assert_same_figures(sharing_arena, shared_report)
    # The killed one was started, and so is what it says.
    assert not done & {*starts(victim), *starts(other)[n_before:]}


@only_in_full
@pytest.mark.parametrize("n", range(3 if FULL else 1))
def test_shards_survive_an_emptied_broker(sharing_arena, shared_report, n):
    sharing_arena.restart_broker()

    assert_same_figures(sharing_arena, shared_report)


@only_in_full
@pytest.mark.parametrize("n", range(3))
def test_shards_survive_a_restart_of_postgres(sharing_arena, shared_report, n):
    sharing_arena.restart_postgres()

    assert_same_figures(sharing_arena, shared_report)


@only_in_full
def test_a_canceled_report_leaves_no_shards(sharing_arena, shared_report):
    assert shared_report.cancel()

    assert not ReportShard.objects.filter(report=shared_report).exists()
    # Its workers take the next one.
    project = labeled_project("next", n_items=10)
    later = Report.objects.create(project=project, asked_by=shared_report.asked_by, scope=shared_report.scope)
    later.notify()
    sharing_arena.wait(all_final, [later.pk])
    assert (states([shared_report.pk]), states([later.pk])) == (["cancelled"], ["done"])
    assert not shared_report.questions.exists()


@only_in_full
def test_reports_at_once_share_the_workers(sharing_arena, shared_report):
    same = {name: getattr(shared_report, name) for name in ("project", "scope", "options", "asked_by")}
    others = [Report.objects.create(**same) for _ in range(3)]
    others[0].notify()
    pks = [shared_report.pk, *(other.pk for other in others)]

    sharing_arena.wait(all_final, pks)

    assert states(pks) == ["done"] * 4
    assert len({repr(results(pk)) for pk in pks}) == 1
