"""A pass mark is worked out when a rater is through, and opens the rounds behind it."""

import pytest

from projects.models import Event, Round
from raters.labeling.answers import Answer
from raters.labeling.next_assignment import next_assignment_of, take_next_assignment
from raters.labeling.own_rounds import own_rounds
from raters.labeling.progress import progress_of
from raters.models import Assignment, Label, Qualification, Rater
from raters.quality.gates import GateRefused
from raters.quality.passing import NoPassMark, decide, own_results, results_of
from raters.rounds.attempts import AttemptItems, give_attempt
from raters.rounds.states import change_round
from tests.working import answer, new_work

pytestmark = pytest.mark.django_db


@pytest.fixture
def schooling(lead):
    """Five items with a reference answer, "good", to train on; a round of two more behind it."""
    work = new_work(n_items=7, usernames=["zoe", "yves"])
    reference = Rater.objects.create(project=work.project, key="gold", kind=Rater.Kind.REFERENCE)
    good = work.question.categories.get(key="good")
    Label.objects.bulk_create(
        Label(item=item, rater=reference, question=work.question, category=good) for item in work.items[:5]
    )
    main = Round.objects.create(project=work.project, key="main", position=1)
    Assignment.objects.filter(item__in=work.items[5:]).update(round=main)
    change_round(work.round, by=lead, pass_mark=0.8, reference_use="training")
    change_round(main, by=lead, gates=[work.round])
    return work


def say(work, words, *, rater=0):
    for place, label in enumerate(words):
        answer(work, label, place=place, rater=rater)


def test_who_passes_gets_the_items_behind(schooling):
    zoe = schooling.raters[0]
    say(schooling, ["good", "good", "bad", "good"])
    assert not Qualification.objects.exists()
    answer(schooling, "good", place=4)

    [own] = [each.qualification for each in own_results(zoe)]
    assert (own.n, own.n_right, own.is_passed, own.decided_by) == (5, 4, True, None)
    assert take_next_assignment(zoe) == schooling.assignment(5).pk
    assert [each.gates for each in own_rounds(zoe)] == [(), ()]


def test_who_fails_gets_nothing_until_a_lead_decides(schooling, lead):
    zoe = schooling.raters[0]
    say(schooling, ["good", "good", "bad", "bad", "good"])

    assert take_next_assignment(zoe) is None
    assert next_assignment_of(zoe).own is None
    assert own_rounds(zoe)[1].gates == ("round 1",)
    assert not own_results(zoe)[0].qualification.is_passed

    decide(schooling.round, zoe, is_passed=True, by=lead, note="We talked.")

    assert take_next_assignment(zoe) == schooling.assignment(5).pk
    event = Event.objects.get(kind="pass_decided")
    assert (event.about, event.detail["round"], event.detail["is_passed"]) == ("zoe", "round 1", True)
    decide(schooling.round, zoe, is_passed=False, by=lead)
    assert take_next_assignment(zoe) is None


def test_cannot_tell_is_not_right(schooling):
    answer(schooling, {"tone": Answer(is_abstention=True, reason="blurred")}, place=0)
    for place in (1, 2, 3, 4):
        answer(schooling, {"tone": Answer(is_abstention=True, reason="blurred")}, place=place)

    assert (Qualification.objects.get().n, Qualification.objects.get().n_right) == (5, 0)


def test_a_leads_decision_is_kept_and_the_rest_follows_the_mark(schooling, lead):
    say(schooling, ["good", "good", "bad", "bad", "good"])
    say(schooling, ["good", "good", "bad", "bad", "good"], rater=1)
    decide(schooling.round, schooling.raters[0], is_passed=False, by=lead)

    change_round(schooling.round, by=lead, pass_mark=0.6)

    found = {each.rater.key: each.is_passed for each in Qualification.objects.select_related("rater")}
    assert found == {"zoe": False, "yves": True}


def test_results_are_shown_while_raters_are_labeling(schooling):
    say(schooling, ["good", "bad"])

    zoe = next(each for each in results_of(schooling.round) if each.key == "zoe")
    assert (zoe.n_left, zoe.n, zoe.n_right, zoe.qualification) == (3, 2, 1, None)
    assert zoe.share == 0.5


def test_one_gate_of_several_is_enough(schooling, lead):
    main = Round.objects.get(key="main")
    second = Round.objects.create(project=schooling.project, key="again", position=2, pass_mark=0.5)
    change_round(main, by=lead, gates=[schooling.round, second])
    say(schooling, ["bad"] * 5)
    assert take_next_assignment(schooling.raters[0]) is None

    decide(second, schooling.raters[0], is_passed=True, by=lead)

    assert take_next_assignment(schooling.raters[0]) == schooling.assignment(5).pk


def test_free_items_wait_behind_a_gate_too(schooling):
    main = Round.objects.get(key="main")
    Assignment.objects.filter(round=main).delete()
    Assignment.objects.create(item=schooling.items[5], round=main, is_on_demand=True)
    yves = schooling.raters[1]
    Assignment.objects.filter(rater=yves, round=schooling.round).delete()

    assert not next_assignment_of(yves).is_free
    assert not next_assignment_of(Rater(project=schooling.project)).is_free
    assert not progress_of(yves).has_free
    Qualification.objects.create(round=schooling.round, rater=yves, n=1, n_right=1, is_passed=True)
    assert next_assignment_of(yves).is_free
    assert progress_of(yves).has_free


