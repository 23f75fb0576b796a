"""Rules alert on what raters label from now on, once, and pause or tell as the lead said."""

from uuid import uuid4

import pytest
from django.db import connection

from projects.models import Event
from raters.labeling.answers import Answer
from raters.labeling.next_assignment import take_next_assignment
from raters.labeling.saving import save_answers
from raters.labeling.saving_records import SubmittedAnswers
from raters.models import Assignment, Label, QualityAlert, Rater
from raters.quality.alerts import close_alert
from raters.quality.pausing import PauseRequiresLead, pause_rater, resume_oneself, resume_rater
from raters.quality.rules import NoUsefulLimit, RuleSettings, change_rule, false_alarms, words_of
from raters.quality.watching import watch
from tests.working import answer, new_work

pytestmark = pytest.mark.django_db


@pytest.fixture
def known_work(db):
    """Ten items by two raters; the reference says "good" of all."""
    work = new_work(n_items=10, usernames=["zoe", "yves"])
    reference = Rater.objects.create(project=work.project, key="gold", kind=Rater.Kind.REFERENCE)
    good = work.question.categories.get(key="good")
    Label.objects.bulk_create(
        Label(item=item, rater=reference, question=work.question, category=good) for item in work.items
    )
    return work


def committed():
    """The entries of the history get their positions as the transaction is committed."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")


def look():
    committed()
    watch()


def say(work, words, *, rater=0, start=0, **more):
    for place, label in enumerate(words, start=start):
        answer(work, label, place=place, rater=rater, **more)


REFERENCE = RuleSettings(n=5, acceptable=0.1, at_most=0.1)  # more than 1 of 5


def test_more_than_the_limit_alerts_as_soon_as_it_happens(known_work, lead):
    change_rule(known_work.project, "reference", REFERENCE, by=lead)
    say(known_work, ["bad", "good"])
    look()
    assert not QualityAlert.objects.exists()
    say(known_work, ["bad"], start=2)
    say(known_work, ["good"] * 5, rater=1)
    look()

    [alert] = QualityAlert.objects.all()
    assert (alert.rater, alert.n, alert.n_bad) == (known_work.raters[0], 3, 2)
    assert alert.rule == "more than 1 of 5 reference answers missed"
    # Two or more of three at 10%: 3 × .01 × .9 + .001.
    assert alert.probability == pytest.approx(0.028)
    assert list(Event.objects.filter(kind="quality_alert").values_list("about", flat=True)) == ["zoe"]
    # The rater was not to be told.
    assert take_next_assignment(known_work.raters[0]) is not None


def test_a_block_ends_and_the_next_begins_at_nothing(known_work, lead):
    change_rule(known_work.project, "reference", REFERENCE, by=lead)
    say(known_work, ["good", "good", "good", "good", "bad", "bad", "good"])
    look()

    assert not QualityAlert.objects.exists()


def test_cannot_tell_is_missed_and_a_change_is_not_counted_again(known_work, lead):
    change_rule(known_work.project, "reference", REFERENCE, by=lead)
    answer(known_work, {"tone": Answer(is_abstention=True, reason="blurred")})
    answer(known_work, "bad", seen={"tone": 1})
    answer(known_work, "fair", seen={"tone": 2})
    look()
    assert not QualityAlert.objects.exists()
    say(known_work, ["bad"], start=1)
    look()

    assert QualityAlert.objects.get().n_bad == 2


def test_what_was_labeled_before_the_rule_is_not_looked_at(known_work, lead):
    say(known_work, ["bad"] * 5)
    committed()
    change_rule(known_work.project, "reference", REFERENCE, by=lead)
    look()

    assert not QualityAlert.objects.exists()


def test_a_rule_that_is_off_looks_at_nothing(known_work, lead):
    change_rule(known_work.project, "reference", RuleSettings(n=5, at_most=0.1, is_active=False), by=lead)
    say(known_work, ["bad"] * 5)
    look()

    assert not QualityAlert.objects.exists()


def test_one_open_alert_at_a_time(known_work, lead):
    change_rule(known_work.project, "reference", REFERENCE, by=lead)
    say(known_work, ["bad"] * 6)
    look()
    close_alert(QualityAlert.objects.get(), by=lead, note="talked")
    say(known_work, ["bad"] * 2, start=6)
    look()

    assert list(QualityAlert.objects.order_by("pk").values_list("note", flat=True)) == ["talked", ""]


def test_the_rater_is_paused_until_a_lead_resumes(known_work, lead):
    rule = RuleSettings(n=5, at_most=0.1, pauses=True, message="Please read the guidelines again.")
    change_rule(known_work.project, "reference", rule, by=lead)
    say(known_work, ["bad", "bad"])
    look()

    rater = Rater.objects.get(key="zoe")
    assert rater.pause_note == "Please read the guidelines again."
    assert take_next_assignment(rater) is None
    with pytest.raises(PauseRequiresLead):
        resume_oneself(rater, by=rater.user)
    # What was labeled without a connection is saved.
    known_work.raters[0] = rater
    assert answer(known_work, "good", place=2).is_paused
    close_alert(QualityAlert.objects.get(), by=lead, resumes=True)
    assert take_next_assignment(Rater.objects.get(key="zoe")) is not None


def test_the_rater_reads_the_message_and_goes_on(known_work, lead):
    change_rule(
        known_work.project, "reference", RuleSettings(n=5, at_most=0.1, message="Slow down."), by=lead
    )
    say(known_work, ["bad", "bad"])
    look()

    rater = Rater.objects.get(key="zoe")
    assert take_next_assignment(rater) is None
    resume_oneself(rater, by=rater.user)
    assert take_next_assignment(Rater.objects.get(key="zoe")) is not None


def test_a_pause_by_a_lead_outranks_a_message(known_work, lead):
    rater = known_work.raters[0]
    pause_rater(rater, by=None, note="Slow down.", may_resume=True)
    pause_rater(rater, by=lead, note="Call me.")
    pause_rater(rater, by=None, note="Slow down.", may_resume=True)

    rater.refresh_from_db()
    assert (rater.pause_note, rater.may_resume, rater.paused_by) == ("Call me.", False, lead)
    resume_rater(rater, by=lead)
    resume_rater(rater, by=lead)
    kinds = Event.objects.filter(about="zoe", kind__startswith="rater_").order_by("pk")
    assert list(kinds.values_list("kind", flat=True)) == ["rater_paused", "rater_paused", "rater_resumed"]


def test_speed_is_of_items(known_work, lead):
    change_rule(known_work.project, "speed", RuleSettings(n=5, at_most=0.1, seconds=2), by=lead)
    say(known_work, ["good"], seconds=1.5)
    say(known_work, ["good"], start=1, seconds=2.0)
    say(known_work, ["good"], start=2)
    look()
    assert not QualityAlert.objects.exists()
    say(known_work, ["good"], start=3, seconds=0.4)
    look()

    alert = QualityAlert.objects.get()
    assert (alert.n, alert.n_bad, alert.rule) == (3, 2, "more than 1 of 5 items answered in less than 2 s")


def test_the_same_answer_in_a_row(known_work, lead):
    change_rule(known_work.project, "same_answer", RuleSettings(limit=3), by=lead)
    say(known_work, ["good", "good"])
    look()
    say(known_work, ["bad", "good", "good"], start=2)
    look()
    assert not QualityAlert.objects.exists()
    say(known_work, ["good"], start=5)
    look()

    alert = QualityAlert.objects.get()
    assert (alert.about, alert.n, alert.rule) == ("tone: good", 3, "the same answer 3 times in a row")


def test_blind_repeats(known_work, lead):
    zoe = known_work.raters[0]
    change_rule(known_work.project, "repeats", REFERENCE, by=lead)
    say(known_work, ["good", "bad", "fair"])
    for place in (0, 1, 2):
        again = Assignment.objects.create(
            rater=zoe, item=known_work.items[place], round=known_work.round, pass_number=2
        )
        label = {0: "good", 1: "good", 2: "good"}[place]
        save_again(known_work, again, label)
    look()

    assert (QualityAlert.objects.get().n, QualityAlert.objects.get().n_bad) == (3, 2)


def save_again(work, assignment, label):
    draft = SubmittedAnswers(answers={"tone": Answer(category=label)}, revisions={})
    save_answers(work.raters[0], assignment.pk, draft, key=uuid4(), by=work.user())


def test_numbers_within_the_tolerance_are_right(lead):
    work = new_work(n_items=3, n_raters=1)
    work.question.categories.all().delete()
    type(work.question).objects.filter(pk=work.question.pk).update(kind="number", tolerance=2)
    reference = Rater.objects.create(project=work.project, key="gold", kind=Rater.Kind.REFERENCE)
    for item in work.items:
        Label.objects.create(item=item, rater=reference, question=work.question, number=10)
    change_rule(work.project, "reference", REFERENCE, by=lead)
    for place, number in enumerate([12, 12.5, 7]):
        answer(work, {"tone": Answer(number=number)}, place=place)
    look()

    assert (QualityAlert.objects.get().n, QualityAlert.objects.get().n_bad) == (3, 2)


def test_false_alarms_are_stated(known_work, lead):
    rule = change_rule(known_work.project, "reference", RuleSettings(), by=lead)
    assert words_of(rule) == "more than 6 of 20 reference answers missed"
    alarms = false_alarms(rule)
    assert alarms.per_block == pytest.approx(0.00239, abs=1e-5)
    assert alarms.in_long_run == pytest.approx(1 - (1 - alarms.per_block) ** 25)
    assert [each.share for each in alarms.detected] == [0.2, 0.3, 0.5]

    runs = change_rule(known_work.project, "same_answer", RuleSettings(limit=4), by=lead)
    assert false_alarms(runs).per_block is None
    say(known_work, ["good", "bad"])
    # Heads or tails: all but the sequences without four alike in a row.
    without = [2, 4, 8]
    while len(without) < 100:
        without.append(sum(without[-3:]))
    assert false_alarms(runs).per_block == pytest.approx(1 - without[99] / 2**100)
    assert false_alarms(runs).question == "tone"


def test_too_few_answers_for_the_rate_are_refused(known_work, lead):
    with pytest.raises(NoUsefulLimit):
        change_rule(known_work.project, "reference", RuleSettings(n=2, acceptable=0.5), by=lead)
    assert not known_work.project.quality_rules.exists()
