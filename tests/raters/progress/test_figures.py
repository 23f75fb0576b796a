"""The figures of the overview, on a small project counted by hand."""

import itertools
import random
from datetime import timedelta

import pytest
from django.utils import timezone

from projects.models import Item, Question, Round
from raters.adjudication import disputes
from raters.labeling.answers import Answer
from raters.models import Assignment, Label, Rater
from raters.progress.progress_figures import ItemCounts, LabelCounts, RecentPace, figures_of
from raters.progress.progress_lists import ListFilter, ListRows, ProgressCount
from raters.rounds.states import rounds_of
from tests.labeling import new_question
from tests.working import answer, new_work


@pytest.fixture
def answered_work(db):
    """Three items by two raters: agreed on, in dispute, and done by one alone; a fourth item is in no round."""
    work = new_work(usernames=["ana", "ben"])
    Item.objects.create(project=work.project, key="item-4")
    answer(work, "good", seconds=10)
    answer(work, "good", rater=1, seconds=4)
    answer(
        work, {"tone": Answer(category="bad", note="Look")}, place=1, seconds=20, is_guideline_unclear=True
    )
    answer(work, "good", place=1, rater=1, seconds=4)
    answer(work, {"tone": Answer(is_abstention=True, reason="Blurred")}, place=2, seconds=90)
    return work


# However many raters, rounds, questions and labels there are.
N_QUERIES = 16


def of(work, place):
    return figures_of(work.project).raters[place]


def behind(work, what, **which):
    found = ListRows(work.project, ListFilter(what, **which))
    rows = found[0:50]
    assert len(found) == len(rows)
    return [(row.item.key, row.rater) for row in rows]


def test_items(answered_work):
    assert figures_of(answered_work.project).items == ItemCounts(
        n=4, n_planned=3, n_finished=2, n_free=1, n_disputed=1, n_disputes=1
    )
    assert behind(answered_work, ProgressCount.FINISHED) == [("item-1", ""), ("item-2", "")]
    assert behind(answered_work, ProgressCount.WAITING) == [("item-3", "")]
    assert behind(answered_work, ProgressCount.FREE) == [("item-4", "")]
    assert behind(answered_work, ProgressCount.DISPUTED) == [("item-2", "")]


def test_nothing_is_in_progress_once_all_rounds_are_closed(answered_work):
    Round.objects.filter(pk=answered_work.round.pk).update(state="closed")

    items = figures_of(answered_work.project).items
    assert (items.n_finished, items.n_waiting, items.n_unfinished) == (2, 0, 1)
    assert behind(answered_work, ProgressCount.WAITING) == []
    assert behind(answered_work, ProgressCount.UNFINISHED) == [("item-3", "")]

    # What is left in another round is in progress.
    later = Round.objects.create(project=answered_work.project, key="later", state="open")
    Assignment.objects.create(
        item=answered_work.items[2], rater=answered_work.raters[1], round=later, pass_number=2
    )
    items = figures_of(answered_work.project).items
    assert (items.n_finished, items.n_waiting, items.n_unfinished) == (2, 1, 0)
    assert behind(answered_work, ProgressCount.WAITING) == [("item-3", "")]


def test_places_of_raters_and_rounds(answered_work):
    figures = figures_of(answered_work.project)

    assert [(row.rater.key, row.assignments.n_done, row.assignments.n_left) for row in figures.raters] == [
        ("ana", 3, 0),
        ("ben", 2, 1),
    ]
    [of_round] = figures.rounds
    assert (of_round.assignments.n_done, of_round.assignments.n, of_round.n_free) == (5, 6, 0)
    assert behind(answered_work, ProgressCount.LEFT) == [("item-3", "ben")]
    assert len(behind(answered_work, ProgressCount.DONE, rater=answered_work.raters[0].pk)) == 3


