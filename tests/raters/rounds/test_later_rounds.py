"""Which round final labels and disputes use, if items are labeled again."""

import random

import pytest
from django.db import connection

from projects.models import Item, Round
from raters.adjudication.deciding import NewDecision, decide
from raters.adjudication.disputes import DisputeFilter, OpenDisputes
from raters.adjudication.estimating import read_votes
from raters.adjudication.exporting import final_labels
from raters.adjudication.item_disputes import item_disputes
from raters.adjudication.proposing import BulkRule, preview_of
from raters.labeling.answers import Answer
from raters.models import Assignment, Label, Rater
from raters.passes import CurrentLabels, RoundStages, superseded
from raters.progress.progress_figures import figures_of
from raters.rounds.plan_storage import plan_round
from raters.rounds.states import close_round, open_round
from tests import cast
from tests.raters.rounds.test_chosen_items import again, plan_of, say, users
from tests.working import Work

TRAINING = Round.ReferenceUse.TRAINING


@pytest.fixture
def labeled_again(work, leader) -> Round:
    """Round 1: both raters agree on item-1 and differ on item-2; a second round of the same items is open."""
    say(work, work.round, (0, 0, "good"), (1, 0, "good"), (0, 1, "good"), (1, 1, "bad"))
    second = plan_round(work.project, "second", plan_of(again(work)), users(work), by=leader)
    open_round(second, by=leader)
    return second


def finals(work: Work) -> dict:
    return {
        each.item: (each.label, str(each.origin), each.final.n_raters) for each in final_labels(work.project)
    }


def listed(work: Work) -> list[str]:
    return [row.item.key for row in OpenDisputes(work.project, DisputeFilter())[:50]]


def test_a_round_counts_for_an_item_once_it_is_complete_for_it(work, labeled_again, leader):
    before = {"item-1": ("good", "unanimous", 2), "item-2": (None, "none", 2)}
    assert finals(work) == before

    say(work, labeled_again, (0, 0, "bad"), (0, 1, "bad"))
    assert finals(work) == before

    say(work, labeled_again, (1, 1, "bad"))
    after = {"item-1": ("good", "unanimous", 2), "item-2": ("bad", "unanimous", 2)}
    assert finals(work) == after

    close_round(labeled_again, by=leader)
    assert finals(work) == after


def test_without_a_complete_round_the_latest_with_labels_counts(work, labeled_again, leader):
    third = plan_round(work.project, "third", plan_of(again(work)), users(work), by=leader)
    Assignment.objects.filter(round=work.round, item=work.items[0], rater=work.raters[1]).update(
        state="pending"
    )
    say(work, labeled_again, (0, 0, "bad"))
    open_round(third, by=leader)

    assert finals(work)["item-1"] == ("bad", "one_rater", 1)

    Assignment.objects.filter(round=work.round).update(state="done")
    assert finals(work)["item-1"] == ("good", "unanimous", 2)


def test_labels_without_assignments_are_complete(work, labeled_again):
    third = Round.objects.create(
        project=work.project, key="third", position=9, plans=[{"chosen": {"kind": "list", "again": True}}]
    )
    say(work, labeled_again, (0, 0, "bad"))
    Label.objects.create(
        item=work.items[0], question=work.question, rater=work.raters[0], round=third, pass_number=5,
        category=work.question.categories.get(key="fair"),
    )  # fmt: skip

    assert finals(work)["item-1"] == ("fair", "one_rater", 1)


def test_a_question_asked_again_leaves_the_others_complete(work, labeled_again):
    say(work, labeled_again, (0, 0, "bad"), (1, 0, "bad"))
    Assignment.objects.filter(round=labeled_again, item=work.items[0]).update(
        state="pending", asked_again=[work.question.pk + 10**6]
    )
    assert finals(work)["item-1"] == ("bad", "unanimous", 2)

    Assignment.objects.filter(round=labeled_again, item=work.items[0]).update(asked_again=[work.question.pk])
    assert finals(work)["item-1"] == ("good", "unanimous", 2)


def test_a_training_round_is_not_used_if_there_is_another(work, labeled_again):
    say(work, labeled_again, (0, 0, "bad"), (1, 0, "bad"), (0, 1, "bad"))
    Round.objects.filter(pk=labeled_again.pk).update(reference_use=TRAINING)
    assert finals(work) == {"item-1": ("good", "unanimous", 2), "item-2": (None, "none", 2)}

    # An incomplete one is better than training.
    Round.objects.filter(pk=labeled_again.pk).update(reference_use=Round.ReferenceUse.CHECK)
    Round.objects.filter(pk=work.round.pk).update(reference_use=TRAINING)
    assert finals(work) == {"item-1": ("bad", "unanimous", 2), "item-2": ("bad", "one_rater", 1)}

    # If all rounds are for training, the latest complete one counts.
    Round.objects.filter(project=work.project).update(reference_use=TRAINING)
    assert finals(work) == {"item-1": ("bad", "unanimous", 2), "item-2": (None, "none", 2)}


def test_training_without_labeling_again_is_left_out_too(work):
    Round.objects.filter(pk=work.round.pk).update(position=1)
    say(work, work.round, (0, 0, "good"), (1, 0, "good"))
    training = Round.objects.create(project=work.project, key="training", reference_use=TRAINING)
    label = {"item": work.items[0], "question": work.question, "round": training}
    third = Rater.objects.create(project=work.project, key="third")
    Label.objects.create(**label, rater=third, category=work.question.categories.get(key="bad"))

    assert finals(work)["item-1"] == ("good", "unanimous", 2)
    assert listed(work) == []
    assert figures_of(work.project).items.n_disputed == 0


