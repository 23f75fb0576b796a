"""Which events webhooks are told of, and what is said: ids and counts, never what somebody labeled."""

import json
import threading
from uuid import uuid4

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from projects.models import Delivery, Project, Webhook
from projects.webhooks import actions
from projects.webhooks.actions import WebhookSettings
from projects.webhooks.event_queue import completed
from raters import label_events
from raters.adjudication.deciding import NewDecision, decide, withdraw
from raters.imports.undoing import undo_import
from raters.label_events import gather
from raters.labeling.answers import Answer
from raters.labeling.undoing import undo
from raters.models import Assignment, Label, User
from raters.rounds.states import close_round
from reports.store.requests import request_report
from reports.tasks import compute_report
from tests import cast
from tests.files import GOOD, load, load_items
from tests.working import Work, answer, new_work

SITE = "https://labels.example.org"
URL = "https://hooks.example.org/in"


def new_webhook(project: Project, *events: str, by: User | None = None) -> Webhook:
    by = by or cast.member(project, "lead", username="lena", unique=True)
    webhook, _ = actions.add(project, WebhookSettings(URL, events or Webhook.Event.values), by=by, site=SITE)
    return webhook


def told(webhook: Webhook, kind: str) -> list[dict]:
    """The data of all events of a kind as they are sent, oldest first."""
    return [completed(each)["data"] for each in webhook.deliveries.filter(kind=kind).order_by("pk")]


def labels_told(webhook: Webhook) -> list[tuple[int, list[tuple[str, str | None, int]]]]:
    return [
        (
            data["n_changes"],
            [(each["question"], each["round"], each["n_changes"]) for each in data["changes"]],
        )
        for data in told(webhook, "labels.saved")
    ]


def arrive(webhook: Webhook, *, long_ago: bool = True) -> None:
    """What waits has been delivered, and the pause is over."""
    webhook.deliveries.update(state=Delivery.State.DONE)
    if long_ago:
        Webhook.objects.filter(pk=webhook.pk).update(told_at=None)


@pytest.fixture
def worked(committed_db) -> tuple[Work, Webhook]:
    """The history gets its positions at a commit."""
    work = new_work(n_items=12, n_raters=5)
    return work, new_webhook(work.project)


def test_all_changes_since_the_last_one_are_sent_together(worked):
    work, webhook = worked
    for place in range(3):
        answer(work, "good", place=place)
    answer(work, "bad", place=0, rater=1)

    gather()

    assert labels_told(webhook) == [(4, [("tone", "round 1", 4)])]


def test_a_second_event_waits_for_the_first_one_and_for_the_pause(worked):
    work, webhook = worked
    answer(work, "good", place=0)
    gather()
    answer(work, "good", place=1)

    gather()
    assert len(labels_told(webhook)) == 1

    arrive(webhook, long_ago=False)
    gather()
    assert len(labels_told(webhook)) == 1

    arrive(webhook)
    gather()
    gather()
    assert labels_told(webhook) == [(1, [("tone", "round 1", 1)])] * 2


def test_changing_and_taking_back_are_changes_too(worked):
    work, webhook = worked
    saved = answer(work, "good")
    saved = answer(work, "bad", seen=saved.revisions)
    undo(work.raters[0], work.assignment().pk, saved.revisions, key=uuid4(), by=work.user())
    Label.objects.filter(rater=work.raters[0]).delete()

    gather()

    assert labels_told(webhook) == [(4, [("tone", "round 1", 4)])]


def test_an_import_and_its_undo_are_sent_as_counts(worked):
    work, webhook = worked
    run = load(work.project, GOOD)
    gather()
    arrive(webhook)
    undo_import(run, by=work.user())

    gather()

    assert [n for n, _ in labels_told(webhook)] == [2, 2]


def test_each_question_and_round_has_its_count_and_no_label_is_sent(worked):
    work, webhook = worked
    answer(work, "fair", place=0)
    load(work.project, GOOD, question="other")

    gather()

    [delivery] = webhook.deliveries.filter(kind="labels.saved")
    data = completed(delivery)["data"]
    assert {(each["question"], each["round"], each["n_changes"]) for each in data["changes"]} == {
        ("tone", "round 1", 1),
        ("other", None, 2),
    }
    assert data["changed_since"] == "1-0"
    assert data["labels_url"] == f"{SITE}/api/v1/projects/{work.project.slug}/labels/?changed_since=1-0"
    text = json.dumps(completed(delivery))
    for secret in ("fair", "good", "yes", "ann", *(rater.key for rater in work.raters)):
        assert f'"{secret}"' not in text


def test_nothing_from_before_the_webhook_is_sent(committed_db):
    work = new_work()
    answer(work, "good")
    webhook = new_webhook(work.project)

    gather()

    assert labels_told(webhook) == []


def test_turned_off_and_on_it_begins_with_new_changes(worked):
    work, webhook = worked
    off = WebhookSettings(webhook.url, webhook.events, is_active=False)
    actions.change(webhook, off, by=work.user(), site=SITE)
    answer(work, "good", place=0)
    gather()
    actions.change(webhook, WebhookSettings(webhook.url, webhook.events), by=work.user(), site=SITE)
    answer(work, "good", place=1)

    gather()

    assert labels_told(webhook) == [(1, [("tone", "round 1", 1)])]


def test_events_that_are_no_labels_are_passed_over(worked):
    work, webhook = worked
    close_round(work.round, by=work.user())

    gather()

    assert labels_told(webhook) == []
    webhook.refresh_from_db()
    assert webhook.told_at is None
    assert label_events._pending_webhooks() == []