def test_what_waits_on_withdrawn_items_is_no_work_that_is_left(answered_work):
    answered_work.project.items.update(withdrawn_at=timezone.now())

    figures = figures_of(answered_work.project)

    assert figures.items == ItemCounts(n=4, n_planned=3, n_finished=3, n_free=0, n_disputed=1, n_disputes=1)
    assert [row.assignments.n_left for row in figures.raters] == [0, 0]
    assert behind(answered_work, ProgressCount.FINISHED) == [("item-1", ""), ("item-2", ""), ("item-3", "")]
    assert [
        behind(answered_work, what)
        for what in (ProgressCount.WAITING, ProgressCount.FREE, ProgressCount.LEFT)
    ] == [[], [], []]
    [shown] = rounds_of(answered_work.project)
    assert (shown.n_done, shown.n_places) == (5, 5)


def test_places_that_nobody_has_taken(db):
    work = new_work(n_items=2, places=1)

    assert figures_of(work.project).rounds[0].n_free == 2
    assert behind(work, ProgressCount.UNTAKEN) == [("item-1", "unassigned"), ("item-2", "unassigned")]


def test_label_counts(answered_work):
    figures = figures_of(answered_work.project)

    for summary in (figures.labels, figures.questions[0].labels, figures.rounds[0].labels):
        assert (summary.n, summary.n_abstentions, summary.n_notes) == (5, 1, 1)
    assert of(answered_work, 0).labels.share_abstained == 1 / 3
    assert (figures.n_unclear, figures.share_unclear) == (1, 0.2)
    assert behind(answered_work, ProgressCount.CANNOT_TELL) == [("item-3", "ana")]
    assert behind(answered_work, ProgressCount.NOTES) == [("item-2", "ana")]
    assert behind(answered_work, ProgressCount.UNCLEAR) == [("item-2", "ana")]


def test_what_is_unclear_comes_with_the_notes_of_that_rater_in_that_pass(answered_work):
    """Nobody else's, and one note that stands beside two answers is shown once."""
    tone = Question.objects.get(project=answered_work.project)
    humor = new_question(answered_work.project, key="humor")
    ana, ben = Rater.objects.filter(project=answered_work.project).order_by("key")
    item = answered_work.items[1]
    Label.objects.filter(item=item, rater=ben).update(note="Of somebody else")
    Label.objects.filter(item=answered_work.items[0], rater=ana).update(note="Of another item")
    for question, pass_number, note in (
        (humor, 1, "Look"),
        (tone, 2, "Of the repeat"),
    ):
        Label.objects.create(
            item=item,
            question=question,
            rater=ana,
            round=answered_work.round,
            category=question.categories.first(),
            pass_number=pass_number,
            note=note,
        )

    (row,) = ListRows(answered_work.project, ListFilter(ProgressCount.UNCLEAR))[0:50]

    assert row.notes == ("Look",)


def test_pace_is_the_median_and_items_in_an_hour(answered_work):
    assert of(answered_work, 0).pace == RecentPace(20, 90)
    assert of(answered_work, 1).pace == RecentPace(4, 900)


def test_pace_is_of_the_last_items_alone(answered_work, monkeypatch):
    monkeypatch.setattr("raters.progress.progress_queries.RECENT", 2)

    # 20 and 90 seconds, and not the 10 of the first.
    assert of(answered_work, 0).pace == RecentPace(55, 3600 * 2 / 110)


def test_last_seen(answered_work):
    before = timezone.now() - timedelta(days=4)
    Assignment.objects.update(last_seen_at=before, done_at=before)
    Label.objects.update(labelled_at=before)

    assert of(answered_work, 0).last_seen == before
    Rater.objects.create(project=answered_work.project, key="zoe")
    assert of(answered_work, 2).last_seen is None


