"""Rounds are planned, previewed, and replanned."""

from collections import Counter
from itertools import combinations

import pytest
from django.db import connection

from projects.items.actions import withdraw_item
from projects.models import Item, Membership, Project, Round
from projects.refusals import KeyTaken, ProjectClosed
from raters.actions import rater_of
from raters.labeling.next_assignment import take_next_assignment
from raters.models import Assignment, Label, Rater
from raters.rounds.assigning.assignment_design import AssignmentDesign, DesignRefused, Overlap
from raters.rounds.coverage import coverage_of
from raters.rounds.plan_storage import plan_round, preview, replan
from raters.rounds.round_plan import RoundPlan
from tests import cast
from tests.labeling import new_question
from tests.sizes import only_in_full


@pytest.fixture
def users(project):
    Item.objects.bulk_create(Item(project=project, key=f"item-{n:03}") for n in range(60))
    names = ["ana", "ben", "cleo", "dan"]
    return [cast.member(project, Membership.Role.RATER, username=name) for name in names]


def plan(design=AssignmentDesign.SOME, *, seed=7, raters_per_item=2, share=0.25, **more) -> RoundPlan:
    return RoundPlan(overlap=Overlap(design, raters_per_item, share), seed=seed, **more)


def firsts(round_):
    return Assignment.objects.filter(round=round_, pass_number=1)


def per_item(round_) -> Counter[int]:
    return Counter(Counter(firsts(round_).values_list("item", flat=True)).values())


def per_rater(round_) -> dict[str, int]:
    return dict(Counter(firsts(round_).values_list("rater__key", flat=True)))


def done(round_, **which) -> None:
    firsts(round_).filter(**which).update(state=Assignment.State.DONE)


def test_nothing_is_written_by_looking(project, users):
    preview(project, [plan()], users)

    assert not Round.objects.exists()
    assert not Assignment.objects.exists()
    assert not Rater.objects.exists()


def test_what_was_seen_beforehand_is_what_is_written(project, users):
    [seen] = preview(project, [plan(repeat_share=0.1)], users)

    round_ = plan_round(project, "main", plan(repeat_share=0.1), users, by=users[0])

    assert round_.state == Round.State.DRAFT
    assert Assignment.objects.filter(round=round_).count() == seen.n_assignments
    assert per_rater(round_) == dict(zip(seen.names, seen.work, strict=True))
    for (a, first), (b, second) in combinations(enumerate(seen.names), 2):
        both = firsts(round_).filter(rater__key=first).values("item")
        assert firsts(round_).filter(rater__key=second, item__in=both).count() == seen.shared[a, b]


def test_every_item_by_every_rater(project, users):
    round_ = plan_round(project, "main", plan(AssignmentDesign.EVERYONE), users, by=users[0])

    assert per_item(round_) == {4: 60}
    assert set(per_rater(round_).values()) == {60}


def test_each_item_gets_its_number_of_raters_and_pairs_are_even(project, users):
    [seen] = preview(project, [plan(raters_per_item=2)], users)

    round_ = plan_round(project, "main", plan(raters_per_item=2), users, by=users[0])

    assert per_item(round_) == {2: 60}
    assert set(per_rater(round_).values()) == {30}
    pairs = [seen.shared[a, b] for a, b in combinations(range(4), 2)]
    assert sum(pairs) == 60
    assert max(pairs) - min(pairs) <= 2


def test_a_share_of_the_items_twice(project, users):
    round_ = plan_round(project, "main", plan(AssignmentDesign.SHARE_TWICE, share=0.25), users, by=users[0])

    assert per_item(round_) == {1: 45, 2: 15}


def test_blind_repeats_come_later_in_the_same_queue(project, users):
    round_ = plan_round(
        project, "main", plan(AssignmentDesign.EVERYONE, repeat_share=0.1), users, by=users[0]
    )

    for rater in Rater.objects.all():
        queue = list(
            Assignment.objects.filter(rater=rater).order_by("position").values_list("item", "pass_number")
        )
        again = [item for item, number in queue if number == 2]
        assert len(again) == 6
        for item in again:
            assert queue.index((item, 1)) + 30 <= queue.index((item, 2))
    assert Assignment.objects.filter(round=round_).count() == 4 * 66


def test_each_rater_has_an_order_of_their_own(project, users):
    round_ = plan_round(project, "main", plan(AssignmentDesign.EVERYONE), users, by=users[0])

    orders = [
        tuple(firsts(round_).filter(rater=rater).order_by("position").values_list("item", flat=True))
        for rater in Rater.objects.all()
    ]
    assert len(set(orders)) == 4


def test_the_same_seed_draws_the_same_and_another_another(project, users):
    first, again, other = (preview(project, [plan(seed=seed)], users)[0] for seed in (1, 1, 2))

    assert [q.items.tolist() for q in first.queues] == [q.items.tolist() for q in again.queues]
    assert [q.items.tolist() for q in first.queues] != [q.items.tolist() for q in other.queues]


