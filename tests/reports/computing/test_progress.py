"""The progress of a report while it is computed: forwards only, to the end, in stages."""

import pytest

from core.runs.lease import Lease
from raters.models import FinalEstimate, StoredFigures, label_runs
from reports.agreement.progress_callbacks import part_of
from reports.models import OnDemandFigures, ReportShard
from tests.finished import finished_report
from tests.labeling import labeled_project, new_question
from tests.reports.looking import led_by
from tests.reports.numbers_and_sets import add_numbers


@pytest.fixture
def recorded(monkeypatch):
    """The stages and shares that are recorded, in their order."""
    found: list[tuple[str, float]] = []
    report_progress = Lease.report_progress

    def recording(self, stage, share):
        found.append((stage, share))
        report_progress(self, stage, share)

    monkeypatch.setattr(Lease, "report_progress", recording)
    return found


@pytest.mark.parametrize("options", [{}, {"interval": "bca", "replicates": 1000}, {"interval": "jackknife"}])
def test_the_share_done_only_grows(recorded, lead, options):
    project = led_by(lead, labeled_project("Shares", n_items=30, n_raters=3))
    numbers = new_question(project, key="score", categories=(), kind="number", level="interval")
    add_numbers(numbers, [[1, 2], [2, 3], [4, 4]])

    finished_report(project, lead, **options)

    shares = [share for _, share in recorded]
    assert shares == sorted(shares)
    assert shares[-1] <= 1
    assert list(dict.fromkeys(stage for stage, _ in recorded)) == [
        f"{stage} {question}"
        for question in ("answer", "score")
        for stage in ("Reading", "Storing labels of", "Comparing raters on", "Computing statistics of")
    ]


def test_replicates_are_recorded_block_by_block(recorded, lead):
    project = led_by(lead, labeled_project("Shares", n_items=30, n_raters=3))

    finished_report(project, lead, interval="percentile", replicates=1000, weights="unweighted")

    figures = [share for stage, share in recorded if stage == "Computing statistics of answer"]
    assert len(set(figures)) >= 4
    assert figures[0] == pytest.approx(0.2)


def test_a_part_of_the_work_is_a_share_of_the_whole():
    found: list[float] = []

    part_of(found.append, 0.5, 0.75)(0.5)
    part_of(None, 0, 1)(1)

    assert found == [0.625]


def test_runs_on_a_project_with_many_labels_may_take_longer(lead, settings, monkeypatch):
    project = led_by(lead, labeled_project("Long", n_items=10, n_raters=3))
    labeled_project("Other", n_items=10, n_raters=3)
    report = finished_report(project, lead)
    agreement = report.questions.get()
    shard = ReportShard.objects.create(
        report=report, question_id=agreement.question_id, counted=[], work="pairs", first=0, last=1
    )
    figures = StoredFigures.objects.create(project=project, what=StoredFigures.What.PROGRESS, asked={})
    beside = OnDemandFigures.objects.create(agreement=agreement, what=OnDemandFigures.What.SUBGROUPS)
    estimate = FinalEstimate.objects.create(question_id=agreement.question_id, rule="dawid_skene")
    counted: list[int] = []

    def expecting(labels) -> int:
        counted.append(labels.count())
        return 50_000

    monkeypatch.setattr(label_runs, "expected_rows", expecting)

    allowed = [run.seconds_allowed for run in (report, shard, figures, beside, estimate)]

    assert allowed == [settings.CELERY_TASK_SOFT_TIME_LIMIT + 5] * 5
    assert counted == [agreement.n_labels + agreement.n_abstentions] * 5
