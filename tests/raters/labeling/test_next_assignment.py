"""Which assignment a rater gets next."""

from datetime import timedelta

import pytest
from django.utils import timezone

from projects.items.actions import restore_item, withdraw_item
from projects.models import Round
from raters.labeling.next_assignment import NextAssignment, next_assignment_of, take_next_assignment
from raters.labeling.skipping import skip
from raters.models import Assignment, Rater
from tests.working import answer, new_rater, new_work


def test_the_own_queue_comes_in_its_order(work):
    Assignment.objects.filter(pk=work.assignment(2).pk).update(position=0)
    Assignment.objects.filter(pk=work.assignment(0).pk).update(position=2)

    assert take_next_assignment(work.raters[0]) == work.assignment(2).pk


def test_what_is_done_does_not_come_again(work):
    answer(work, "good")

    assert take_next_assignment(work.raters[0]) == work.assignment(1).pk


def test_what_a_rater_has_before_them_is_passed_over(work):
    first = take_next_assignment(work.raters[0])

    assert take_next_assignment(work.raters[0], held=[first]) == work.assignment(1).pk


def test_nothing_is_left_when_all_is_done(work):
    for place in range(3):
        answer(work, "good", place=place)

    assert take_next_assignment(work.raters[0]) is None


@pytest.mark.parametrize("places", [None, 1], ids=["own", "free"])
def test_a_withdrawn_item_is_passed_over_until_it_is_put_back(db, places):
    work = new_work(n_items=2, n_raters=1, places=places)
    first, second = work.items
    withdraw_item(first, by=None)

    handed = take_next_assignment(work.raters[0])

    assert Assignment.objects.get(pk=handed).item == second
    assert take_next_assignment(work.raters[0], held=[handed]) is None
    restore_item(first, by=None)
    again = take_next_assignment(work.raters[0], held=[handed])
    assert Assignment.objects.get(pk=again).item == first


def test_what_was_skipped_does_not_come_again_once_it_is_withdrawn(work):
    skip(work.raters[0], work.assignment(0).pk)
    withdraw_item(work.items[0], by=None)

    handed = [
        take_next_assignment(work.raters[0], held=[work.assignment(n).pk for n in range(1, k)])
        for k in (1, 3)
    ]

    assert handed == [work.assignment(1).pk, None]


@pytest.mark.parametrize("state", [Round.State.DRAFT, Round.State.CLOSED])
def test_only_an_open_round_hands_out(work, state):
    Round.objects.update(state=state)

    assert take_next_assignment(work.raters[0]) is None


def test_rounds_come_in_their_order(work):
    later = Round.objects.create(project=work.project, key="round 2", position=1)
    Assignment.objects.filter(pk=work.assignment(0).pk).update(round=later)

    assert take_next_assignment(work.raters[0]) == work.assignment(1).pk


def test_a_free_place_is_handed_out_and_kept(db):
    work = new_work(places=1)

    first = take_next_assignment(work.raters[0])
    again = take_next_assignment(work.raters[0])

    assert first == again
    place = Assignment.objects.get(pk=first)
    assert place.rater == work.raters[0]
    assert place.handed_out_at is not None


def test_a_rater_never_gets_two_places_of_one_item(db):
    work = new_work(n_items=1, places=2)

    first = take_next_assignment(work.raters[0])
    second = take_next_assignment(work.raters[0], held=[first])

    assert second is None
    assert take_next_assignment(work.raters[1]) not in {None, first}


def test_no_more_than_the_places_are_handed_out(db):
    work = new_work(n_items=2, n_raters=4, places=2)

    got = [take_next_assignment(rater) for rater in work.raters]
    more = [take_next_assignment(rater, held=[place]) for rater, place in zip(work.raters, got, strict=True)]

    assert len(set(got)) == 4
    # Whoever holds the first item cannot have it twice, and both places of the other are held.
    assert more == [None] * 4


def test_an_idle_place_goes_to_somebody_else(db):
    work = new_work(n_items=1, places=1)
    place = take_next_assignment(work.raters[0])
    assert take_next_assignment(work.raters[1]) is None

    Assignment.objects.update(last_seen_at=timezone.now() - timedelta(minutes=61))

    assert take_next_assignment(work.raters[1]) == place
    assert take_next_assignment(work.raters[0]) is None


def test_the_time_until_a_place_is_idle_is_the_rounds(db):
    work = new_work(n_items=1, places=1)
    take_next_assignment(work.raters[0])
    Assignment.objects.update(last_seen_at=timezone.now() - timedelta(minutes=61))
    Round.objects.update(idle_minutes=120)

    assert take_next_assignment(work.raters[1]) is None


def test_a_place_that_a_rater_has_before_them_is_not_idle(db):
    work = new_work(n_items=1, places=1)
    place = take_next_assignment(work.raters[0])
    Assignment.objects.update(last_seen_at=timezone.now() - timedelta(minutes=61))

    assert take_next_assignment(work.raters[0], held=[place]) is None

    assert take_next_assignment(work.raters[1]) is None


