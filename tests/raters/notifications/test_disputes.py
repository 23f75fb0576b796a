"""Adjudicators are notified of the first dispute since they last looked, and of none that they must not know of."""

import pytest

from raters.adjudication.deciding import NewDecision, decide
from raters.adjudication.waiting import look_for_disputes
from raters.labeling.answers import Answer
from raters.models import Assignment, DisputeWatch, Notification, Rater
from raters.notifications.writing import mark_read
from raters.rounds.states import close_round
from tests.raters.notifications.conftest import choose, committed
from tests.working import answer

pytestmark = pytest.mark.django_db

EVERYBODY = [("ada", "disputes"), ("lara", "disputes"), ("luis", "disputes")]


def look():
    committed()
    look_for_disputes()


def disagree(team, place):
    answer(team.work, "good", place=place)
    answer(team.work, "bad", place=place, rater=1)
    look()


def test_the_first_dispute_and_no_other_until_they_look(team, told):
    answer(team.work, "good")
    look()
    # The other rater's label is still to come.
    assert told() == []
    answer(team.work, "bad", rater=1)
    look()
    assert told() == EVERYBODY

    disagree(team, 1)
    assert told() == []

    mark_read(Notification.objects.filter(recipient=team.ada))
    look()
    # What was there before they looked is nothing new.
    assert told() == []
    disagree(team, 2)
    assert told() == [("ada", "disputes")]


def test_who_decided_has_looked(team, told):
    disagree(team, 0)
    assert told() == EVERYBODY
    verdict = NewDecision(answer=Answer(category="good"))
    decide(team.work.items[0], team.work.question, verdict, by=team.ada, seen=0)

    disagree(team, 1)

    assert told() == [("ada", "disputes")]
    # The earlier one counts as read.
    assert Notification.objects.filter(recipient=team.ada, read_at=None).count() == 1


def test_agreement_is_nothing_to_tell(team, told):
    answer(team.work, "good")
    answer(team.work, "good", rater=1)
    look()

    assert told() == []
    assert DisputeWatch.objects.get(project=team.work.project).looked_up_to > 0


def test_a_round_closed_with_labels_missing_offers_its_disputes(team, told):
    extra = Rater.objects.create(project=team.work.project, key="late")
    Assignment.objects.create(rater=extra, item=team.work.items[0], round=team.work.round)
    disagree(team, 0)
    assert told() == []

    close_round(team.work.round, by=team.lara)
    look()

    assert told() == EVERYBODY


def test_who_still_labels_the_item_does_not_learn_of_it(team, told):
    choose(team.luis, "dispute", "off")
    rater = Rater.objects.create(project=team.work.project, key="lara", user=team.lara)
    Assignment.objects.create(
        rater=rater, item=team.work.items[0], round=team.work.round, state=Assignment.State.DONE
    )

    disagree(team, 0)

    assert told() == [("ada", "disputes")]


def test_raters_and_auditors_never_learn_of_one(team, told):
    disagree(team, 0)

    assert not {"zoe", "yves", "otto", "elsa"} & {name for name, _ in told()}