def test_open_disputes_stay_while_the_items_are_labeled_again(work, labeled_again):
    assert listed(work) == ["item-2"]
    assert OpenDisputes(work.project, DisputeFilter()).n_waiting == 0
    assert figures_of(work.project).items.n_disputed == 1

    say(work, labeled_again, (0, 1, "bad"))
    assert listed(work) == ["item-2"]

    say(work, labeled_again, (1, 1, "bad"))
    assert listed(work) == []


def test_what_was_decided_stays_resolved_when_the_item_is_labeled_again(work, labeled_again, leader):
    decide(
        work.items[1],
        work.question,
        NewDecision(Answer(category="good")),
        seen=0,
        by=leader,
    )
    total = OpenDisputes(work.project, DisputeFilter()).total
    assert (total.n, total.n_decided, total.n_open) == (1, 1, 0)

    # In the later round, they agree on what they had disagreed about, and disagree about what they had agreed on.
    say(work, labeled_again, (0, 1, "bad"), (1, 1, "bad"), (0, 0, "good"), (1, 0, "fair"))
    total = OpenDisputes(work.project, DisputeFilter()).total
    assert (total.n, total.n_decided, total.n_open) == (2, 1, 1)
    assert listed(work) == ["item-1"]

    decide(
        work.items[0],
        work.question,
        NewDecision(Answer(category="good")),
        seen=0,
        by=leader,
    )
    total = OpenDisputes(work.project, DisputeFilter()).total
    assert (total.n, total.n_decided, total.n_open) == (2, 2, 0)
    page = cast.signed_in(leader).get(f"/p/{work.project.slug}/adjudicate/").content.decode()
    assert "2 disputes · 2 resolved · 0 open" in page
    assert "data-labeled-again" in page


def test_adjudicators_count_the_same_labels(work, labeled_again):
    say(work, labeled_again, (0, 1, "fair"))

    [asked] = item_disputes(work.items[1]).questions
    assert sorted(
        (opinion.words, opinion.is_superseded, opinion.counts) for opinion in asked.case.opinions
    ) == [
        ("bad", False, True),
        ("fair", True, False),
        ("good", False, True),
    ]
    assert [choice.words for choice in asked.case.given] == ["good", "bad"]
    bulk = preview_of(work.project, DisputeFilter(), BulkRule(rater=work.raters[0].pk))
    assert [each.value.category for each in bulk.proposals] == [work.question.categories.get(key="good").pk]


def test_reliability_is_estimated_from_the_same_labels(work, labeled_again):
    say(work, labeled_again, (0, 0, "bad"), (0, 1, "fair"), (1, 1, "fair"))
    categories = {each.pk: each.key for each in work.question.categories.all()}

    connection.ensure_connection()
    votes = read_votes(connection.connection, work.question, list(categories))

    items = {item.pk: item.key for item in work.items}
    assert sorted((items[item], categories[category]) for item, _, category in votes.tolist()) == [
        ("item-1", "good"), ("item-1", "good"), ("item-2", "fair"), ("item-2", "fair")
    ]  # fmt: skip


def test_the_page_says_which_round_is_used(work, labeled_again, leader):
    page = cast.signed_in(leader).get(f"/p/{work.project.slug}/items/final/").content.decode()

    assert "data-round-used" in page


@pytest.mark.parametrize("seed", range(6))
def test_the_database_and_python_use_the_same_labels(work, seed):
    chance = random.Random(seed)
    project, question, rater = work.project, work.question, work.raters[0]
    rounds: list[Round | None] = [None, *(
        Round.objects.create(
            project=project, key=f"r{n}", position=n,
            plans=[{"chosen": {"kind": "list", "again": chance.random() < 0.6}}],
            reference_use=TRAINING if chance.random() < 0.3 else "check",
        )
        for n in range(5)
    )]  # fmt: skip
    category = question.categories.get(key="good")
    items = Item.objects.bulk_create(Item(project=project, key=f"more-{n}") for n in range(40))
    for item in items:
        chosen = chance.sample(rounds, chance.randint(1, 4))
        for place, round_ in enumerate(chosen, start=1):
            Label.objects.create(
                item=item, question=question, rater=rater, round=round_, pass_number=place, category=category
            )
        for place, round_ in enumerate(rounds, start=1):
            asked = chance.choice([[], [], [question.pk], [question.pk + 1]])
            if chance.random() < 0.6:
                Assignment.objects.create(
                    item=item, rater=rater, round=round_, pass_number=place, asked_again=asked,
                    state=chance.choice(["pending", "done"]),
                )  # fmt: skip
    params = {"project": project.pk, **RoundStages.of(project).params()}
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT l.id FROM raters_label l JOIN projects_item i ON i.id = l.item_id "
            f"WHERE i.project_id = %(project)s AND NOT {superseded('l')}",
            params,
        )
        by_database = {pk for (pk,) in cursor.fetchall()}

    current = CurrentLabels.of(project, [item.pk for item in items])
    labels = Label.objects.filter(item__in=items).select_related("rater")
    of_items = [[label for label in labels if label.item_id == item.pk] for item in items]

    assert by_database == {label.pk for of_item in of_items for label in current.among(of_item)}
    assert 0 < len(by_database) < len(labels)