def test_numbers_within_the_tolerance_pass(lead):
    work = new_work(n_items=2, n_raters=1)
    work.question.categories.all().delete()
    type(work.question).objects.filter(pk=work.question.pk).update(kind="number", tolerance=1)
    reference = Rater.objects.create(project=work.project, key="gold", kind=Rater.Kind.REFERENCE)
    for item in work.items:
        Label.objects.create(item=item, rater=reference, question=work.question, number=10)
    change_round(work.round, by=lead, pass_mark=1.0)
    answer(work, {"tone": Answer(number=11)})
    answer(work, {"tone": Answer(number=11.5)}, place=1)

    assert (Qualification.objects.get().n, Qualification.objects.get().n_right) == (2, 1)


def test_gates_that_nobody_could_pass_are_refused(schooling, lead):
    main = Round.objects.get(key="main")
    with pytest.raises(GateRefused, match="round 1"):
        change_round(schooling.round, by=lead, pass_mark=None)
    other = Round.objects.create(project=schooling.project, key="other", position=2)
    with pytest.raises(GateRefused, match="no pass mark"):
        change_round(main, by=lead, gates=[other])
    with pytest.raises(GateRefused, match="None of this round’s items has a reference answer") as refused:
        change_round(main, by=lead, pass_mark=0.5)
    assert [each["field"] for each in refused.value.errors] == ["pass_mark"]
    Round.objects.filter(pk=main.pk).update(pass_mark=0.5)
    main.refresh_from_db()
    with pytest.raises(GateRefused, match="nobody could pass it"):
        change_round(schooling.round, by=lead, gates=[main])
    free = new_work(n_items=2, n_raters=1, places=1)
    with pytest.raises(GateRefused, match="in advance"):
        change_round(free.round, by=lead, pass_mark=0.5)
    with pytest.raises(NoPassMark):
        decide(other, schooling.raters[0], is_passed=True, by=lead)


def test_the_gate_is_in_the_log_and_comes_off_again(schooling, lead):
    main = Round.objects.get(key="main")
    [event] = Event.objects.filter(kind="round_changed", about="main")
    assert event.detail["changed"] == {"gates": {"old": [], "new": ["round 1"]}}

    change_round(main, by=lead, gates=[])
    change_round(schooling.round, by=lead, pass_mark=None)

    say(schooling, ["bad"] * 5)
    assert take_next_assignment(schooling.raters[0]) == schooling.assignment(5).pk
    assert not Qualification.objects.exists()


def shown_counts(work):
    """What is left as the rater's pages count it: over all rounds, and by round with its reason."""
    progress, rounds = progress_of(work.raters[0]), own_rounds(work.raters[0])
    return progress.n_done, progress.n_total, [(each.gates, each.is_barred) for each in rounds]


def test_work_behind_a_gate_is_counted_once_it_opens(schooling, lead):
    assert shown_counts(schooling) == (0, 5, [((), False), (("round 1",), False)])
    say(schooling, ["good", "good", "bad", "bad", "good"])
    assert shown_counts(schooling) == (5, 5, [((), False), (("round 1",), True)])

    decide(schooling.round, schooling.raters[0], is_passed=True, by=lead)

    assert shown_counts(schooling) == (5, 7, [((), False), ((), False)])
    answer(schooling, "good", place=5)
    decide(schooling.round, schooling.raters[0], is_passed=False, by=lead)
    assert shown_counts(schooling) == (6, 6, [((), False), (("round 1",), True)])


def test_another_attempt_keeps_the_gate_from_being_missed(schooling, lead):
    say(schooling, ["good", "good", "bad", "bad", "good"])

    give_attempt(schooling.round, schooling.raters[0], items=AttemptItems.SAME, by=lead)

    assert shown_counts(schooling)[2][1] == (("round 1",), False)


def test_one_gate_that_can_still_be_passed_is_enough(schooling, lead):
    main = Round.objects.get(key="main")
    second = Round.objects.create(project=schooling.project, key="again", position=2, pass_mark=0.5)
    change_round(main, by=lead, gates=[schooling.round, second])
    say(schooling, ["bad"] * 5)

    assert shown_counts(schooling)[2][1] == (("round 1", "again"), False)


def test_a_late_round_behind_a_gate_is_not_overdue(schooling):
    Round.objects.filter(key="main").update(due_on="2020-01-01")

    assert not own_rounds(schooling.raters[0])[1].is_overdue


def test_who_passes_opens_nothing_for_others(schooling):
    zoe, yves = schooling.raters
    say(schooling, ["good"] * 5)
    say(schooling, ["bad"] * 5, rater=1)

    assert [each.gates for each in own_rounds(zoe)] == [(), ()]
    assert own_rounds(yves)[1].gates == ("round 1",)
    assert [each.qualification.rater_id for each in own_results(yves)] == [yves.pk]
