"""Many raters at once on real Postgres: nobody gets what is taken, no label is lost, nothing is done twice (P5, P6)."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from uuid import uuid4

import pytest
from django.db import OperationalError, connection, transaction

from projects.items.actions import withdraw_item
from raters.labeling.answers import Answer
from raters.labeling.next_assignment import take_next_assignment
from raters.labeling.saving import save_answers
from raters.labeling.saving_records import RoundClosed, SaveResult, StaleRevision, SubmittedAnswers
from raters.models import Assignment, Label, LabelRevision
from tests.sizes import FULL
from tests.together import PATIENCE
from tests.working import Work, answer, new_work

pytestmark = pytest.mark.faults
AT_ONCE = 50
ROUNDS = 100 if FULL else 4
N_ITEMS = 200 if FULL else 60


@dataclass(frozen=True, slots=True)
class Crowd:
    """Threads that keep their connections: to make fifty takes longer than what they do."""

    pool: ThreadPoolExecutor

    def at_once(self, work: Callable[[int], object], *, n: int = AT_ONCE) -> list[object]:
        """What each of several threads that begin at the same moment returned or raised."""
        ready = threading.Barrier(n)

        def begin(place: int) -> object:
            connection.ensure_connection()
            ready.wait(PATIENCE)
            try:
                return work(place)
            except Exception as error:
                return error

        return list(self.pool.map(begin, range(n)))


@pytest.fixture
def crowd(committed_db: None) -> Iterator[Crowd]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        made = Crowd(pool)
        yield made
        made.at_once(lambda _: connection.close())


def label_all(work: Work, place: int) -> list[int]:
    """Ask and save until nothing is left; the assignments in the order they came."""
    rater, user = work.raters[place], work.user(place)
    done = []
    while (pk := take_next_assignment(rater)) is not None:
        draft = SubmittedAnswers(answers={"tone": Answer(category="good")}, revisions={})
        save_answers(rater, pk, draft, key=uuid4(), by=user)
        done.append(pk)
    return done


def test_fifty_raters_ask_and_save_at_once(crowd):
    work = new_work(n_items=N_ITEMS, n_raters=AT_ONCE, places=3)

    ends = crowd.at_once(lambda place: label_all(work, place))

    assert [end for end in ends if isinstance(end, Exception)] == []
    acknowledged = [pk for end in ends for pk in end]
    assert len(acknowledged) == len(set(acknowledged)) == 3 * N_ITEMS
    labels = Label.objects.filter(question=work.question)
    per_item = Counter(labels.values_list("item", flat=True))
    assert per_item == {item.pk: 3 for item in work.items}
    assert labels.count() == LabelRevision.objects.filter(question_id=work.question.pk).count() == 3 * N_ITEMS
    places = Assignment.objects.filter(round=work.round)
    assert set(places.values_list("state", flat=True)) == {Assignment.State.DONE}
    assert set(places.values_list("rater", "item")) == set(labels.values_list("rater", "item"))


def test_fifty_raters_ask_for_the_last_place_at_once(crowd):
    work = new_work(n_items=1, n_raters=AT_ONCE, places=1)

    got = crowd.at_once(lambda place: take_next_assignment(work.raters[place]))

    assert Counter(type(end) for end in got) == {int: 1, type(None): AT_ONCE - 1}


def test_one_rater_who_asks_fifty_times_at_once_gets_one_place(crowd):
    work = new_work(n_items=5, n_raters=1, places=1)

    got = crowd.at_once(lambda _: take_next_assignment(work.raters[0]))

    assert len(set(got)) == 1
    assert Assignment.objects.filter(rater=work.raters[0]).count() == 1


def test_one_saving_sent_fifty_times_at_once_happens_once(crowd):
    work = new_work(n_items=ROUNDS, n_raters=1)
    for place in range(ROUNDS):
        key = uuid4()

        ends = crowd.at_once(lambda _, place=place, key=key: answer(work, "good", place=place, key=key))

        assert all(isinstance(end, SaveResult) for end in ends), ends
        assert len({str(end) for end in ends}) == 1
    assert LabelRevision.objects.filter(question_id=work.question.pk).count() == ROUNDS


@pytest.mark.parametrize("is_new", [True, False])
def test_of_fifty_tabs_that_saw_the_same_one_saves(crowd, is_new):
    work = new_work(n_items=ROUNDS, n_raters=1)
    categories = ["good", "fair", "bad"]
    for place in range(ROUNDS):
        seen = {} if is_new else answer(work, "good", place=place).revisions

        ends = crowd.at_once(
            lambda n, place=place, seen=seen: answer(
                work, {"tone": Answer(category=categories[n % 3], note=str(n))}, place=place, seen=seen
            )
        )

        assert Counter(type(end) for end in ends) == {SaveResult: 1, StaleRevision: AT_ONCE - 1}
        label = Label.objects.get(item=work.items[place])
        [winner] = [n for n, end in enumerate(ends) if isinstance(end, SaveResult)]
        assert label.note == str(winner)
        assert label.revision == (1 if is_new else 2)
        # Each of the others is shown what stands now.
        shown = {end.changed[0].answer for end in ends if isinstance(end, StaleRevision)}
        assert shown == {Answer(category=categories[winner % 3], note=str(winner))}


def test_an_item_is_withdrawn_only_after_what_is_just_being_saved(crowd):
    work = new_work(n_items=1, n_raters=1)
    seen = answer(work, "good").revisions

    def withdraw(_: int) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '50ms'")
            withdraw_item(work.items[0], by=None)

    with transaction.atomic():
        # Changing a label asks for nothing of the item but what the saving holds of it.
        answer(work, "bad", seen=seen)
        [refused] = crowd.at_once(withdraw, n=1)
    [done] = crowd.at_once(withdraw, n=1)

    assert isinstance(refused, OperationalError)
    assert done is None
    with pytest.raises(RoundClosed, match="withdrew"):
        answer(work, "fair", seen={"tone": 2})
    assert Label.objects.get(item=work.items[0]).category.key == "bad"
