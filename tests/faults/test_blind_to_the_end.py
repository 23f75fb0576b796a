"""Nobody gets out of being blind before the round is closed: not by losing the rater, the assignments, or the role."""

import json

import pytest
from django.db import connection
from django.urls import reverse

from projects.deletion.actions import TABLES
from projects.members import actions as members
from projects.models import Event, Membership, Round
from raters.access import also_rates, rounds_to_be_blind_in
from raters.actions import rater_of
from raters.linking import actions as linking
from raters.models import Assignment, FormerAssignee
from raters.rounds.resetting import delete_round
from tests import cast
from tests.working import Work, answer, new_work

pytestmark = pytest.mark.django_db


@pytest.fixture
def shared_round(project, lead) -> Work:
    """A lead and a rater label the same items in an open round; the rater has labeled one."""
    work = new_work(project=project, n_raters=1)
    rater = rater_of(project, lead)
    for item in work.items:
        Assignment.objects.create(rater=rater, item=item, round=work.round)
    answer(work, "good")
    return work


def labels(client, project) -> int:
    return client.get(reverse("api_labels", args=[project.slug])).status_code


def unlinked_by_page(client, project, rater):
    assert client.post(reverse("rater_unlink", args=[project.slug, rater.pk])).status_code == 302


def unlinked_by_api(client, project, rater):
    address = reverse("api_rater", args=[project.slug, rater.pk])
    assert (
        client.patch(address, json.dumps({"user": None}), content_type="application/json").status_code == 200
    )


@pytest.mark.parametrize("unlinked", [unlinked_by_page, unlinked_by_api])
def test_unlinking_your_own_rater_shows_no_labels(client, project, lead, shared_round, unlinked):
    before = labels(client, project)
    rater = rater_of(project, lead)

    unlinked(client, project, rater)

    assert (before, labels(client, project)) == (403, 403)
    assert Event.objects.get(kind="rater_unlinked").detail["blind_in"] == [shared_round.round.key]
    assert Event.objects.filter(kind="look_refused").count() == 2
    linking.link(rater, by=lead, user=lead)
    assert labels(client, project) == 403
    Round.objects.filter(pk=shared_round.round.pk).update(state=Round.State.CLOSED)
    assert labels(client, project) == 200


def test_a_rater_linked_to_another_account_leaves_the_first_one_blind(client, project, lead, shared_round):
    rater, other = rater_of(project, lead), cast.member(project, Membership.Role.LEAD, username="second")
    linking.unlink(rater, by=other)
    linking.link(rater, by=other, user=other)

    assert (
        rounds_to_be_blind_in(lead, project)
        == rounds_to_be_blind_in(other, project)
        == [shared_round.round.pk]
    )
    assert labels(client, project) == labels(cast.signed_in(other), project) == 403


def test_who_leaves_and_comes_back_in_another_role_is_still_blind(project, lead, shared_round):
    other = cast.member(project, Membership.Role.LEAD, username="second")
    linking.unlink(rater_of(project, lead), by=other)
    members.remove_member(project.memberships.get(user=lead), by=other)
    Membership.objects.create(project=project, user=lead, role=Membership.Role.AUDITOR)

    assert labels(cast.signed_in(lead), project) == 403


@pytest.mark.parametrize("lost", ["deleted", "moved", "freed", "deleted by the database"])
def test_losing_the_assignments_of_an_open_round_ends_nothing(client, project, lead, shared_round, lost):
    mine = Assignment.objects.filter(rater=rater_of(project, lead)).order_by("pk")
    if lost == "deleted":
        mine.delete()
    elif lost == "moved":
        someone = rater_of(project, cast.member(project, Membership.Role.RATER, username="ron"))
        mine.update(rater=someone)
    elif lost == "freed":
        mine.update(rater=None, is_on_demand=True)
    else:
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM raters_assignment WHERE rater_id = %s", [rater_of(project, lead).pk])

    assert labels(client, project) == 403
    assert also_rates(lead, project)


def test_assignments_of_a_planned_round_may_be_planned_again(client, project, lead, shared_round):
    Assignment.objects.filter(rater=rater_of(project, lead)).delete()
    FormerAssignee.objects.all().delete()
    draft = Round.objects.create(project=project, key="draft", state=Round.State.DRAFT, position=2)
    mine = Assignment.objects.create(rater=rater_of(project, lead), item=shared_round.items[0], round=draft)
    before = rounds_to_be_blind_in(lead, project)

    mine.delete()

    assert (before, rounds_to_be_blind_in(lead, project)) == ([draft.pk], [])
    assert labels(client, project) == 200


def test_unlinking_in_a_planned_round_ends_nothing(project, lead, shared_round):
    Round.objects.filter(pk=shared_round.round.pk).update(state=Round.State.DRAFT)

    linking.unlink(rater_of(project, lead), by=lead)

    assert rounds_to_be_blind_in(lead, project) == [shared_round.round.pk]


def test_a_round_with_former_assignees_can_be_deleted(project, lead):
    work = new_work(project=project, n_raters=1)
    linking.unlink(work.raters[0], by=lead)
    assert FormerAssignee.objects.count() == 1

    delete_round(work.round, by=lead)

    assert FormerAssignee.objects.count() == 0


def test_purging_deletes_them_after_the_assignments():
    tables = [table for table, _ in TABLES]

    assert tables.index("raters_formerassignee") > tables.index("raters_assignment")


def test_labels_of_a_closed_round_are_shown_to_who_was_unlinked(client, project, lead, shared_round):
    Round.objects.filter(pk=shared_round.round.pk).update(state=Round.State.CLOSED)

    linking.unlink(rater_of(project, lead), by=lead)

    assert labels(client, project) == 200
    assert FormerAssignee.objects.count() == 0
    assert Event.objects.get(kind="rater_unlinked").detail["blind_in"] == []
