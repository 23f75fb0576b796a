"""What is treated as missing is in no dispute and does not vote; it can be decided, and then there is no label."""

import json

import pytest

from projects.models import Category, Question
from raters.adjudication.cases import case_of
from raters.adjudication.deciding import NewDecision, decide
from raters.adjudication.disputes import (
    DisputeCount,
    DisputeFilter,
    OpenDisputes,
    dispute_params,
    undecided,
    undecided_items,
)
from raters.adjudication.exporting import final_labels
from raters.labeling.answers import Answer
from raters.models import Label, Rater
from raters.passes import ONE_STAGE
from tests.labeling import new_question

pytestmark = pytest.mark.signed_in("auditor")


def treat(question, key, *, as_missing=True):
    question.categories.filter(key=key).update(treated_as_missing=as_missing)


def listed(project):
    return [(row.item.key, row.question.key) for row in OpenDisputes(project, DisputeFilter())[:50]]


def numbers_of(project, question, **more):
    raters = Rater.objects.filter(project=project)
    found = undecided(
        dispute_params(DisputeFilter(), questions=[question], raters=raters, stages=ONE_STAGE), **more
    )
    return found.n, found.n_items


def finals(project):
    return [
        (found.item, found.label, str(found.origin), found.final.n_raters, found.final.share_agree)
        for found in final_labels(project)
    ]


def test_a_missing_category_alone_makes_no_dispute(disputed, disputed_tone, project):
    """item-2: good, good, bad. item-3: good, fair, bad."""
    treat(disputed_tone, "bad")

    found = OpenDisputes(project, DisputeFilter())

    assert listed(project) == [("item-3", "tone")]
    assert (found.total, found.counts[disputed_tone.pk]) == (DisputeCount(1, 0), DisputeCount(1, 0))
    assert [(row.dispute.n_labels, row.dispute.n_values, row.dispute.entropy) for row in found[:9]] == [
        (2, 2, 1.0)
    ]
    assert undecided_items(project, DisputeFilter()) == [disputed[2].pk]


@pytest.mark.parametrize("more", [{}, {"has_repeats": False}, {"has_repeats": False, "is_of_choices": True}])
def test_the_number_of_disputes_is_that_of_the_list(disputed, disputed_tone, project, more):
    assert numbers_of(project, disputed_tone, **more) == (2, 2)

    treat(disputed_tone, "bad")

    assert numbers_of(project, disputed_tone, **more) == (1, 1)


def test_it_is_a_dispute_again_once_it_is_not_missing(disputed, disputed_tone, project):
    treat(disputed_tone, "bad")
    treat(disputed_tone, "bad", as_missing=False)

    assert listed(project) == [("item-3", "tone"), ("item-2", "tone")]


def test_the_next_pass_replaces_a_missing_one(say, disputed_tone, project):
    say("a", "ann", "good")
    say("a", "bob", "bad")
    say("a", "bob", "fair", pass_number=2)
    treat(disputed_tone, "bad")

    assert listed(project) == [("a", "tone")]
    assert finals(project) == [("a", None, "none", 2, 0.5)]


def test_sets_and_numbers_can_be_missing(project, say):
    many = new_question(project, key="many", kind="multiple", categories=("a", "b", "na"))
    size = Question.objects.create(project=project, key="size", kind="number", missing_values=[99.0, -9.0])
    other = Question.objects.create(project=project, key="other", kind="number", missing_values=[4.0])
    ids = dict(many.categories.values_list("key", "pk"))
    treat(many, "na")
    item = say("x", "ann", "good").item
    say("x", "bob", "good")
    ann, bob = Rater.objects.get(key="ann"), Rater.objects.get(key="bob")
    for rater, chosen, number in ((ann, ["a"], 4.0), (bob, ["a", "na"], 99.0)):
        chosen_ids = sorted(ids[key] for key in chosen)
        Label.objects.create(item=item, question=many, rater=rater, category_set=chosen_ids)
        for question in (size, other):
            Label.objects.create(item=item, question=question, rater=rater, number=number)

    assert listed(project) == []
    assert [found.label for found in final_labels(project)] == ["good", ["a"], 4.0, 99.0]


def test_final_labels_are_those_of_the_votes_that_count(disputed, disputed_tone, project, say):
    say("item-4", "ann", "bad")
    say("item-4", "bob", None)
    say("item-5", "ann", "fair")
    say("item-5", "gold", "bad", kind=Rater.Kind.REFERENCE)
    treat(disputed_tone, "bad")

    assert finals(project) == [
        ("item-1", "good", "unanimous", 3, 1.0),
        ("item-2", "good", "unanimous", 2, 1.0),
        ("item-3", None, "none", 2, 0.5),
        # Nothing was said of it that is a label, but it was labeled.
        ("item-4", None, "none", 0, None),
        ("item-5", "fair", "one_rater", 1, 1.0),
    ]


def test_a_missing_decision_is_kept_without_a_label(client, disputed, disputed_tone, project, adjudicator):
    decide(disputed[2], disputed_tone, NewDecision(Answer(category="bad")), seen=0, by=adjudicator)
    treat(disputed_tone, "bad")

    found = {label.item: label for label in final_labels(project)}["item-3"]

    assert (found.label, str(found.origin), found.is_missing) == (None, "adjudicated", True)
    assert found.final.share_agree is None
    assert listed(project) == []
    sent = client.get(f"/p/{project.slug}/items/final/jsonl/")
    [third] = [
        json.loads(line)
        for line in b"".join(sent.streaming_content).decode().splitlines()
        if json.loads(line)["item"] == "item-3"
    ]
    assert (third["label"], third["origin"], third["decided_by"]) == (None, "adjudicated", "ada")


def test_the_case_says_which_labels_are_missing_and_lists_them_last(disputed, disputed_tone):
    treat(disputed_tone, "good")

    case = case_of(disputed[1], Question.objects.get(pk=disputed_tone.pk))

    opinions = [(opinion.words, opinion.is_missing) for opinion in case.opinions]
    assert sorted(opinions) == [("bad", False)] + [("good (treated as missing)", True)] * 2
    assert [choice.words for choice in case.given] == ["bad", "good (treated as missing)"]
    assert case.given[0].value == f"category-{Category.objects.get(key='bad').pk}"
