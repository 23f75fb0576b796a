"""Rounds on items that were labeled with low confidence."""

import pytest

from raters.models import Label, Rater
from raters.rounds.assigning.assignment_design import DesignRefused
from raters.rounds.chosen_items import ItemChoice, ItemSource, LowConfidenceOf, items_chosen
from tests import cast
from tests.raters.rounds.test_chosen_items import call, keys_of, users
from tests.working import Work


@pytest.fixture
def stated(work) -> Work:
    """How sure the two raters are of items 1 to 3: 25% and 100%, 50% and 25%, 75% and unsaid; the reference is not."""
    gold = Rater.objects.create(project=work.project, key="gold", kind=Rater.Kind.REFERENCE)
    category = work.question.categories.first()
    for place, (first, second) in enumerate([(0.25, 1.0), (0.5, 0.25), (0.75, None)]):
        for rater, confidence in zip([*work.raters, gold], [first, second, 0.0], strict=True):
            Label.objects.create(
                item=work.items[place],
                question=work.question,
                rater=rater,
                category=category,
                confidence=confidence,
            )
    return work


@pytest.mark.parametrize(
    ("at_most", "by", "keys"),
    [
        (0.25, LowConfidenceOf.ANY, ["item-1", "item-2"]),
        (0.5, LowConfidenceOf.ALL, ["item-2"]),
        (0.75, LowConfidenceOf.ALL, ["item-2", "item-3"]),
        (1.0, LowConfidenceOf.ANY, ["item-1", "item-2", "item-3"]),
    ],
)
def test_items_labeled_with_low_confidence(stated, at_most, by, keys):
    choice = ItemChoice.of_low_confidence(stated.question, at_most, by)

    assert keys_of(stated.project, choice) == keys
    kept = ItemChoice.of_json(choice.as_json())
    assert (kept.source, kept.words) == (ItemSource.CONFIDENCE, choice.words)


def test_no_items_of_low_confidence_are_no_round(stated):
    choice = ItemChoice.of_low_confidence(stated.question, 0.1, LowConfidenceOf.ANY)

    with pytest.raises(
        DesignRefused, match=r"There are no items labeled with low confidence \(tone: 10% or less"
    ):
        items_chosen(stated.project, choice)


def test_the_page_plans_items_of_low_confidence_after_a_preview(stated, leader):
    client = cast.signed_in(leader)
    given = {
        "key": "unsure", "raters": [user.pk for user in users(stated)], "design": "everyone", "raters_per_item": 2,
        "share": 20, "source": "confidence", "of_question": stated.question.pk, "at_most": "0.25", "by": "any",
        "again": "on", "repeats": 0, "idle_minutes": 60, "seed": 1, "kappa": 0.7, "prevalence": 50,
        "reference_use": "check",
    }  # fmt: skip
    url = f"/p/{stated.project.slug}/rounds/new/"

    seen = client.post(url, given)
    assert (seen.status_code, stated.project.rounds.count()) == (200, 1)
    assert "4 assignments" in seen.content.decode()
    assert client.post(url, given | {"assign": "1"}).status_code == 302

    planned = stated.project.rounds.get(key="unsure").assignments
    assert set(planned.values_list("item__key", flat=True)) == {"item-1", "item-2"}
    refused = client.post(url, given | {"key": "third", "of_question": ""})
    assert refused.status_code == 400
    assert "of_question" in refused.context["form"].errors


def test_a_round_of_low_confidence_over_the_api(stated, leader):
    client, slug = cast.signed_in(leader), stated.project.slug
    items = {"kind": "confidence", "question": "tone", "at_most": 0.5, "by": "all", "again": True}
    plan = {
        "key": "unsure",
        "design": "everyone",
        "raters": [user.username for user in users(stated)],
        "items": items,
    }

    made = call(client, "POST", f"{slug}/rounds/", plan)

    assert made.status_code == 201, made.content
    assert made.json()["n_assignments"] == 2
    assert made.json()["items"]["about"] == "tone: 50% or less, by all raters"
    unknown = call(
        client, "POST", f"{slug}/rounds/", plan | {"key": "x", "items": items | {"question": "none"}}
    )
    assert (unknown.status_code, unknown.json()["error"]) == (400, "no_such_question")
    without_threshold = call(
        client, "POST", f"{slug}/rounds/", plan | {"key": "x", "items": {"kind": "confidence"}}
    )
    assert without_threshold.status_code == 400