def test_labels_of_raters_without_an_account_are_not_activity(answered_work):
    """Labels that were imported have the time of the import."""
    model = Rater.objects.create(project=answered_work.project, key="zoe", kind=Rater.Kind.MODEL)
    Label.objects.create(
        item=answered_work.items[0],
        question=answered_work.question,
        rater=model,
        category=answered_work.question.categories.first(),
    )

    found = of(answered_work, 2)

    assert (found.rater, found.labels.n, found.last_seen) == (model, 1, None)


def test_reference_counts_labels_like_it(answered_work):
    reference = Rater.objects.create(project=answered_work.project, key="gold", kind=Rater.Kind.REFERENCE)
    second = Rater.objects.create(project=answered_work.project, key="other", kind=Rater.Kind.REFERENCE)
    good, fair = (answered_work.question.categories.get(key=key) for key in ("good", "fair"))
    for place in range(3):
        Label.objects.create(
            item=answered_work.items[place], rater=reference, question=answered_work.question, category=good
        )
        Label.objects.create(
            item=answered_work.items[place], rater=second, question=answered_work.question, category=fair
        )

    # Of ana's three, "cannot tell" is no answer to compare.
    assert (of(answered_work, 0).reference.n, of(answered_work, 0).reference.n_same) == (2, 1)
    assert (of(answered_work, 1).reference.n, of(answered_work, 1).reference.n_same) == (2, 2)
    assert behind(answered_work, ProgressCount.MISSED) == [("item-2", "ana")]


def test_references_count_among_nothing_else(answered_work):
    reference = Rater.objects.create(project=answered_work.project, key="gold", kind=Rater.Kind.REFERENCE)
    fair = answered_work.question.categories.get(key="fair")
    Label.objects.create(
        item=answered_work.items[0], rater=reference, question=answered_work.question, category=fair
    )

    figures = figures_of(answered_work.project)

    assert (len(figures.raters), figures.labels.n, figures.items.n_disputed) == (2, 5, 1)


def test_a_decision_ends_a_dispute(answered_work):
    consensus = Rater.objects.create(
        project=answered_work.project, key="consensus", kind=Rater.Kind.CONSENSUS
    )
    fair = answered_work.question.categories.get(key="fair")
    Label.objects.create(
        item=answered_work.items[1], rater=consensus, question=answered_work.question, category=fair
    )

    assert figures_of(answered_work.project).items.n_disputed == 0


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("n_passes", "has_number"), [(2, False), (1, False), (1, True)])
def test_disputes_are_those_of_the_list_to_adjudicate(project, seed, n_passes, has_number):
    """One rule for repeats without a first pass, "cannot tell", references, decisions and rounds of one's own.

    They are counted in three ways: with repeats, and without, of choices alone and of any questions.
    """
    round_ = invented_disputes(project, random.Random(seed), n_passes=n_passes)
    if has_number:
        Question.objects.create(project=project, key="length", kind="number", level="ratio")

    for hidden in ((), (round_.pk,)):
        wanted = disputes.DisputeFilter(hidden=hidden)
        listed = disputes.OpenDisputes(project, wanted)[0:1000]
        counted = figures_of(project, hidden=hidden).items

        assert (counted.n_disputes, counted.n_disputed) == (len(listed), len({row.item.pk for row in listed}))
        assert counted.n_disputed
        behind = ListRows(project, ListFilter(ProgressCount.DISPUTED, hidden=hidden))
        assert len(behind) == counted.n_disputed


def invented_disputes(project, chance, *, n_passes: int) -> Round:
    """Twelve items by five raters of three kinds, and a round of some of the items."""
    questions = [new_question(project, key=key, categories=("a", "b", "c")) for key in ("one", "two")]
    round_ = Round.objects.create(project=project, key="own", state=Round.State.OPEN)
    raters = [
        Rater.objects.create(project=project, key=f"{kind}-{n}", kind=kind)
        for kind, n in [("human", 0), ("human", 1), ("model", 0), ("reference", 0), ("consensus", 0)]
    ]
    for n in range(12):
        item = Item.objects.create(project=project, key=f"item-{n}")
        if n % 3 == 0:
            Assignment.objects.create(item=item, rater=raters[0], round=round_)
        for question, rater, number in itertools.product(questions, raters, range(1, n_passes + 1)):
            if chance.random() < (0.2 if rater.kind == "consensus" else 0.6):
                category = chance.choice([None, *question.categories.all()])
                Label.objects.create(
                    item=item,
                    rater=rater,
                    question=question,
                    pass_number=number,
                    category=category,
                    is_abstention=category is None,
                )
    return round_


