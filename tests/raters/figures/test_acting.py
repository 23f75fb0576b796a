"""What acts on stored figures of a large project reads what it acts on when it acts."""

import numpy as np
import pytest
from django.core.cache import cache
from django.urls import reverse

from projects.models import Item
from raters.actions import rater_of
from raters.adjudication.bulk import BulkChanged, decide_many
from raters.adjudication.deciding import NewDecision, decide, standing
from raters.adjudication.disputes import DisputeFilter
from raters.adjudication.proposing import BulkRule, preview_of
from raters.figures.stored import NotYet
from raters.labeling.answers import Answer
from raters.models import Assignment, Label, Rater, StoredFigures
from raters.rounds.disputed_items import _packed, _unpacked
from tests import cast
from tests.raters.figures.conftest import client_of, compute_all, lead_of
from tests.working import answer, new_work

ALL = DisputeFilter()


def decided_items(work):
    labels = Label.objects.filter(rater__kind=Rater.Kind.CONSENSUS, rater__project=work.project)
    return set(labels.values_list("item__key", flat=True))


def decision_on(work, place, category, *, by):
    item = Item.objects.select_related("project").get(pk=work.items[place].pk)
    reason = work.project.adjudication_reasons[0]
    decide(item, work.question, NewDecision(Answer(category=category), reason), seen=0, by=by)


@pytest.fixture
def two_disputes(work):
    answer(work, "bad", place=3, rater=1)
    return work


@pytest.fixture
def stored(two_disputes, counts_as_large):
    with pytest.raises(NotYet):
        preview_of(two_disputes.project, ALL, BulkRule(), by=lead_of(two_disputes.project))
    compute_all(two_disputes.project)
    return two_disputes


def test_a_bulk_preview_is_the_one_that_would_be_counted(two_disputes, monkeypatch):
    project, lead = two_disputes.project, lead_of(two_disputes.project)
    rule = BulkRule(rater=two_disputes.raters[0].pk)
    counted = preview_of(project, ALL, rule, by=lead)
    monkeypatch.setattr("raters.figures.size.MOST_COUNTED", 0)
    with pytest.raises(NotYet):
        preview_of(project, ALL, rule, by=lead)
    compute_all(project)

    stored = preview_of(project, ALL, rule, by=lead)

    assert (stored.digest, stored.proposals, stored.left) == (counted.digest, counted.proposals, counted.left)
    assert (stored.n_more, stored.n_waiting, len(stored.proposals)) == (0, counted.n_waiting, 2)
    assert (counted.counted.as_of, stored.counted.is_current) == (None, True)


def test_a_bulk_decision_is_about_the_labels_of_its_moment(stored):
    """The list still has an item that has been decided since, and one whose labels have changed."""
    project, lead = stored.project, lead_of(stored.project)
    rule = BulkRule(rater=stored.raters[0].pk)
    digest = preview_of(project, ALL, rule, by=lead).digest
    answer(stored, "fair", place=0, seen={"tone": 1})
    with pytest.raises(BulkChanged):
        decide_many(project, ALL, rule, digest=digest, by=lead)
    decision_on(stored, 3, "bad", by=lead)

    found = preview_of(project, ALL, rule, by=lead)
    done = decide_many(project, ALL, rule, digest=found.digest, by=lead)

    assert done.n == 1
    label = standing(Item.objects.get(pk=stored.items[0].pk), stored.question).label
    assert label.category.key == "fair"
    assert standing(Item.objects.get(pk=stored.items[3].pk), stored.question).label.category.key == "bad"


def test_a_dispute_that_is_none_any_more_is_not_decided(stored):
    project, lead = stored.project, lead_of(stored.project)
    answer(stored, "good", place=3, rater=1, seen={"tone": 1})

    found = preview_of(project, ALL, BulkRule(rater=stored.raters[0].pk), by=lead)

    assert [each.dispute.item for each in found.proposals] == [stored.items[0].pk]
    assert not found.counted.is_current


def test_a_bulk_decision_without_figures_saves_nothing_and_says_so(stored):
    project, lead = stored.project, lead_of(stored.project)
    client, address = client_of(lead), reverse("adjudicate_bulk", args=[project.slug])
    rule = {"rule": "rater", "rater": "1"}
    digest = client.get(address, rule).context["preview"].digest
    before = decided_items(stored)
    StoredFigures.objects.filter(project=project).delete()

    answered = client.post(address, {**rule, "digest": digest}, follow=True)

    assert decided_items(stored) == before
    assert [message.level_tag for message in answered.context["messages"]] == ["warning"]
    # The page waits for the preview, which is asked for with the same rule.
    assert 'data-state="queued"' in answered.content.decode()
    [(again, _)] = answered.redirect_chain
    compute_all(project)
    assert client.get(again).context["preview"].digest == digest


