"""Putting an item off, by function, page and API."""

import pytest
from django.http import Http404

from projects.models import Project, Round
from raters.labeling.saving_records import RoundClosed
from raters.labeling.skipping import AssignmentAlreadyDone, skip
from raters.models import Assignment
from tests.working import answer

pytestmark = pytest.mark.signed_in("first_rater")


def test_it_stays_pending_and_with_its_rater(work):
    skip(work.raters[0], work.assignment().pk)

    place = work.assignment()
    assert (place.state, place.rater) == (Assignment.State.PENDING, work.raters[0])
    assert place.skipped_at is not None


def test_what_is_labeled_is_x(work):
    skip(work.raters[0], work.assignment().pk)
    answer(work, "good")

    assert work.assignment().skipped_at is None
    with pytest.raises(AssignmentAlreadyDone):
        skip(work.raters[0], work.assignment().pk)


def test_another_raters_item_does_not_exist(work):
    with pytest.raises(Http404):
        skip(work.raters[1], work.assignment().pk)


def test_a_planned_round_does_not_exist_yet(work):
    Round.objects.update(state=Round.State.DRAFT)

    with pytest.raises(Http404):
        skip(work.raters[0], work.assignment().pk)


@pytest.mark.parametrize(
    ("model", "state"),
    [(Round, Round.State.CLOSED), (Project, Project.State.CLOSED)],
    ids=["round", "project"],
)
def test_nothing_closed_is_skipped(work, model, state):
    model.objects.update(state=state)

    with pytest.raises(RoundClosed):
        skip(work.raters[0], work.assignment().pk)


def test_the_page_goes_on_and_says_so(client, work):
    page = f"/p/{work.project.slug}/label/{work.assignment().pk}/"

    response = client.post(f"{page}skip/", follow=True)

    assert "item-2 · round 1" in response.content.decode()
    assert "item-1 skipped" in response.content.decode()
    assert "skipped earlier" in client.get(page).content.decode()


def test_the_page_says_why_it_is_not_skipped(client, work):
    answer(work, "good")

    response = client.post(f"/p/{work.project.slug}/label/{work.assignment().pk}/skip/", follow=True)

    assert "can’t skip it" in response.content.decode()


def test_the_api_puts_off(client, work):
    address = f"/api/v1/projects/{work.project.slug}/assignments/{work.assignment().pk}/skip/"

    response = client.post(address, content_type="application/json")

    assert (response.status_code, response.json()) == (200, {"assignment": work.assignment().pk})
    assert work.assignment().skipped_at is not None


def test_the_api_says_why_it_is_not_skipped(client, work):
    address = f"/api/v1/projects/{work.project.slug}/assignments/{work.assignment().pk}/skip/"
    answer(work, "good")
    done = client.post(address, content_type="application/json")
    Round.objects.update(state=Round.State.CLOSED)
    closed = client.post(address, content_type="application/json")

    assert (done.status_code, done.json()["error"]) == (409, "already_done")
    assert (closed.status_code, closed.json()["error"]) == (409, "closed")
