"""Rounds open, close and are revealed, in this order."""

import pytest
from django.db import IntegrityError, transaction

from projects.models import Batch, Event
from raters.labeling.saving import RoundClosed
from raters.rounds.states import NotNow, close_round, open_round, reveal_round
from tests.working import answer


@pytest.fixture
def batch(work):
    Batch.objects.update(state=Batch.State.DRAFT)
    work.batch.refresh_from_db()
    return work.batch


def test_a_round_opens_closes_and_is_revealed(batch, lead):
    open_round(batch, by=lead)
    close_round(batch, by=lead)
    reveal_round(batch, by=lead)

    assert batch.state == Batch.State.CLOSED
    assert batch.opened_at <= batch.closed_at <= batch.revealed_at
    logged = Event.objects.filter(project_id=batch.project_id).order_by("id")
    assert list(logged.values_list("kind", "user_id", "about")) == [
        (kind, lead.pk, "round 1") for kind in ("round_opened", "round_closed", "round_revealed")
    ]


def test_a_closed_round_may_open_again_until_it_is_revealed(batch, lead):
    open_round(batch, by=lead)
    close_round(batch, by=lead)
    open_round(batch, by=lead)
    assert (batch.state, batch.closed_at) == (Batch.State.OPEN, None)
    close_round(batch, by=lead)
    reveal_round(batch, by=lead)

    with pytest.raises(NotNow, match="has been revealed"):
        open_round(batch, by=lead)


def test_the_same_again_changes_nothing(batch, lead):
    for step in (open_round, close_round, reveal_round):
        step(batch, by=lead)
        before = Batch.objects.filter(pk=batch.pk).values().get()

        step(batch, by=lead)

        assert Batch.objects.filter(pk=batch.pk).values().get() == before


def test_what_was_never_opened_is_not_closed(batch, lead):
    with pytest.raises(NotNow):
        close_round(batch, by=lead)


def test_what_is_open_is_not_revealed(batch, lead):
    open_round(batch, by=lead)

    with pytest.raises(NotNow, match="Close the round first"):
        reveal_round(batch, by=lead)


def test_labels_of_a_closed_round_stay_as_they_are(work, batch, lead):
    open_round(batch, by=lead)
    answer(work, "good")
    close_round(batch, by=lead)

    with pytest.raises(RoundClosed):
        answer(work, "bad", seen={"tone": 1})


def test_the_database_lets_no_open_round_be_revealed(batch):
    with pytest.raises(IntegrityError, match="batch_revealed_is_closed"), transaction.atomic():
        Batch.objects.filter(pk=batch.pk).update(revealed_at="2026-01-01T00:00Z", state="open")