def test_changes_of_a_long_outage_are_sent_in_parts(worked, monkeypatch):
    work, webhook = worked
    # That the webhook was added is an entry of the history too.
    gather()
    monkeypatch.setattr(label_events, "MOST_ENTRIES", 2)
    for place in range(5):
        answer(work, "good", place=place)

    for _ in range(3):
        gather()
        arrive(webhook)

    assert [n for n, _ in labels_told(webhook)] == [2, 2, 1]


def test_with_five_raters_at_once_each_change_is_sent_once(worked):
    """While one gathers all the time, as the dispatcher does, and every event arrives at once."""
    work, webhook = worked
    done = threading.Event()

    def label(rater: int) -> None:
        try:
            for place in range(12):
                answer(work, "good", place=place, rater=rater)
        finally:
            connections.close_all()

    def keep_gathering() -> None:
        try:
            while not done.is_set():
                gather()
                arrive(webhook)
        finally:
            connections.close_all()

    gatherer = threading.Thread(target=keep_gathering)
    raters = [threading.Thread(target=label, args=[rater]) for rater in range(5)]
    for thread in (gatherer, *raters):
        thread.start()
    for thread in raters:
        thread.join()
    done.set()
    gatherer.join()
    gather()

    counts = [n for n, _ in labels_told(webhook)]
    assert sum(counts) == 5 * 12
    assert Assignment.objects.filter(round=work.round, state="done").count() == 60


def test_five_raters_at_once_make_one_event(worked):
    work, webhook = worked
    gather()

    def label(rater: int) -> None:
        try:
            for place in range(12):
                answer(work, "good", place=place, rater=rater)
        finally:
            connections.close_all()

    raters = [threading.Thread(target=label, args=[rater]) for rater in range(5)]
    for thread in raters:
        thread.start()
    for thread in raters:
        thread.join()
    gather()
    gather()

    assert labels_told(webhook) == [(60, [("tone", "round 1", 60)])]


@pytest.mark.parametrize("n_webhooks", [0, 3])
def test_saving_a_label_costs_no_statement_more(work, n_webhooks):
    """With webhooks or without: the history is read later, by somebody else."""
    for _ in range(n_webhooks):
        new_webhook(work.project)
    answer(work, "good", place=0)

    with CaptureQueriesContext(connection) as queries:
        answer(work, "good", place=1)

    assert not any("webhook" in query["sql"] or "delivery" in query["sql"] for query in queries)


def test_without_webhooks_gathering_is_one_query(work):
    answer(work, "good")

    with CaptureQueriesContext(connection) as queries:
        gather()

    assert len(queries) == 1


def test_a_closed_round_is_sent_once(work):
    webhook = new_webhook(work.project)

    close_round(work.round, by=work.user())
    close_round(work.round, by=work.user())

    assert told(webhook, "round.closed") == [
        {
            "round": "round 1",
            "round_id": work.round.pk,
            "round_url": f"{SITE}/api/v1/projects/{work.project.slug}/rounds/{work.round.pk}/",
        }
    ]


def test_a_decision_and_its_withdrawal_are_sent(work):
    webhook = new_webhook(work.project)
    item = work.items[0]

    decided = decide(
        item, work.question, NewDecision(Answer(category="bad"), "Rater slip"), seen=0, by=work.user()
    )
    decide(item, work.question, NewDecision(Answer(category="bad"), "Rater slip"), seen=1, by=work.user())
    withdraw(item, work.question, seen=decided.revision, by=work.user())

    case = {
        "item_id": item.pk,
        "question": "tone",
        "question_id": work.question.pk,
        "case_url": f"{SITE}/api/v1/projects/{work.project.slug}/adjudication/{item.pk}/{work.question.pk}/",
    }
    assert told(webhook, "dispute.decided") == [
        {**case, "is_withdrawn": False},
        {**case, "is_withdrawn": True},
    ]


def test_an_import_is_sent(work):
    webhook = new_webhook(work.project)

    run = load(work.project, GOOD)

    assert told(webhook, "import.done") == [
        {
            "import_id": run.pk,
            "kind": "labels",
            "n_created": 2,
            "n_changed": 0,
            "n_unchanged": 0,
            "import_url": f"{SITE}/api/v1/projects/{work.project.slug}/imports/{run.pk}/",
        }
    ]


def test_a_report_is_sent_when_it_is_done(committed_db):
    work = new_work()
    lead = cast.member(work.project, "lead", username="lena", unique=True)
    webhook = new_webhook(work.project, "report.done", by=lead)
    for rater in range(2):
        answer(work, "good", rater=rater)

    report = request_report(work.project, by=lead, name="Main study")
    assert told(webhook, "report.done") == []
    compute_report(report.pk)

    base = f"{SITE}/api/v1/projects/{work.project.slug}/reports/{report.pk}/"
    assert told(webhook, "report.done") == [
        {
            "report_id": report.pk,
            "name": "Main study",
            "n_questions": 1,
            "report_url": base,
            "page_url": SITE + report.get_absolute_url(),
        }
    ]


def test_rolled_back_changes_are_not_sent(work, monkeypatch):
    from raters.rounds import states

    webhook = new_webhook(work.project)

    def fail(*_, **__):
        raise RuntimeError("no")

    monkeypatch.setattr(states, "record", fail)
    with pytest.raises(RuntimeError):
        close_round(work.round, by=work.user())

    assert told(webhook, "round.closed") == []


def test_items_by_command_are_no_event(work):
    webhook = new_webhook(work.project)

    load_items(work.project, b"item,text\nx,One\n")

    assert not webhook.deliveries.exists()