def test_places_on_demand_are_nobodys(project, users):
    [seen] = preview(project, [plan(raters_per_item=3, is_on_demand=True)], users)

    round_ = plan_round(project, "main", plan(raters_per_item=3, is_on_demand=True), users, by=users[0])

    assert per_item(round_) == {3: 60}
    assert per_rater(round_) == {None: 180}
    # 60 items of 3 pairs each, on 6 pairs of raters.
    assert seen.shared.tolist() == [[0, 30, 30, 30], [30, 0, 30, 30], [30, 30, 0, 30], [30, 30, 30, 0]]


def test_a_calibration_by_all_and_the_rest_split(project, users):
    plans = [plan(AssignmentDesign.EVERYONE, n_items=10), plan(raters_per_item=1)]
    seen = preview(project, plans, users)

    first = plan_round(project, "calibration", plans[0], users, by=users[0])
    rest = plan_round(project, "main", plans[1], users, by=users[0])

    assert per_item(first) == {4: 10}
    assert per_item(rest) == {1: 50}
    assert (first.position, rest.position) == (0, 1)
    for round_, planned in zip((first, rest), seen, strict=True):
        assert set(firsts(round_).values_list("item", flat=True)) == set(planned.items.tolist())


def test_items_of_another_round_are_not_planned_again(project, users):
    plan_round(project, "main", plan(), users, by=users[0])

    with pytest.raises(DesignRefused, match="no unassigned items"):
        plan_round(project, "more", plan(), users, by=users[0])

    assert Round.objects.count() == 1


def test_questions_answered_elsewhere_are_not_asked_again(project, users):
    question = new_question(project)
    known = rater_of(project, users[0])
    item = Item.objects.filter(project=project).first()
    Label.objects.create(item=item, rater=known, question=question, category=question.categories.first())

    round_ = plan_round(project, "main", plan(AssignmentDesign.EVERYONE), users, by=users[0])

    assert not firsts(round_).filter(rater=known, item=item).exists()
    assert firsts(round_).count() == 239


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"n_items": 61}, "Only 60 items"),
        ({"raters_per_item": 5}, "from 1 to 4"),
        ({"design": AssignmentDesign.SHARE_TWICE, "share": 1.5}, "from 0 to 100"),
    ],
)
def test_an_invalid_plan_is_refused_with_the_reason(project, users, wrong, sentence):
    with pytest.raises(DesignRefused, match=sentence):
        plan_round(project, "main", plan(**wrong), users, by=users[0])


@pytest.mark.parametrize(
    "wrong",
    [
        {"repeat_share": 0.6},
        {"repeat_share": 0.1, "is_on_demand": True},
        {"design": AssignmentDesign.EVERYONE, "is_on_demand": True},
        {"n_items": 0},
    ],
)
def test_choices_that_do_not_go_together_are_refused(wrong):
    with pytest.raises(DesignRefused):
        plan(**wrong)


def test_a_name_is_given_once(project, users):
    plan_round(project, "main", plan(n_items=5), users, by=users[0])

    with pytest.raises(KeyTaken):
        plan_round(project, "main", plan(n_items=5), users, by=users[0])


def test_a_closed_project_plans_nothing(project, users):
    project.state = Project.State.CLOSED

    with pytest.raises(ProjectClosed):
        plan_round(project, "main", plan(), users, by=users[0])


def test_a_plan_is_remembered_as_it_was_chosen(project, users):
    chosen = plan(repeat_share=0.1)

    round_ = plan_round(project, "main", chosen, users, by=users[0])

    assert RoundPlan.of_json(round_.plans[0]) == chosen
    assert round_.plans[0]["raters"] == ["ana", "ben", "cleo", "dan"]


def test_who_leaves_keeps_what_is_done_and_the_others_get_the_rest(project, users):
    round_ = plan_round(project, "main", plan(raters_per_item=2, repeat_share=0.2), users, by=users[0])
    gone = list(
        firsts(round_).filter(rater__key="dan").order_by("position").values_list("pk", flat=True)[:10]
    )
    done(round_, pk__in=gone)
    kept = set(Assignment.objects.filter(state="done").values_list("rater", "item"))

    replan(round_, users[:3], by=users[0], seed=8)

    assert set(Assignment.objects.filter(state="done").values_list("rater", "item")) == kept
    assert per_item(round_) == {2: 60}
    work = per_rater(round_)
    assert work["dan"] == 10
    assert sorted(work[name] for name in ["ana", "ben", "cleo"]) == [36, 37, 37]
    repeats = Assignment.objects.filter(round=round_, pass_number=2)
    assert not repeats.filter(rater__key="dan").exists()
    assert set(repeats.values_list("rater", "item")) <= set(firsts(round_).values_list("rater", "item"))


