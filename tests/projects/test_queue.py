"""How many runs may wait, of one project and of one person; whichever way they are asked for."""

import pytest
from django.urls import reverse

from core.runs.ledger import QueueFull
from projects.models import Membership
from raters.imports.actions import confirm, upload
from raters.imports.label_options import LabelOptions
from raters.models import LabelImport
from reports.models import OnDemandFigures, QuestionAgreement, Report
from reports.store.on_demand import ask_for
from reports.store.requests import request_report
from tests import cast
from tests.files import GOOD
from tests.labeling import add_labels, labeled_project, new_question
from tests.sizes import only_in_full
from tests.together import at_once

MOST = 3


@pytest.fixture
def few(settings):
    """Three of a project and three of a person, so that a test need not ask for twenty."""
    settings.RUN_MAX_WAITING_PER_PROJECT = settings.RUN_MAX_WAITING_PER_PERSON = MOST


@pytest.fixture
def busy(project):
    """The project, with a question and labels to compute a report of."""
    add_labels(new_question(project, categories=("good", "bad")), [("i", "a", "good"), ("i", "b", "bad")])
    return project


def ask(project, by, n):
    """One of several reports, all of them different."""
    return request_report(project, by=by, confidence=0.85 + n / 100)


def fill(project, by):
    for n in range(MOST):
        ask(project, by, n)


def a_report(project, by):
    ask(project, by, MOST)


def an_import(project, by):
    confirm(upload(project, "labels.csv", [GOOD], LabelOptions(), by=by), by=by)


def figures_on_demand(project, by):
    report = Report.objects.create(project=project, asked_by=by, state=Report.State.DONE)
    question = project.questions.get()
    results = {"categories": [], "raters": [], "coefficients": {}}
    results |= dict.fromkeys(["n_raters", "n_items", "n_labels", "n_pairs"], 0)
    agreement = QuestionAgreement.objects.create(report=report, question=question, **results)
    ask_for(agreement, OnDemandFigures.What.SIDES, {"first": "a", "second": "b"}, by=by)


def another_try(project, by):
    Report.objects.create(project=project, asked_by=by, state=Report.State.FAILED).retry(by=by)


WAYS = [a_report, an_import, figures_on_demand, another_try]


@pytest.mark.parametrize("way", WAYS)
def test_no_way_into_the_queue_goes_past_the_limit_of_a_project(few, busy, lead, auditor, way):
    fill(busy, auditor)

    with pytest.raises(QueueFull, match="This project already has 3 "):
        way(busy, lead)

    assert not waiting(lead)


@pytest.mark.parametrize("way", WAYS)
def test_no_way_into_the_queue_goes_past_the_limit_of_a_person(few, busy, lead, way):
    fill(labeled_project("another"), lead)

    with pytest.raises(QueueFull, match="You already have 3 "):
        way(busy, lead)

    assert len(waiting(lead)) == MOST


@pytest.mark.parametrize("way", WAYS)
def test_each_way_into_the_queue_is_open_to_others(few, settings, busy, lead, way):
    settings.RUN_MAX_WAITING_PER_PROJECT = MOST + 1
    fill(busy, cast.person("busy"))

    way(busy, lead)

    assert len(waiting(lead)) == 1


def waiting(by) -> list[object]:
    kinds = (Report, OnDemandFigures, LabelImport)
    return [run for kind in kinds for run in kind.objects.filter(asked_by=by, state="queued")]


def test_a_run_that_has_started_waits_no_more(few, busy, lead):
    fill(busy, lead)
    Report.objects.first().claim()

    assert ask(busy, lead, MOST).state == Report.State.QUEUED


def test_what_waits_already_is_found_all_the_same(few, busy, lead):
    fill(busy, lead)

    assert ask(busy, lead, 0) == Report.objects.last()


def test_the_machine_is_nobody_and_has_no_limit_of_its_own(few, settings, busy):
    settings.RUN_MAX_WAITING_PER_PROJECT = MOST + 1
    fill(busy, None)

    assert ask(busy, None, MOST).state == Report.State.QUEUED


def test_a_program_is_answered_429_and_when_to_try_again(few, busy):
    lead = cast.member(busy, Membership.Role.LEAD, username="lea")
    fill(busy, lead)

    path, wanted = reverse("api_reports", args=[busy.slug]), {"confidence": 0.99}
    answer = cast.signed_in(lead).post(path, wanted, "application/json")

    assert answer.status_code == 429
    assert set(answer.json()) == {"error", "detail", "errors", "request_id"}
    assert answer.json()["error"] == "queue_full"
    assert answer.json()["detail"].startswith("This project already has 3 ")
    assert answer.headers["Retry-After"] == "30"
    assert Report.objects.count() == MOST


def test_a_page_shows_the_sentence(few, busy):
    lead = cast.member(busy, Membership.Role.LEAD, username="lea")
    fill(busy, lead)

    failed = Report.objects.create(project=busy, asked_by=lead, state=Report.State.FAILED)
    answer = cast.signed_in(lead).post(reverse("report_retry", args=[busy.slug, failed.pk]))

    assert answer.status_code == 429
    assert "This project already has 3 " in answer.content.decode()
    assert answer.headers["Retry-After"] == "30"
    failed.refresh_from_db()
    assert failed.state == Report.State.FAILED


# A32
def test_fifty_at_once_do_not_go_past_the_limit(committed_db):
    project = labeled_project("rushed")
    lead = cast.person("lena", unique=True)
    others = [cast.person("otto", unique=True) for _ in range(5)]

    def one(number: int) -> str:
        # Reports of one project lock it, so that other ways in are needed for a race.
        by = [lead, *others][number % 6]
        run = Report.objects.create(project=project, state=Report.State.FAILED)
        try:
            return str(run.retry(by=by))
        except QueueFull:
            return "full"

    told = at_once(50, one)

    assert told.count("True") == Report.objects.filter(project=project, state="queued").count() == 20
    assert told.count("full") == 30


@only_in_full
def test_fifty_of_one_person_at_once_do_not_go_past_the_limit(committed_db):
    lead = cast.person("lena", unique=True)
    projects = [labeled_project("rushed", n_items=2, n_raters=2) for _ in range(5)]

    def one(number: int) -> str:
        run = Report.objects.create(project=projects[number % 5], state=Report.State.FAILED)
        try:
            return str(run.retry(by=lead))
        except QueueFull:
            return "full"

    told = at_once(50, one)

    assert told.count("True") == Report.objects.filter(asked_by=lead, state="queued").count() == 10