def test_blind_repeats(answered_work):
    for place, category_key in enumerate(["good", "good"]):
        category = answered_work.question.categories.get(key=category_key)
        Label.objects.create(
            item=answered_work.items[place],
            rater=answered_work.raters[0],
            question=answered_work.question,
            category=category,
            round=answered_work.round,
            pass_number=2,
        )

    assert (of(answered_work, 0).repeats.n, of(answered_work, 0).repeats.n_same) == (2, 1)
    assert behind(answered_work, ProgressCount.CHANGED) == [("item-2", "ana")]


def test_what_is_still_labeled_blind_is_left_out(answered_work):
    hidden = (answered_work.round.pk,)

    assert behind(answered_work, ProgressCount.LABELS, hidden=hidden) == []
    assert behind(answered_work, ProgressCount.DISPUTED, hidden=hidden) == []
    assert behind(answered_work, ProgressCount.UNCLEAR, hidden=hidden) == []
    assert len(behind(answered_work, ProgressCount.LABELS)) == 5
    figures = figures_of(answered_work.project, hidden=hidden)
    assert (figures.labels, figures.n_unclear, figures.items.n_disputed) == (LabelCounts(), 0, 0)
    assert figures.n_places_done == figures_of(answered_work.project).n_places_done > 0


def test_a_rater_who_left_is_distinguished_from_a_member(answered_work):
    answered_work.user(1).memberships.all().delete()

    assert [row.is_member for row in figures_of(answered_work.project).raters] == [True, False]


def test_an_empty_project(project):
    figures = figures_of(project)

    assert figures.items == ItemCounts(0, 0, 0, 0, 0, 0)
    assert (figures.raters, figures.rounds, figures.questions) == ([], [], [])
    assert (figures.labels.share_abstained, figures.share_unclear) == (None, None)


def test_more_of_everything_takes_as_many_queries(answered_work, django_assert_num_queries):
    with django_assert_num_queries(N_QUERIES):
        figures_of(answered_work.project)
    for n in range(20):
        Rater.objects.create(project=answered_work.project, key=f"rater-{n}")
        Round.objects.create(project=answered_work.project, key=f"more {n}")

    with django_assert_num_queries(N_QUERIES):
        figures_of(answered_work.project)


def test_what_is_missing_differs_from_nothing(answered_work):
    """Repeats as above, and a reference: one of each is treated as missing."""
    test_blind_repeats(answered_work)
    gold = Rater.objects.create(project=answered_work.project, key="gold", kind=Rater.Kind.REFERENCE)
    for place, category_key in enumerate(["bad", "good"]):
        Label.objects.create(
            item=answered_work.items[place],
            rater=gold,
            question=answered_work.question,
            category=answered_work.question.categories.get(key=category_key),
        )
    assert (of(answered_work, 0).reference.n, of(answered_work, 0).reference.n_same) == (2, 0)

    answered_work.question.categories.filter(key="bad").update(treated_as_missing=True)

    # Ana said good and bad at first, then good of both; the reference says bad and good.
    assert (of(answered_work, 0).repeats.n, of(answered_work, 0).repeats.n_same) == (1, 1)
    assert (of(answered_work, 0).reference.n, of(answered_work, 1).reference.n_same) == (0, 1)
    assert behind(answered_work, ProgressCount.CHANGED) == behind(answered_work, ProgressCount.MISSED) == []
