"""One ID through a request, the runs that it queues, and the log lines of the worker."""

import logging
import threading

import pytest
from django.urls import reverse

from config.logs import RequestIdFilter
from core.runs.lease import work_on
from core.web import request_ids
from projects.models import Membership, Project
from reports.models import Report
from reports.store.requests import request_report
from tests import cast
from tests.labeling import add_labels, new_question

ID = "9e4f5c22-3a57-4a8b-9b0e-2f0c4f8f6d11"


class Lines(logging.Handler):
    """Keeps each line as the log has it, from whichever thread."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(logging.Formatter("%(threadName)s%(request)s: %(message)s"))
        self.addFilter(RequestIdFilter())
        self.kept: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.kept.append(self.format(record))


@pytest.fixture
def lines():
    handler = Lines()
    logging.getLogger().addHandler(handler)
    yield handler.kept
    logging.getLogger().removeHandler(handler)


@pytest.fixture
def twice_labeled(project):
    add_labels(new_question(project, categories=("good", "bad")), [("i", "a", "good"), ("i", "b", "bad")])
    return project


def test_a_run_keeps_the_id_of_the_request_that_queued_it(client, twice_labeled):
    answer = client.post(
        f"/api/v1/projects/{twice_labeled.slug}/reports/", {}, content_type="application/json"
    )

    assert answer.status_code in {201, 202}, answer.content
    assert Report.objects.get().request_id == answer["X-Request-ID"]


def test_a_run_queued_once_more_has_the_id_of_that_request(twice_labeled, lead):
    report = Report.objects.create(
        project=twice_labeled, asked_by=lead, state=Report.State.FAILED, request_id="before"
    )

    with request_ids.resumed(ID):
        assert report.retry(by=lead)

    assert Report.objects.get().request_id == ID


def test_a_run_of_a_command_has_none(twice_labeled, lead):
    request_report(twice_labeled, by=lead)

    assert Report.objects.get().request_id == ""


@pytest.fixture
def committed_run(committed_db) -> Report:
    project: Project = cast.new_project("Followed", unique=True)
    lead = cast.member(project, Membership.Role.LEAD, username="lena", unique=True)
    return Report.objects.create(project=project, asked_by=lead, request_id=ID)


def test_each_line_of_a_worker_names_the_request(committed_run, lines, monkeypatch):
    heard = threading.Event()

    def looked(self):
        logging.getLogger("heartbeat").warning("looking")
        heard.set()
        return True

    monkeypatch.setattr(Report, "is_ours", looked)

    with work_on(Report, committed_run.pk) as lease:
        logging.getLogger("anything").warning("at work")
        assert heard.wait(60)
        lease.run.finish()
    logging.getLogger("anything").warning("afterwards")

    assert f"MainThread [{ID}]: report {committed_run.pk} started, attempt 1" in lines
    assert f"MainThread [{ID}]: at work" in lines
    assert f"heartbeat [{ID}]: looking" in lines
    assert "MainThread: afterwards" in lines


def test_what_a_worker_queues_belongs_to_the_same_request(committed_run):
    with work_on(Report, committed_run.pk) as lease:
        followed = Report.objects.create(project=lease.run.project)

    assert Report.objects.get(pk=followed.pk).request_id == ID


def test_a_run_that_fails_tells_the_id_to_report(committed_run, lines):
    with work_on(Report, committed_run.pk):
        raise ValueError("a bug")

    failure = Report.objects.get(pk=committed_run.pk).failure
    assert f"request ID {ID}" in failure
    assert [line for line in lines if "failed" in line and f"[{ID}]" in line]


@pytest.mark.signed_in("lead", raising=False)
def test_a_page_that_fails_shows_the_id_of_its_log_lines(client, project, lines, monkeypatch):
    monkeypatch.setattr("reports.results.queries.project_rows", None)

    answer = client.get(reverse("projects"))

    assert answer.status_code == 500
    assert answer["X-Request-ID"] in answer.content.decode()
    assert [line for line in lines if f"[{answer['X-Request-ID']}]" in line and "failed" in line]