def test_a_bulk_decision_is_refused_if_other_rounds_are_hidden_than_at_the_preview(stored):
    """The figures are asked for all the same, so that the next preview has them."""
    project, lead = stored.project, lead_of(stored.project)
    client, address = client_of(lead), reverse("api_adjudication_bulk", args=[project.slug])
    rule = {"rule": "rater", "rater": "Rater A"}
    preview = client.post(address, rule, content_type="application/json").json()
    before = decided_items(stored)
    Assignment.objects.create(round=stored.round, rater=rater_of(project, lead), item=stored.items[5])

    decided = client.post(address, {**rule, "digest": preview["digest"]}, content_type="application/json")

    assert (decided.status_code, decided.json()["error"]) == (409, "disputes_not_listed")
    assert decided_items(stored) == before
    assert compute_all(project) == 1
    again = client.post(address, rule, content_type="application/json")
    assert (again.status_code, again.json()["n"]) == (200, 0)


def test_the_api_of_bulk_decisions_waits_for_figures(two_disputes, counts_as_large):
    project = two_disputes.project
    client, address = client_of(lead_of(project)), reverse("api_adjudication_bulk", args=[project.slug])
    sent = {"rule": "majority"}
    waiting = client.post(address, sent, content_type="application/json")
    compute_all(project)

    shown = client.post(address, sent, content_type="application/json")

    assert (waiting.status_code, waiting.json()["state"]) == (202, "queued")
    assert (shown.status_code, shown.json()["n_left"], shown.json()["is_current"]) == (200, 2, True)
    assert shown.json()["as_of"]


def test_a_refused_decision_is_answered_without_figures(work, counts_as_large):
    """What was chosen stays on the page, with what is wrong; the page does not wait."""
    lead = lead_of(work.project)
    decision_on(work, 0, "good", by=lead)
    client = client_of(lead)
    slug, item, question = work.project.slug, work.items[0].pk, work.question.pk
    one, whole = (
        reverse("adjudicate_item", args=[slug, item, question]),
        reverse("adjudicate_whole", args=[slug, item]),
    )
    cache.clear()

    stale = client.post(one, {"decision": "other", "note": "Mine", "revision": "0"})
    nothing = client.post(whole, {"labels": "no digest"})

    for answered in (stale, nothing):
        assert 400 <= answered.status_code < 500
        assert answered.context["refusal"]
    assert "Mine" in stale.content.decode()


def test_a_script_is_told_that_a_decision_is_saved_without_figures(work, counts_as_large):
    client = client_of(lead_of(work.project))
    address = reverse("adjudicate_whole", args=[work.project.slug, work.items[0].pk])
    client.get(address)
    compute_all(work.project)
    digest, question = client.get(address).context["whole"].digest, work.question.pk
    chosen = work.question.categories.get(key="bad").pk
    StoredFigures.objects.filter(project=work.project).delete()
    cache.clear()

    answered = client.post(
        address,
        {
            "labels": digest,
            f"decision-{question}": f"category-{chosen}",
            f"reason-{question}": work.project.adjudication_reasons[0],
            f"revision-{question}": "0",
            "ahead": str(work.items[1].pk),
        },
    )

    assert answered.status_code == 204
    assert work.items[0].key in decided_items(work)
    assert not answered.has_header("X-Resolved")


def test_a_change_of_a_round_does_not_wait_for_figures(work, counts_as_large):
    client = client_of(lead_of(work.project))
    address = reverse("api_round", args=[work.project.slug, work.round.pk])
    change = {"path": address, "data": {"idle_minutes": 7}, "content_type": "application/json"}
    changed = client.patch(**change)
    compute_all(work.project)
    again = client.patch(**change | {"data": {"idle_minutes": 8}})

    assert (changed.status_code, changed.json()["idle_minutes"]) == (200, 7)
    assert [changed.json()[name] for name in ("n_assignments", "n_done", "lacking", "as_of")] == [None] * 4
    assert [again.json()[name] for name in ("idle_minutes", "n_assignments", "n_done", "lacking")] == [
        8,
        12,
        8,
        [],
    ]
    assert again.json()["as_of"]


