"""Adjudicators are notified of the first dispute since they last looked, and of none that they must not know of."""

import pytest

from raters.adjudication.deciding import NewDecision, decide
from raters.adjudication.dispute_notifications import look_for_disputes
from raters.labeling.answers import Answer
from raters.models import Assignment, DisputeWatch, Notification, Rater
from raters.notifications.notifying import mark_read
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


def test_the_first_dispute_and_no_other_until_they_look(full_team, notified):
    answer(full_team.work, "good")
    look()
    # The other rater's label is still to come.
    assert notified() == []
    answer(full_team.work, "bad", rater=1)
    look()
    assert notified() == EVERYBODY

    disagree(full_team, 1)
    assert notified() == []

    mark_read(Notification.objects.filter(recipient=full_team.ada))
    look()
    # What was there before they looked is nothing new.
    assert notified() == []
    disagree(full_team, 2)
    assert notified() == [("ada", "disputes")]


def test_who_decided_has_looked(full_team, notified):
    disagree(full_team, 0)
    assert notified() == EVERYBODY
    verdict = NewDecision(answer=Answer(category="good"))
    decide(full_team.work.items[0], full_team.work.question, verdict, by=full_team.ada, seen=0)

    disagree(full_team, 1)

    assert notified() == [("ada", "disputes")]
    # The earlier one counts as read.
    assert Notification.objects.filter(recipient=full_team.ada, read_at=None).count() == 1


def test_agreement_is_nothing_to_tell(full_team, notified):
    answer(full_team.work, "good")
    answer(full_team.work, "good", rater=1)
    look()

    assert notified() == []
    assert DisputeWatch.objects.get(project=full_team.work.project).looked_up_to > 0


def test_a_round_closed_with_labels_missing_offers_its_disputes(full_team, notified):
    extra = Rater.objects.create(project=full_team.work.project, key="late")
    Assignment.objects.create(rater=extra, item=full_team.work.items[0], round=full_team.work.round)
    disagree(full_team, 0)
    assert notified() == []

    close_round(full_team.work.round, by=full_team.lara)
    look()

    assert notified() == EVERYBODY


def test_who_still_labels_the_item_does_not_learn_of_it(full_team, notified):
    choose(full_team.luis, "dispute", "off")
    rater = Rater.objects.create(project=full_team.work.project, key="lara", user=full_team.lara)
    Assignment.objects.create(
        rater=rater, item=full_team.work.items[0], round=full_team.work.round, state=Assignment.State.DONE
    )

    disagree(full_team, 0)

    assert notified() == [("ada", "disputes")]


def test_raters_and_auditors_never_learn_of_one(full_team, notified):
    disagree(full_team, 0)

    assert not {"zoe", "yves", "otto", "elsa"} & {name for name, _ in notified()}