def test_who_joins_gets_a_part_of_what_is_left(project, users):
    round_ = plan_round(project, "main", plan(raters_per_item=2), users[:3], by=users[0])
    done(round_, position__lt=10)
    before = set(firsts(round_).filter(state="done").values_list("rater", "item"))

    replan(round_, users, by=users[0], seed=8)

    assert set(firsts(round_).filter(state="done").values_list("rater", "item")) == before
    assert per_item(round_) == {2: 60}
    assert per_rater(round_) == {"ana": 30, "ben": 30, "cleo": 30, "dan": 30}


def test_who_joins_where_everyone_labels_everything_gets_all(project, users):
    round_ = plan_round(project, "main", plan(AssignmentDesign.EVERYONE), users[:3], by=users[0])

    replan(round_, users, by=users[0], seed=8)

    assert per_item(round_) == {4: 60}


def test_the_items_labeled_twice_stay_the_same(project, users):
    round_ = plan_round(project, "main", plan(AssignmentDesign.SHARE_TWICE), users, by=users[0])
    counts = Counter(firsts(round_).values_list("item", flat=True))

    replan(round_, users[:2], by=users[0], seed=99)

    assert Counter(firsts(round_).values_list("item", flat=True)) == counts


def test_what_is_before_a_rater_stays_before_them(project, users):
    round_ = plan_round(project, "main", plan(raters_per_item=2), users[:3], by=users[0])
    Round.objects.update(state=Round.State.OPEN)
    rater = rater_of(project, users[0])
    shown = take_next_assignment(rater)
    fetched = take_next_assignment(rater, held=[shown])

    replan(round_, users, by=users[0], seed=8)

    assert take_next_assignment(rater) == shown
    assert take_next_assignment(rater, held=[shown]) == fetched


def test_free_places_of_one_who_leaves_are_free_again(project, users):
    round_ = plan_round(project, "main", plan(is_on_demand=True), users, by=users[0])
    Round.objects.update(state=Round.State.OPEN)
    for user in users[:2]:
        take_next_assignment(rater_of(project, user))

    replan(round_, users[1:], by=users[0], seed=8)

    held = Assignment.objects.filter(rater__isnull=False).values_list("rater__key", flat=True)
    assert list(held) == ["ben"]


def test_a_closed_round_is_not_planned_again(project, users):
    round_ = plan_round(project, "main", plan(), users, by=users[0])
    Round.objects.update(state=Round.State.CLOSED)

    with pytest.raises(DesignRefused):
        replan(round_, users, by=users[0], seed=8)


def test_planning_takes_no_more_queries_for_more_items(project, users, django_assert_max_num_queries):
    with django_assert_max_num_queries(31):
        plan_round(project, "main", plan(AssignmentDesign.EVERYONE), users, by=users[0])


def test_a_withdrawn_item_is_in_no_plan(project, users):
    withdrawn = project.items.first()
    withdraw_item(withdrawn, by=users[0])

    round_ = plan_round(project, "main", plan(AssignmentDesign.EVERYONE), users, by=users[0])

    assert firsts(round_).count() == 59 * 4
    assert not firsts(round_).filter(item=withdrawn).exists()


def test_what_waits_on_a_withdrawn_item_is_not_shared_again(project, users):
    round_ = plan_round(project, "main", plan(AssignmentDesign.EVERYONE), users[:3], by=users[0])
    withdrawn = project.items.last()
    before = set(firsts(round_).filter(item=withdrawn).values_list("pk", "rater"))
    withdraw_item(withdrawn, by=users[0])

    replan(round_, [users[0], users[3]], by=users[0], seed=1)

    assert set(firsts(round_).filter(item=withdrawn).values_list("pk", "rater")) == before
    assert coverage_of(round_).work.tolist() == [59, 59]


@only_in_full
def test_a_round_of_many_items_is_not_cut_off(project, users):
    """Writing it takes longer than a page may let the database take; the limit of the connection stays."""
    Item.objects.bulk_create(
        (Item(project=project, key=f"many-{n:05}") for n in range(20_000)), batch_size=5000
    )
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = '60ms'")

    round_ = plan_round(project, "main", plan(), users, by=users[0])

    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 0")
    assert per_item(round_) == {2: 20_060}


@pytest.mark.parametrize(
    ("limit", "words"),
    [("MAX_ASSIGNMENTS", "at most 100 assignments"), ("MAX_CELLS", "at most 100 in one round")],
)
def test_a_round_beyond_the_limits_is_refused_before_it_is_planned(project, users, monkeypatch, limit, words):
    monkeypatch.setattr(f"raters.rounds.planning.{limit}", 100)

    with pytest.raises(DesignRefused, match=words):
        plan_round(project, "main", plan(), users, by=users[0])

    assert not Round.objects.exists()


def test_calibration_items_are_counted_in_what_is_left(project, users):
    calibration = plan(AssignmentDesign.EVERYONE, n_items=10)
    with pytest.raises(
        DesignRefused, match="Only 50 items are available in addition to the 10 calibration items"
    ):
        preview(project, [calibration, plan(n_items=55)], users)
    with pytest.raises(DesignRefused, match="The 60 calibration items are all there are"):
        preview(project, [plan(AssignmentDesign.EVERYONE, n_items=60), plan()], users)