def test_a_place_that_is_asked_for_again_is_not_idle(db):
    work = new_work(n_items=1, places=1)
    place = take_next_assignment(work.raters[0])
    Assignment.objects.update(last_seen_at=timezone.now() - timedelta(minutes=61))

    assert take_next_assignment(work.raters[0]) == place

    assert take_next_assignment(work.raters[1]) is None


def test_what_somebody_else_holds_is_not_kept_for_them(db):
    work = new_work(n_items=1, places=1)
    place = take_next_assignment(work.raters[0])
    Assignment.objects.update(last_seen_at=timezone.now() - timedelta(minutes=61))

    take_next_assignment(work.raters[1], held=[place])

    assert Assignment.objects.get(pk=place).rater == work.raters[1]


def test_telling_hands_out_nothing(db):
    work = new_work(n_items=2, places=1)
    rater = work.raters[0]

    assert next_assignment_of(rater) == next_assignment_of(rater) == NextAssignment(is_free=True)
    assert not Assignment.objects.exclude(rater=None).exists()
    assert next_assignment_of(Rater(project=work.project)) == NextAssignment(is_free=True)


def test_telling_agrees_with_taking(db):
    work = new_work(n_items=3, places=1)
    rater = work.raters[0]
    first = take_next_assignment(rater)
    assert next_assignment_of(rater) == NextAssignment(first)
    assert next_assignment_of(rater, held=[first]) == NextAssignment(is_free=True)

    skip(rater, first)

    assert next_assignment_of(rater) == NextAssignment(is_free=True)
    for _ in range(2):
        answer(
            work, "good", place=work.items.index(Assignment.objects.get(pk=take_next_assignment(rater)).item)
        )
    assert next_assignment_of(rater) == NextAssignment(first)
    assert take_next_assignment(rater) == first
    assert next_assignment_of(rater, held=[first]) == NextAssignment()


def test_an_idle_assignment_is_shown_as_available(db):
    work = new_work(n_items=1, places=1)
    take_next_assignment(work.raters[0])
    assert next_assignment_of(work.raters[1]) == NextAssignment()

    Assignment.objects.update(last_seen_at=timezone.now() - timedelta(minutes=61))

    assert next_assignment_of(work.raters[1]) == NextAssignment(is_free=True)


def test_an_idle_place_of_a_fixed_plan_stays_with_its_rater(work):
    Assignment.objects.filter(rater=work.raters[1]).delete()
    Assignment.objects.update(last_seen_at=timezone.now() - timedelta(days=9))

    assert take_next_assignment(work.raters[1]) is None


def test_what_is_done_is_never_given_back(db):
    work = new_work(n_items=1, places=1)
    take_next_assignment(work.raters[0])
    answer(work, "good")
    Assignment.objects.update(last_seen_at=timezone.now() - timedelta(days=9))

    assert take_next_assignment(work.raters[1]) is None


def test_one_who_joins_later_gets_free_places_too(db):
    work = new_work(n_items=1, places=2)
    take_next_assignment(work.raters[0])

    late = new_rater(work.project)

    assert take_next_assignment(late) is not None


def test_other_projects_hand_out_nothing_here(db):
    work, other = new_work(n_items=1, places=1), new_work(n_items=1, places=1)

    place = take_next_assignment(work.raters[0])

    assert Assignment.objects.get(pk=place).item.project == work.project
    assert take_next_assignment(other.raters[0]) is not None


def test_handing_out_takes_few_queries(db, django_assert_num_queries):
    work = new_work(n_items=40, n_raters=1)

    with django_assert_num_queries(1):
        take_next_assignment(work.raters[0])


def test_what_was_skipped_comes_last_and_in_turn(work):
    for place in (0, 1):
        skip(work.raters[0], work.assignment(place).pk)

    assert take_next_assignment(work.raters[0]) == work.assignment(2).pk
    answer(work, "good", place=2)
    assert take_next_assignment(work.raters[0]) == work.assignment(0).pk
    skip(work.raters[0], work.assignment(0).pk)
    assert take_next_assignment(work.raters[0]) == work.assignment(1).pk


def test_a_free_assignment_comes_before_what_was_skipped(db):
    work = new_work(n_items=2, places=1)
    first = take_next_assignment(work.raters[0])

    skip(work.raters[0], first)

    assert take_next_assignment(work.raters[0]) not in {None, first}
    # It is held all the same: nobody else gets it before it is idle.
    assert take_next_assignment(work.raters[1]) is None


def test_an_idle_assignment_is_not_skipped_for_the_next_who_gets_it(db):
    work = new_work(n_items=1, places=1)
    skip(work.raters[0], take_next_assignment(work.raters[0]))
    Assignment.objects.update(last_seen_at=timezone.now() - timedelta(minutes=61))

    assert Assignment.objects.get(pk=take_next_assignment(work.raters[1])).skipped_at is None
