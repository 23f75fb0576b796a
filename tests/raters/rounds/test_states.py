"""Rounds open, close and are revealed, in this order."""

import pytest
from django.db import IntegrityError, transaction

from projects.models import Event, Project, Round
from projects.refusals import ProjectClosed
from raters.labeling.saving_records import RoundClosed
from raters.rounds.states import WrongRoundState, close_round, open_round, reveal_round
from tests import cast
from tests.working import answer


@pytest.fixture
def draft_round(work):
    Round.objects.update(state=Round.State.DRAFT)
    work.round.refresh_from_db()
    return work.round


def test_a_round_opens_closes_and_is_revealed(draft_round, lead):
    open_round(draft_round, by=lead)
    close_round(draft_round, by=lead)
    reveal_round(draft_round, by=lead)

    assert draft_round.state == Round.State.CLOSED
    assert draft_round.opened_at <= draft_round.closed_at <= draft_round.revealed_at
    logged = Event.objects.filter(project_id=draft_round.project_id).order_by("id")
    assert list(logged.values_list("kind", "user_id", "about")) == [
        (kind, lead.pk, "round 1") for kind in ("round_opened", "round_closed", "round_revealed")
    ]


def test_a_closed_round_may_open_again_until_it_is_revealed(draft_round, lead):
    open_round(draft_round, by=lead)
    close_round(draft_round, by=lead)
    open_round(draft_round, by=lead)
    assert (draft_round.state, draft_round.closed_at) == (Round.State.OPEN, None)
    close_round(draft_round, by=lead)
    reveal_round(draft_round, by=lead)

    with pytest.raises(WrongRoundState, match="has been revealed"):
        open_round(draft_round, by=lead)


@pytest.mark.parametrize("state", ["draft", "closed"])
def test_no_round_of_a_closed_project_opens(draft_round, lead, state):
    Round.objects.filter(pk=draft_round.pk).update(state=state)
    Project.objects.filter(pk=draft_round.project_id).update(state="closed")
    client = cast.signed_in(lead)
    draft_round.project.memberships.update_or_create(user=lead, defaults={"role": "lead"})

    with pytest.raises(ProjectClosed, match="Reopen the project first"):
        open_round(draft_round, by=lead)

    for page in ("", f"{draft_round.pk}/"):
        assert "/open/" not in client.get(f"/p/{draft_round.project.slug}/rounds/{page}").content.decode()
    draft_round.refresh_from_db()
    assert draft_round.state == state


def test_the_same_again_changes_nothing(draft_round, lead):
    for step in (open_round, close_round, reveal_round):
        step(draft_round, by=lead)
        before = Round.objects.filter(pk=draft_round.pk).values().get()

        step(draft_round, by=lead)

        assert Round.objects.filter(pk=draft_round.pk).values().get() == before


def test_what_was_never_opened_is_not_closed(draft_round, lead):
    with pytest.raises(WrongRoundState):
        close_round(draft_round, by=lead)


def test_what_is_open_is_not_revealed(draft_round, lead):
    open_round(draft_round, by=lead)

    with pytest.raises(WrongRoundState, match="Close the round first"):
        reveal_round(draft_round, by=lead)


def test_labels_of_a_closed_round_stay_as_they_are(work, draft_round, lead):
    open_round(draft_round, by=lead)
    answer(work, "good")
    close_round(draft_round, by=lead)

    with pytest.raises(RoundClosed):
        answer(work, "bad", seen={"tone": 1})


def test_the_database_lets_no_open_round_be_revealed(draft_round):
    with pytest.raises(IntegrityError, match="batch_revealed_is_closed"), transaction.atomic():
        Round.objects.filter(pk=draft_round.pk).update(revealed_at="2026-01-01T00:00Z", state="open")
