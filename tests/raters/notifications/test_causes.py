"""Each cause notifies those whom it concerns, once, and nobody else; undone, it notifies nobody."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from projects.codebook.drafts import Editor, draft_of, publish
from projects.codebook.guidelines import write_guidelines
from projects.members.actions import change_role
from projects.models import Membership, Round, RoundAttempt, RoundGate
from raters.labeling.asking import ask_again
from raters.models import Assignment, Label, Notification, QualityAlert, Rater
from raters.quality.passing import decide
from raters.quality.pausing import pause_rater
from raters.quality.rules import RuleSettings, change_rule
from raters.quality.watching import watch
from raters.rounds.deadline_reminders import notify_of_deadlines
from raters.rounds.plan_storage import replan
from raters.rounds.states import change_round, close_round, open_round
from raters.threads.actions import ask_question, reply
from reports.models import Report
from reports.store.requests import request_report
from tests import cast
from tests.finished import compute_now
from tests.labeling import new_question
from tests.raters.notifications.conftest import choose, committed, planned
from tests.working import answer, label_all

pytestmark = pytest.mark.django_db


def test_a_round_is_opened(full_team, notified):
    close_round(full_team.work.round, by=full_team.lara)
    label_all(Assignment.objects.filter(rater=full_team.work.raters[1]))
    assert notified() == []

    open_round(full_team.work.round, by=full_team.lara)

    # The other has nothing left.
    assert notified() == [("zoe", "assigned")]
    assert Notification.objects.get().round == full_team.work.round


def test_a_planned_round_says_nothing_until_it_opens(full_team, notified):
    second = planned(full_team.work.project, [full_team.zoe, full_team.yves], by=full_team.lara)
    assert notified() == []

    open_round(second, by=full_team.lara)

    assert notified() == [("yves", "assigned"), ("zoe", "assigned")]


def test_a_round_on_demand_tells_everybody_who_may_label(full_team, notified):
    on_demand = Round.objects.create(project=full_team.work.project, key="on demand", state=Round.State.DRAFT)
    Assignment.objects.create(item=full_team.work.items[0], round=on_demand, is_on_demand=True)

    open_round(on_demand, by=full_team.lara)

    assert notified() == [("luis", "assigned"), ("yves", "assigned"), ("zoe", "assigned")]


def test_a_round_behind_a_gate_tells_those_who_may_pass_it(full_team, notified):
    work = full_team.work
    behind = Round.objects.create(project=work.project, key="behind", state=Round.State.DRAFT)
    Assignment.objects.filter(item=work.items[2]).update(round=behind)
    RoundGate.objects.create(round=behind, gate=work.round)
    work.round.qualifications.create(rater=work.raters[1], n=1, n_right=1, is_passed=True)

    open_round(behind, by=full_team.lara)

    assert notified() == [("yves", "assigned")]


def test_another_attempt_that_was_passed_opens_it_too(full_team, notified):
    work = full_team.work
    behind, again = (
        Round.objects.create(project=work.project, key=key, state=Round.State.DRAFT)
        for key in ("behind", "again")
    )
    Assignment.objects.filter(item=work.items[2]).update(round=behind)
    RoundGate.objects.create(round=behind, gate=work.round)
    RoundAttempt.objects.create(round=again, first=work.round, number=2)
    work.round.qualifications.create(rater=work.raters[1], n=1, n_right=0, is_passed=False)
    again.qualifications.create(rater=work.raters[1], n=1, n_right=1, is_passed=True)

    open_round(behind, by=full_team.lara)

    assert notified() == [("yves", "assigned")]


def test_who_is_added_to_an_open_round(full_team, notified):
    second = planned(full_team.work.project, [full_team.zoe], by=full_team.lara)
    open_round(second, by=full_team.lara)
    assert notified() == [("zoe", "assigned")]

    replan(second, [full_team.zoe, full_team.yves], by=full_team.lara, seed=2)

    assert notified() == [("yves", "assigned")]


def test_who_is_asked_again(full_team, notified):
    label_all(Assignment.objects.filter(rater=full_team.work.raters[0]))
    size = new_question(full_team.work.project, key="size")

    ask_again(full_team.work.project, size, by=full_team.lara)

    # The other had it before them all along, and is asked again, too.
    assert notified() == [("zoe", "assigned")]


@pytest.mark.parametrize(("days", "is_due"), [(-1, False), (0, True), (1, True), (2, False)])
def test_a_deadline_within_a_day(full_team, notified, days, is_due):
    label_all(Assignment.objects.filter(rater=full_team.work.raters[1]))
    Round.objects.update(due_on=timezone.localdate() + timedelta(days=days))

    for _ in range(2):
        notify_of_deadlines()

    assert notified() == ([("zoe", "deadline")] if is_due else [])


def test_another_deadline_is_another_notification(full_team, notified):
    Round.objects.update(due_on=timezone.localdate())
    notify_of_deadlines()
    change_round(full_team.work.round, by=full_team.lara, due_on=timezone.localdate() + timedelta(days=1))

    notify_of_deadlines()

    assert notified() == [("yves", "deadline")] * 2 + [("zoe", "deadline")] * 2


@pytest.mark.parametrize("wrong", [{"state": "closed"}, {"paused_at": timezone.now()}])
def test_no_deadline_of_a_round_that_nobody_can_label(full_team, notified, wrong):
    Round.objects.update(due_on=timezone.localdate(), **wrong)

    notify_of_deadlines()

    assert notified() == []


def test_a_question_and_its_answer(full_team, notified):
    thread = ask_question(
        full_team.work.raters[0], full_team.work.items[0], "Is irony good?", by=full_team.zoe
    )
    assert notified() == [("lara", "asked"), ("luis", "asked")]

    reply(thread, "No.", by=full_team.luis)

    assert notified() == [("zoe", "answered")]


@pytest.mark.parametrize("place", [0, 1], ids=["the item", "another one"])
def test_a_lead_who_labels_is_not_notified_of_questions_about_the_items(full_team, notified, place):
    rater = Rater.objects.create(project=full_team.work.project, key="lara", user=full_team.lara)
    Assignment.objects.create(rater=rater, item=full_team.work.items[place], round=full_team.work.round)

    ask_question(full_team.work.raters[0], full_team.work.items[0], "I said good; right?", by=full_team.zoe)

    assert notified() == [("luis", "asked")]


def test_guidelines_changed(full_team, notified):
    Round.objects.create(project=full_team.work.project, key="planned")
    write_guidelines(full_team.work.project, "Be fair.", by=full_team.lara)
    assert notified() == [("yves", "guidelines"), ("zoe", "guidelines")]

    # What nobody has read yet gives way to what is newer.
    write_guidelines(full_team.work.project, "Be kind.", by=full_team.lara)

    assert notified() == [("yves", "guidelines"), ("zoe", "guidelines")]
    assert Notification.objects.count() == 2

    close_round(full_team.work.round, by=full_team.lara)
    write_guidelines(full_team.work.project, "Be quick.", by=full_team.lara)
    assert notified() == []


def test_a_codebook_published_with_its_guidelines_is_one_notification(full_team, notified):
    editor = Editor(full_team.work.project, full_team.lara)
    editor.do("write_guidelines", text="Be fair.")
    assert editor.is_draft
    assert notified() == []

    publish(full_team.work.project, by=full_team.lara, revision=draft_of(full_team.work.project).revision)

    assert notified() == [("yves", "codebook"), ("zoe", "codebook")]


def test_a_report_is_done(full_team, notified):
    label_all(Assignment.objects.all())
    report = request_report(full_team.work.project, by=full_team.ada)

    compute_now(report)

    assert notified() == [("ada", "report_done")]
    assert Notification.objects.get().subject_id == report.pk


@pytest.mark.parametrize("how", ["at once", "lost"])
def test_a_report_fails(full_team, notified, how):
    label_all(Assignment.objects.all())
    report = request_report(full_team.work.project, by=full_team.ada)
    if how == "at once":
        report.claim()
        report.fail("Because.")
        assert not report.fail("Once more.")
    else:
        past = timezone.now() - timedelta(hours=1)
        Report.objects.update(state=Report.State.RUNNING, losses=2, lease_until=past)
        assert Report.objects.fail_lost() == 1

    assert notified() == [("ada", "report_failed")]


def test_a_quality_alert_and_a_pause(full_team, notified):
    work = full_team.work
    reference = Rater.objects.create(project=work.project, key="gold", kind=Rater.Kind.REFERENCE)
    good = work.question.categories.get(key="good")
    Label.objects.bulk_create(
        Label(item=item, rater=reference, question=work.question, category=good) for item in work.items
    )
    change_rule(
        work.project,
        "reference",
        RuleSettings(n=2, acceptable=0.1, at_most=0.2, message="Slow down."),
        by=full_team.lara,
    )
    for place in range(2):
        answer(work, "bad", place=place)
    committed()
    watch()

    assert QualityAlert.objects.count() == 1
    assert notified() == [("lara", "alert"), ("luis", "alert"), ("zoe", "paused")]


@pytest.mark.parametrize(("note", "is_told"), [("", False), ("Call me.", True)])
def test_a_rater_is_notified_of_a_pause_with_a_message(full_team, notified, note, is_told):
    pause_rater(full_team.work.raters[0], by=full_team.lara, note=note)

    assert notified() == ([("zoe", "paused")] if is_told else [])


@pytest.fixture
def gated(full_team):
    """The round of the team has a pass mark and reference answers, and another round waits behind it."""
    work = full_team.work
    reference = Rater.objects.create(project=work.project, key="gold", kind=Rater.Kind.REFERENCE)
    good = work.question.categories.get(key="good")
    Label.objects.bulk_create(
        Label(item=item, rater=reference, question=work.question, category=good) for item in work.items
    )
    behind = Round.objects.create(project=work.project, key="behind")
    change_round(work.round, by=full_team.lara, pass_mark=0.8)
    change_round(behind, by=full_team.lara, gates=[work.round])
    return full_team


def test_a_round_is_passed_and_decided_on(gated, notified):
    for place in range(3):
        answer(gated.work, "good", place=place)
        answer(gated.work, "bad", place=place, rater=1)
    assert notified() == [("yves", "not_passed"), ("zoe", "passed")]

    decide(gated.work.round, gated.work.raters[1], is_passed=True, by=gated.lara)

    assert notified() == [("yves", "passed")]


def test_no_result_of_a_round_that_nobody_waits_behind(full_team, notified):
    Round.objects.filter(pk=full_team.work.round.pk).update(pass_mark=0.8)
    full_team.work.round.refresh_from_db()

    decide(full_team.work.round, full_team.work.raters[1], is_passed=True, by=full_team.lara)

    assert notified() == []


def test_it_is_undone_with_its_cause(full_team):
    with transaction.atomic():
        ask_question(full_team.work.raters[0], full_team.work.items[0], "Why?", by=full_team.zoe)
        assert Notification.objects.count() == 2
        transaction.set_rollback(True)

    assert not Notification.objects.exists()


def test_who_turned_a_topic_off_or_left_gets_nothing(full_team, notified):
    choose(full_team.luis, "reply", "off")
    change_role(
        full_team.work.project.memberships.get(user=full_team.lara), by=full_team.luis, role="auditor"
    )
    notified()

    ask_question(full_team.work.raters[0], full_team.work.items[0], "Why?", by=full_team.zoe)
    Membership.objects.filter(user=full_team.zoe).delete()
    write_guidelines(full_team.work.project, "Be fair.", by=full_team.lara)

    assert notified() == [("yves", "guidelines")]


def test_a_report_that_is_opened_is_read_by_who_opened_it(full_team):
    label_all(Assignment.objects.all())
    report = request_report(full_team.work.project, by=full_team.ada)
    compute_now(report)
    other = {"project": full_team.work.project, "kind": Notification.Kind.REPORT_DONE}
    Notification.objects.create(recipient=full_team.lara, subject_id=report.pk, **other)
    Notification.objects.create(recipient=full_team.ada, subject_id=report.pk + 1, **other)
    Notification.objects.create(
        recipient=full_team.ada, subject_id=report.pk, **other | {"kind": Notification.Kind.ASKED}
    )

    page = cast.signed_in(full_team.ada).get(report.get_absolute_url(), follow=True)

    assert page.status_code == 200
    [read] = Notification.objects.exclude(read_at=None)
    assert (read.recipient, read.subject_id, read.kind) == (full_team.ada, report.pk, "report_done")
    first = read.read_at
    cast.signed_in(full_team.ada).get(report.get_absolute_url())
    read.refresh_from_db()
    assert read.read_at == first
