"""Rounds are planned on the items that a worker last found in dispute, or on none that are not shown."""

import numpy as np
import pytest
from django.urls import reverse

from raters.models import Assignment
from raters.rounds.disputed_items import _packed, _unpacked
from tests import cast
from tests.raters.figures.conftest import client_of, compute_all, decision_on, lead_of
from tests.working import answer


def plan_of(work):
    """A round of the items in dispute for somebody who has not labeled any."""
    rater = cast.member(work.project, "rater", username="dora", unique=True)
    return {"design": "everyone", "raters": [rater.username], "items": {"kind": "disputed"}}


def form_on_disputes(client, address, work):
    """What the page sends to plan a round on the items in dispute, for one rater."""
    form = client.get(address).context["form"]
    values = {name: form[name].value() for name in form.fields}
    return {name: value for name, value in values.items() if value not in (None, False)} | {
        "key": "two",
        "source": "disputed",
        "raters": [str(work.user().pk)],
        "repeats": "0",
        "again": "on",
        "raters_per_item": "1",
    }


def test_a_round_is_planned_on_what_is_still_in_dispute(stored_items):
    """One of the two stored items is decided, and the labels of a third have become a dispute."""
    work = stored_items
    client, address = client_of(lead_of(work.project)), reverse("api_rounds", args=[work.project.slug])
    decision_on(work, 3, "bad", by=lead_of(work.project))
    answer(work, "bad", place=4, rater=1, seen={"tone": 1})

    planned = client.post(address, {"key": "two", **plan_of(work)}, content_type="application/json")

    assert planned.status_code == 201
    of_round = Assignment.objects.filter(round=planned.json()["id"])
    # Newer figures have the third.
    assert [each.item for each in of_round] == [work.items[0]]


def shown_in(preview):
    return {"digest": preview["digest"], "seed": preview["seed"]}


def test_the_api_tells_how_many_items_were_left_out_and_plans_only_what_it_showed(stored_items):
    work, lead = stored_items, lead_of(stored_items.project)
    client, slug = client_of(lead), work.project.slug
    sent = {"content_type": "application/json"}
    plan = plan_of(work)
    seen = client.post(reverse("api_round_preview", args=[slug]), plan, **sent).json()
    decision_on(work, 3, "bad", by=lead)
    changed = client.post(
        reverse("api_rounds", args=[slug]), {"key": "two", **plan, **shown_in(seen)}, **sent
    )
    again = client.post(reverse("api_round_preview", args=[slug]), plan, **sent).json()

    planned = client.post(
        reverse("api_rounds", args=[slug]), {"key": "two", **plan, **shown_in(again)}, **sent
    )

    assert (changed.status_code, changed.json()["error"]) == (409, "stale_preview")
    assert [(shown["n_items"], shown["n_left_out"]) for shown in (seen, again)] == [(2, 0), (1, 1)]
    assert (planned.status_code, planned.json()["n_assignments"], planned.json()["n_left_out"]) == (201, 1, 1)


@pytest.fixture
def stored_items(two_disputes, counts_as_large):
    """As a worker last found them for planning."""
    client = client_of(lead_of(two_disputes.project))
    address = reverse("api_round_preview", args=[two_disputes.project.slug])
    plan = plan_of(two_disputes)
    waiting = client.post(address, plan, content_type="application/json")
    compute_all(two_disputes.project)
    shown = client.post(address, plan, content_type="application/json")
    assert (waiting.status_code, waiting.json()["state"]) == (202, "queued")
    assert (shown.status_code, shown.json()["n_items"]) == (200, 2)
    return two_disputes


def test_a_round_over_the_api_is_not_planned_before_its_items_are_found(two_disputes, counts_as_large):
    work = two_disputes
    client, address = client_of(lead_of(work.project)), reverse("api_rounds", args=[work.project.slug])

    waiting = client.post(address, {"key": "two", **plan_of(work)}, content_type="application/json")

    assert waiting.status_code == 202
    assert not work.project.rounds.filter(key="two").exists()
    # A worker finds them all the same: what was asked for is not rolled back.
    assert compute_all(work.project) == 1


def test_the_page_keeps_the_plan_while_its_items_are_found(two_disputes, counts_as_large):
    work = two_disputes
    client, address = client_of(lead_of(work.project)), reverse("round_new", args=[work.project.slug])
    sent = form_on_disputes(client, address, work)

    waiting = client.post(address, sent)
    compute_all(work.project)
    shown = client.post(address, sent)

    assert waiting.context["form"].non_field_errors()
    assert not shown.context["form"].errors
    assert 'value="two"' in waiting.content.decode()
    assert [len(plan.planned.items) for plan in shown.context["plans"]] == [2]
    assert "data-as-of" in shown.content.decode()
    assert "data-left-out" not in shown.content.decode()


def test_assign_as_shown_assigns_nothing_else(two_disputes, counts_as_large, at_once):
    """Newer figures have another item in dispute than the preview."""
    work = two_disputes
    client, address = client_of(lead_of(work.project)), reverse("round_new", args=[work.project.slug])
    sent = form_on_disputes(client, address, work) | {"n_items": "2"}
    client.post(address, sent)
    compute_all(work.project)
    shown = client.post(address, sent)
    digests = [plan.digest for plan in shown.context["plans"]]
    answer(work, "bad", place=4, rater=1, seen={"tone": 1})
    decision_on(work, 3, "bad", by=lead_of(work.project))
    client.post(address, sent)
    compute_all(work.project)

    refused = client.post(address, sent | {"assign": "1", "digest": digests})

    assert refused.context["form"].non_field_errors()
    assert not work.project.rounds.filter(key="two").exists()
    [plan] = refused.context["plans"]
    assert set(plan.planned.items) == {work.items[0].pk, work.items[4].pk}
    assert f'value="{plan.digest}"' in refused.content.decode()
    taken = client.post(address, sent | {"assign": "1", "digest": [plan.digest]})
    assert taken.status_code == 302
    of_round = Assignment.objects.filter(round__key="two", round__project=work.project)
    assert {each.item_id for each in of_round} == set(plan.planned.items)


def test_the_page_tells_how_many_items_were_left_out(stored_items):
    work = stored_items
    decision_on(work, 3, "bad", by=lead_of(work.project))
    client, address = client_of(lead_of(work.project)), reverse("round_new", args=[work.project.slug])
    sent = form_on_disputes(client, address, work)

    shown = client.post(address, sent)

    assert [plan.planned.n_left_out for plan in shown.context["plans"]] == [1]
    assert "data-left-out" in shown.content.decode()


@pytest.mark.parametrize("ids", [[], [5], [1, 2, 3, 10**12]])
def test_ids_are_stored_as_they_are(ids):
    items = np.array(ids, dtype=np.int64)

    assert _unpacked(_packed(items)).tolist() == ids
