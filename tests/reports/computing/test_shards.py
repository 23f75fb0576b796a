"""A report on a question that is computed in shards, in this process; with real workers in tests/faults."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product

import pytest
from django.conf import settings
from django.db import OperationalError, connection

from projects.models import Project, Round
from raters.models import Label
from reports.agreement import blockwise, counting_dense
from reports.agreement.intervals import replicates
from reports.models import PairAgreement, Report, ReportShard
from reports.store import report as report_module
from reports.store import shards, sharing
from reports.store.verification import verify
from reports.tasks import compute_report, compute_shard
from tests.finished import finished_report
from tests.labeling import labeled_project
from tests.reports.numbers_and_sets import add_numbers, add_sets
from tests.sizes import only_in_full, size, some

N_ITEMS = size(40, 20)
METHODS = ["analytic", "percentile", "bca", "jackknife"]
# The last rater differs from the others.
NUMBERS = [[(i * 7 + r * (i % 3)) % 11 for r in range(4)] + [i % 5 + 9] for i in range(N_ITEMS)]
SETS = [["A" if (i + r) % 3 else "AB" if i % 2 else "C" for r in range(4)] + ["BC"] for i in range(N_ITEMS)]


@pytest.fixture
def choices(lead) -> Project:
    """Two rounds, of which the second leads."""
    project = labeled_project("Sharded", n_items=60)
    # One rater who differs from the others is a finding.
    labels = Label.objects.filter(rater__project=project, rater__key="rater-000")
    labels.update(category=project.questions.get().categories.get(key="bad"))
    for key, name in (("pilot", "__lt"), ("main", "__gte")):
        round_ = Round.objects.create(project=project, key=key)
        labels = Label.objects.filter(question__project=project, **{f"item__key{name}": "item-00020"})
        labels.update(round=round_)
    return project


@pytest.fixture
def all_shared(settings, monkeypatch) -> list[str]:
    """Whatever has several blocks is shared, and there are many blocks. Returns the work of each shard computed."""
    settings.RUN_SHARD_SECONDS = 1e-9
    monkeypatch.setattr(shards, "MIN_MEASURABLE_SECONDS", 0)
    monkeypatch.setattr(shards, "LEAST_READINGS", 0)
    monkeypatch.setattr(shards, "MOST_SHARDS", 5)
    make_small_blocks(monkeypatch)
    computed: list[str] = []
    finish = shards._finish

    def noting(lease, *args, **more) -> None:
        finish(lease, *args, **more)
        computed.append(lease.run.work)

    monkeypatch.setattr(shards, "_finish", noting)
    return computed


def make_small_blocks(monkeypatch) -> None:
    monkeypatch.setattr(replicates, "BLOCK_CELLS", 1 << 8)
    # Pairs of choices, one block for each of them.
    monkeypatch.setattr(counting_dense, "PANEL_COLUMNS", 1)


@contextmanager
def another_worker(monkeypatch, *, before=lambda: None) -> Iterator[list[int]]:
    """It computes all shards, and the worker of the report none. before: done before the first of them."""

    @contextmanager
    def taken(model, pk):
        yield None

    monkeypatch.setattr(sharing, "work_on", taken)
    stop, took = threading.Event(), []

    def work() -> None:
        try:
            while not stop.is_set():
                # Lost workers of other tests have left some of their reports.
                due = ReportShard.objects.due().filter(report=Report.objects.latest("pk"))
                for pk in due.values_list("pk", flat=True):
                    if not took:
                        before()
                    took.append(pk)
                    compute_shard(pk)
                stop.wait(0.02)
        finally:
            connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield took
    finally:
        stop.set()
        thread.join()


def again(report: Report) -> Report:
    """The same report, to be computed once more."""
    same = {name: getattr(report, name) for name in ("project", "scope", "options", "asked_by")}
    return Report.objects.create(**same)


def computed(report: Report) -> Report:
    compute_report(report.pk)
    report.refresh_from_db()
    return report


def figures(report: Report) -> object:
    """Every figure, to the last bit."""
    agreement = report.questions.get()
    pairs = PairAgreement.objects.filter(agreement=agreement).order_by("rater_a", "rater_b")
    columns = ("rater_a", "rater_b", "n", "counts", "figures", "kappa", "se", "ci_low", "ci_high", "reason")
    return repr(
        (report.digest, agreement.coefficients, agreement.statistics, list(pairs.values_list(*columns)))
    )


@pytest.mark.parametrize(("kind", "method"), some(product(["choices", "numbers", "sets"], METHODS), every=5))
def test_shards_give_the_figures_of_one_worker(request, lead, monkeypatch, kind, method):
    asked = request.getfixturevalue(kind)
    if kind == "numbers":
        add_numbers(asked, NUMBERS)
    if kind == "sets":
        add_sets(asked, SETS)
    project = asked if kind == "choices" else asked.project
    make_small_blocks(monkeypatch)
    alone = finished_report(project, lead, interval=method, replicates=1000)
    assert alone.state == Report.State.DONE
    assert alone.questions.get().statistics["findings"]["found"]

    done = request.getfixturevalue("all_shared")
    together = computed(again(alone))
    own = list(done)
    with another_worker(monkeypatch, before=lambda: change_a_label(project)) as took:
        apart = computed(again(alone))

    assert {"pairs", "findings"} <= set(done)
    assert len(took) >= len(own) > 5
    assert figures(apart) == figures(together) == figures(alone)
    assert verify(apart) == []
    assert not ReportShard.objects.filter(report__project=project).exists()


def test_what_is_too_large_to_send_is_computed_by_the_report(choices, lead, monkeypatch, request):
    alone = finished_report(choices, lead, interval="percentile", replicates=1000)
    request.getfixturevalue("all_shared")
    monkeypatch.setattr(blockwise, "MOST_BYTES", 50)

    together = computed(again(alone))

    assert together.state == Report.State.DONE
    assert figures(together) == figures(alone)


def change_a_label(project: Project) -> None:
    label = Label.objects.filter(question__project=project).latest("pk")
    nothing = {"category": None, "number": None, "category_set": None}
    Label.objects.filter(pk=label.pk).update(is_abstention=True, **nothing)


@only_in_full
def test_a_shard_reads_the_labels_as_they_were_when_the_report_started(
    choices, lead, monkeypatch, all_shared
):
    alone = finished_report(choices, lead, interval="percentile", replicates=1000)

    with another_worker(monkeypatch, before=lambda: change_a_label(choices)) as took:
        apart = computed(again(alone))

    assert took
    assert apart.state == Report.State.DONE
    assert figures(apart) == figures(alone)
    assert verify(apart) == []


@pytest.mark.parametrize("is_changed", some([True, False], every=2))
def test_a_lost_worker_costs_only_the_shards_it_had_not_finished(
    choices, lead, monkeypatch, all_shared, is_changed
):
    alone = finished_report(choices, lead, interval="percentile", replicates=1000)
    n_shards = len(all_shared)
    all_shared.clear()
    report = again(alone)
    with monkeypatch.context() as patch:
        patch.setattr(sharing, "_share_left", until_three_are_done(all_shared, sharing._share_left))
        compute_report(report.pk)
    report.refresh_from_db()
    assert report.state == Report.State.QUEUED
    assert ReportShard.objects.filter(report=report, state="done").count() == 3
    if is_changed:
        change_a_label(choices)
    computed(report)

    assert report.state == Report.State.DONE
    assert len(all_shared) == n_shards
    assert figures(report) == figures(alone)
    assert verify(report) == []


def until_three_are_done(finished: list[str], share_left):
    """The database goes away then."""

    def share(*args) -> float:
        if len(finished) == 3:
            raise OperationalError
        return share_left(*args)

    return share


def test_a_shard_that_fails_fails_its_report_with_its_reason(choices, lead, monkeypatch, all_shared):
    report = again(finished_report(choices, lead, interval="percentile", replicates=1000))
    monkeypatch.setattr(
        ReportShard, "finish", lambda self, **results: self.fail("Too little memory.") and False
    )

    computed(report)

    assert (report.state, report.failure) == (Report.State.FAILED, "Too little memory.")
    assert not report.shards.exists()
    assert not report.questions.exists()


def cut(report: Report, **more) -> ReportShard:
    asked = {"question": report.project.questions.get(), "digest": "", "counted": [], "work": "draws"}
    return ReportShard.objects.create(report=report, first=1, last=2, **asked, **more)


def test_a_canceled_report_has_no_shards(choices, lead):
    report = again(finished_report(choices, lead))
    report.claim()
    cut(report)

    assert report.cancel()

    assert not report.shards.exists()


def test_a_worker_of_another_version_leaves_shards_alone(choices, lead):
    report = again(finished_report(choices, lead))
    Report.objects.filter(pk=report.pk).update(code_version="0.0.1")
    shard = cut(report)

    compute_shard(shard.pk)
    compute_shard(shard.pk + 1)

    shard.refresh_from_db()
    assert (shard.state, shard.attempt) == (ReportShard.State.QUEUED, 0)


def test_shards_of_another_version_are_not_used(choices, lead):
    report = again(finished_report(choices, lead))
    Report.objects.filter(pk=report.pk).update(code_version="0.0.1", attempt=2)
    shard = cut(report, state=ReportShard.State.DONE, result=b"")
    report.refresh_from_db()

    assert not sharing.is_resumed(report)
    assert not ReportShard.objects.filter(pk=shard.pk).exists()
    computed(report)

    assert (report.state, report.code_version) == (Report.State.DONE, settings.VERSION)


def test_a_question_computes_each_work_once(choices, lead, monkeypatch, all_shared):
    """The key of a work identifies it within a question."""
    keys = []
    compute = shards.SharedWork.__call__

    def noting(self, work, report_progress):
        keys.append(work.key)
        return compute(self, work, report_progress)

    monkeypatch.setattr(shards.SharedWork, "__call__", noting)
    finished_report(choices, lead, interval="bca", replicates=1000, weights="quadratic")

    assert len(keys) == len(set(keys)) > 10


def test_shards_of_other_labels_are_replaced(choices, lead, monkeypatch, all_shared):
    """An earlier attempt read other labels, and left shards of them."""
    alone = finished_report(choices, lead, interval="percentile", replicates=1000)
    n_shards = len(all_shared)
    all_shared.clear()
    report = again(alone)
    with monkeypatch.context() as patch:
        patch.setattr(sharing, "_share_left", until_three_are_done(all_shared, sharing._share_left))
        compute_report(report.pk)
    all_shared.clear()
    assert report.shards.update(digest="other") > 3

    computed(report)

    assert (report.state, report.attempt) == (Report.State.DONE, 2)
    assert len(all_shared) == n_shards
    assert figures(report) == figures(alone)


def test_a_worker_whose_report_was_taken_over_starts_no_shards(choices, lead, monkeypatch, all_shared):
    report = again(finished_report(choices, lead, interval="percentile", replicates=1000))
    all_shared.clear()
    cut_shards = sharing.WorkSharing.cut

    def taken_over(self, parts):
        cut_shards(self, parts)
        Report.objects.filter(pk=report.pk).update(attempt=2)

    monkeypatch.setattr(sharing.WorkSharing, "cut", taken_over)
    compute_report(report.pk)

    assert all_shared == []
    assert set(report.shards.values_list("state", "attempt")) == {("queued", 0)}


def test_rows_are_copied_for_as_long_as_the_run_may_take(choices, lead, monkeypatch):
    allowed = []
    may_take = report_module.statements_may_take

    def noting(seconds):
        allowed.append(seconds)
        return may_take(seconds)

    monkeypatch.setattr(report_module, "statements_may_take", noting)
    report = finished_report(choices, lead)

    assert (report.state, allowed) == (Report.State.DONE, [report.seconds_allowed])


def test_the_time_of_a_statement_is_set_back(db):
    def shown() -> str:
        cursor.execute("SHOW statement_timeout")
        return cursor.fetchone()[0]

    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = '50s'")
        with report_module.statements_may_take(7200):
            within = shown()

        assert (within, shown()) == ("2h", "50s")
