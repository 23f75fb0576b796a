"""What the preview of a round showed is assigned, or nothing; and a plan that keeps changing can still be assigned."""

import pytest

from projects.models import Item
from tests import cast
from tests.labeling import keyed
from tests.raters.rounds.test_chosen_items import users


@pytest.fixture
def planning(work, leader):
    """Ask for a plan on all items with "item" in their key, by both raters of the project."""
    client, url = cast.signed_in(leader), f"/p/{work.project.slug}/rounds/new/"
    given = {
        "key": "words", "raters": [user.pk for user in users(work)], "design": "everyone", "raters_per_item": 2,
        "share": 20, "source": "words", "words": "item", "again": "on", "repeats": 0, "n_calibration": 1,
        "idle_minutes": 60, "seed": 1, "kappa": 0.7, "prevalence": 50, "reference_use": "check",
    }  # fmt: skip
    return lambda **more: client.post(url, {name: x for name, x in (given | more).items() if x is not None})


def digests(page):
    return [plan.digest for plan in page.context["plans"]]


def planned_items(project):
    return [set(each.assignments.values_list("item", flat=True)) for each in project.rounds.all()][1:]


def add_items(project, *keys):
    return keyed(Item, project, keys)


def test_calibration_items_and_others_are_assigned_as_shown(work, planning):
    shown = planning()

    assigned = planning(assign="1", digest=digests(shown))

    assert assigned.status_code == 302
    first, second = planned_items(work.project)
    assert [first, second] == [set(plan.planned.items.tolist()) for plan in shown.context["plans"]]
    assert not first & second


@pytest.mark.parametrize("seed", range(6))
def test_calibration_items_that_all_raters_have_labeled_change_nothing(work, planning, seed):
    """They are drawn, and nobody gets them."""
    add_items(work.project, *(f"item more {n}" for n in range(4)))
    asked = {"again": None, "n_calibration": 3, "seed": seed}
    shown = planning(**asked)

    assigned = planning(assign="1", digest=digests(shown), **asked)

    assert len(shown.context["plans"]) == 2
    assert assigned.status_code == 302


def test_a_round_that_was_not_shown_is_not_assigned(work, planning):
    shown = planning(n_calibration="", n_items=1)

    refused = planning(n_calibration=1, design="some", assign="1", digest=digests(shown))

    assert refused.status_code == 400
    assert len(refused.context["plans"]) == 2
    assert planned_items(work.project) == []


def test_a_plan_that_changes_all_the_time_can_be_assigned(work, planning):
    shown = planning()
    add_items(work.project, "item more")

    refused = planning(assign="1", digest=digests(shown))
    last = add_items(work.project, "item last")["item last"]
    assigned = planning(assign="whatever", digest=digests(refused))

    assert 'value="whatever"' not in shown.content.decode()
    assert 'value="whatever"' in refused.content.decode()
    assert assigned.status_code == 302
    assert last.pk in set().union(*planned_items(work.project))
