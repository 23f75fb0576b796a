"""Actions on stored figures of a large project read the current data when they act."""

import pytest
from django.core.cache import cache
from django.urls import reverse

from projects.models import Item
from raters.actions import rater_of
from raters.adjudication.bulk import BulkPreviewOutdated, decide_many
from raters.adjudication.deciding import current_decision
from raters.adjudication.disputes import DisputeFilter
from raters.adjudication.proposing import BulkRule, preview_of
from raters.figures.stored_figures import FiguresNotComputed
from raters.models import Assignment, Label, Rater, StoredFigures
from tests.raters.figures.conftest import client_of, compute_all, decision_on, lead_of
from tests.working import answer, new_work

ALL = DisputeFilter()


def decided_items(work):
    labels = Label.objects.filter(rater__kind=Rater.Kind.CONSENSUS, rater__project=work.project)
    return set(labels.values_list("item__key", flat=True))


@pytest.fixture
def stored(two_disputes, counts_as_large):
    with pytest.raises(FiguresNotComputed):
        preview_of(two_disputes.project, ALL, BulkRule(), by=lead_of(two_disputes.project))
    compute_all(two_disputes.project)
    return two_disputes


def test_a_bulk_preview_is_the_one_that_would_be_counted(two_disputes, monkeypatch):
    project, lead = two_disputes.project, lead_of(two_disputes.project)
    rule = BulkRule(rater=two_disputes.raters[0].pk)
    counted = preview_of(project, ALL, rule, by=lead)
    monkeypatch.setattr("raters.figures.size.MOST_COUNTED", 0)
    with pytest.raises(FiguresNotComputed):
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
    with pytest.raises(BulkPreviewOutdated):
        decide_many(project, ALL, rule, digest=digest, by=lead)
    decision_on(stored, 3, "bad", by=lead)

    found = preview_of(project, ALL, rule, by=lead)
    done = decide_many(project, ALL, rule, digest=found.digest, by=lead)

    assert done.n == 1
    label = current_decision(Item.objects.get(pk=stored.items[0].pk), stored.question).label
    assert label.category.key == "fair"
    assert (
        current_decision(Item.objects.get(pk=stored.items[3].pk), stored.question).label.category.key == "bad"
    )


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


def test_a_script_learns_that_a_decision_is_saved_without_figures(work, counts_as_large):
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
    assert [changed.json()[name] for name in ("n_assignments", "n_done", "missing_answers", "as_of")] == [
        None
    ] * 4
    assert [
        again.json()[name] for name in ("idle_minutes", "n_assignments", "n_done", "missing_answers")
    ] == [
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
    assert [planned.json()[name] for name in ("n_assignments", "n_done", "missing_answers", "as_of")] == [
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
    never_labeled = client.get(page).context["status"].is_empty
    answer(work, "good")
    labeled_since = client.get(page).context["status"].is_empty
    Label.objects.filter(question=work.question).delete()
    Assignment.objects.filter(round=work.round).update(state=Assignment.State.PENDING, done_at=None)
    client.get(page)
    compute_all(work.project)

    shown = client.get(page)
    deleted = client.post(reverse("round_delete", args=[work.project.slug, work.round.pk]))

    assert (never_labeled, labeled_since, shown.context["status"].is_empty) == (True, False, False)
    assert 'id="has-labels"' in shown.content.decode()
    assert client.get(api).json()["is_empty"] is False
    assert deleted.url == page
    assert work.project.rounds.filter(pk=work.round.pk).exists()