def test_the_answer_to_a_planned_round_has_its_own_numbers(work, counts_as_large):
    """Those that are stored do not have the round yet."""
    client = client_of(lead_of(work.project))
    plan = {"key": "two", "design": "everyone", "raters": [work.user().username]}

    planned = client.post(
        reverse("api_rounds", args=[work.project.slug]), plan, content_type="application/json"
    )

    assert planned.status_code == 201
    assert [planned.json()[name] for name in ("n_assignments", "n_done", "lacking", "as_of")] == [
        1,
        0,
        [],
        None,
    ]


def test_a_round_can_be_deleted_exactly_if_its_page_offers_it(committed_db, counts_as_large, at_once):
    """Its labels were withdrawn, and are part of its history."""
    work = new_work(n_items=2)
    client = client_of(lead_of(work.project))
    page = reverse("round", args=[work.project.slug, work.round.pk])
    api = reverse("api_round_progress", args=[work.project.slug, work.round.pk])
    client.get(page)
    compute_all(work.project)
    never_labeled = client.get(page).context["standing"].is_empty
    answer(work, "good")
    labeled_since = client.get(page).context["standing"].is_empty
    Label.objects.filter(question=work.question).delete()
    Assignment.objects.filter(round=work.round).update(state=Assignment.State.PENDING, done_at=None)
    client.get(page)
    compute_all(work.project)

    shown = client.get(page)
    deleted = client.post(reverse("round_delete", args=[work.project.slug, work.round.pk]))

    assert (never_labeled, labeled_since, shown.context["standing"].is_empty) == (True, False, False)
    assert 'id="has-labels"' in shown.content.decode()
    assert client.get(api).json()["is_empty"] is False
    assert deleted.url == page
    assert work.project.rounds.filter(pk=work.round.pk).exists()


def plan_of(work):
    """A round of the items in dispute for somebody who has not labeled any."""
    rater = cast.member(work.project, "rater", username="dora", unique=True)
    return {"design": "everyone", "raters": [rater.username], "items": {"kind": "disputed"}}


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


def test_the_api_tells_how_many_items_were_left_out_and_plans_only_what_it_showed(stored_items):
    work, lead = stored_items, lead_of(stored_items.project)
    client, slug = client_of(lead), work.project.slug
    sent = {"content_type": "application/json"}
    plan = plan_of(work)
    seen = client.post(reverse("api_round_preview", args=[slug]), plan, **sent).json()
    decision_on(work, 3, "bad", by=lead)
    changed = client.post(
        reverse("api_rounds", args=[slug]), {"key": "two", **plan, "digest": seen["digest"]}, **sent
    )
    again = client.post(reverse("api_round_preview", args=[slug]), plan, **sent).json()

    planned = client.post(
        reverse("api_rounds", args=[slug]), {"key": "two", **plan, "digest": again["digest"]}, **sent
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
    form = client.get(address).context["form"]
    sent = {name: form[name].value() for name in form.fields if form[name].value() not in (None, False)} | {
        "repeats": "0"
    }
    sent |= {
        "key": "two",
        "source": "disputed",
        "raters": [str(work.user().pk)],
        "again": "on",
        "raters_per_item": "1",
    }

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
    form = client.get(address).context["form"]
    sent = {name: form[name].value() for name in form.fields if form[name].value() not in (None, False)} | {
        "key": "two",
        "source": "disputed",
        "raters": [str(work.user().pk)],
        "repeats": "0",
        "again": "on",
        "raters_per_item": "1",
        "n_items": "2",
    }
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
    form = client.get(address).context["form"]
    sent = {name: form[name].value() for name in form.fields if form[name].value() not in (None, False)} | {
        "key": "two",
        "source": "disputed",
        "raters": [str(work.user().pk)],
        "repeats": "0",
        "again": "on",
        "raters_per_item": "1",
    }

    shown = client.post(address, sent)

    assert [plan.planned.n_left_out for plan in shown.context["plans"]] == [1]
    assert "data-left-out" in shown.content.decode()


@pytest.mark.parametrize("ids", [[], [5], [1, 2, 3, 10**12]])
def test_ids_are_stored_as_they_are(ids):
    items = np.array(ids, dtype=np.int64)

    assert _unpacked(_packed(items)).tolist() == ids
