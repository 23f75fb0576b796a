"""Reading the labels of a question: the fast way, the general way and the ORM give the same."""

from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from projects.models import Category, Item, Project, Question, Round
from raters.models import Label, Rater
from reports.agreement.counting import all_pairs
from reports.agreement.ratings import to_sparse
from reports.analysis.label_arrays import QuestionLabels
from reports.sources import packed
from reports.sources.question_labels import read_question
from reports.sources.relation import LabelSource, Positions, UndeclaredCategory, labels_of
from reports.sources.shared_snapshots import Snapshot, open_snapshot
from tests.cast import new_project

pytestmark = pytest.mark.usefixtures("committed_db")

Triple = tuple[int, int, int]


@pytest.fixture
def own_project(committed_db: None) -> Project:
    return new_project("Reading", unique=True)


@pytest.fixture
def own_question(own_project: Project) -> Question:
    return new_question(own_project, "tone")


@pytest.fixture
def six_raters(own_project: Project) -> list[Rater]:
    return Rater.objects.bulk_create(Rater(project=own_project, key=f"r{n}") for n in range(6))


@pytest.fixture
def items(own_project: Project) -> list[Item]:
    return Item.objects.bulk_create(Item(project=own_project, key=f"i{n:04}") for n in range(300))


@pytest.fixture
def snapshot(committed_db: None) -> Iterator[Snapshot]:
    with open_snapshot() as opened:
        yield opened


def new_question(project: Project, key: str) -> Question:
    question = Question.objects.create(project=project, key=key)
    Category.objects.bulk_create(
        Category(question=question, key=name, position=position)
        # Ids that do not rise with positions.
        for name, position in (("neutral", 1), ("negative", 0), ("positive", 2))
    )
    return question


def category_ids(question: Question) -> list[int]:
    return list(question.categories.order_by("position").values_list("id", flat=True))


def fill(question: Question, items: Sequence[Item], raters: Sequence[Rater], *, seed: int = 1) -> list[Label]:
    """Two of three labels at random, some of them abstentions."""
    random = np.random.default_rng(seed)
    ids = category_ids(question)
    rows = [(item, rater) for item in items for rater in raters if random.random() < 0.66]
    random.shuffle(rows)
    choices = random.integers(-1, len(ids), len(rows)).tolist()
    return Label.objects.bulk_create(
        Label(
            question=question,
            item=item,
            rater=rater,
            category_id=None if choice < 0 else ids[choice],
            is_abstention=choice < 0,
        )
        for (item, rater), choice in zip(rows, choices, strict=True)
    )


def triples(labels: QuestionLabels, ids: Sequence[int]) -> list[Triple]:
    keys, layout = to_sparse(labels.sample.ratings).keys, labels.sample.ratings.layout
    columns = (
        labels.item_ids[layout.items(keys)],
        labels.rater_ids[layout.raters(keys)],
        np.array(ids)[layout.codes(keys)],
    )
    return list(zip(*(column.tolist() for column in columns), strict=True))


def by_orm(question: Question) -> list[Triple]:
    labels = Label.objects.filter(question=question, category__isnull=False)
    return sorted(labels.values_list("item_id", "rater_id", "category_id"))


def read_both_ways(question: Question, **scope: object) -> tuple[QuestionLabels, QuestionLabels]:
    with open_snapshot() as snapshot:
        ids = category_ids(question)
        fast = read_question(snapshot, question.pk, ids, **scope)
        general = read_question(snapshot, question.pk, ids, source=labels_of(question.pk), **scope)
    return fast, general


def assert_same(one: QuestionLabels, other: QuestionLabels, question: Question) -> None:
    ids = category_ids(question)
    assert triples(one, ids) == triples(other, ids)
    assert one.n_abstentions == other.n_abstentions
    assert one.digest == other.digest


def test_both_ways_read_what_the_orm_reads(own_question, items, six_raters):
    fill(own_question, items, six_raters)
    fill(new_question(own_question.project, "other"), items, six_raters, seed=2)

    fast, general = read_both_ways(own_question)

    assert triples(fast, category_ids(own_question)) == by_orm(own_question)
    assert fast.n_abstentions == Label.objects.filter(question=own_question, is_abstention=True).count()
    assert_same(fast, general, own_question)


def test_many_slices_and_copied_blocks_read_the_same(own_question, items, six_raters, monkeypatch):
    fill(own_question, items, six_raters)
    monkeypatch.setattr(packed, "SLICE_LABELS", 20)
    monkeypatch.setattr(packed, "FIRST_SLICE_ITEMS", 1)
    monkeypatch.setattr("reports.sources.copied.BLOCK_BYTES", 100)

    fast, general = read_both_ways(own_question)

    assert triples(fast, category_ids(own_question)) == by_orm(own_question)
    assert_same(fast, general, own_question)


def test_ids_too_far_apart_are_read_the_general_way(own_question, items, six_raters, monkeypatch):
    fill(own_question, items, six_raters)
    fast, _ = read_both_ways(own_question)
    monkeypatch.setattr(packed, "MIN_ITEM_BITS", 64)
    monkeypatch.setattr(packed.PackedReader, "read", None)

    general, _ = read_both_ways(own_question)

    assert_same(fast, general, own_question)


def test_raters_beyond_the_table_are_searched(own_question, items, six_raters, monkeypatch):
    fill(own_question, items, six_raters)
    fast, _ = read_both_ways(own_question)
    monkeypatch.setattr("reports.agreement.building.MAX_TABLE", 0)
    monkeypatch.setattr("reports.sources.relation.MAX_TABLE", 0)

    searched, _ = read_both_ways(own_question)

    assert_same(fast, searched, own_question)


def test_counts_are_those_of_the_labels(own_question, items, six_raters):
    one, other = six_raters[:2]
    negative, neutral, positive = category_ids(own_question)
    chosen = [(negative, negative), (negative, positive), (positive, negative), (neutral, neutral)]
    Label.objects.bulk_create(
        Label(question=own_question, item=item, rater=rater, category_id=category)
        for item, pair in zip(items, chosen, strict=False)
        for rater, category in zip((one, other), pair, strict=True)
    )

    labels, _ = read_both_ways(own_question)

    assert labels.rater_ids.tolist() == [one.pk, other.pk]
    assert all_pairs(labels.sample.ratings).tables.tolist() == [[[1, 0, 1], [0, 1, 0], [1, 0, 0]]]


def test_the_first_pass_counts(own_question, items, six_raters):
    rater = six_raters[0]
    negative, neutral, positive = category_ids(own_question)
    for item, pass_number, category in (
        (items[0], 2, positive),
        (items[0], 1, negative),
        (items[1], 3, neutral),
        (items[1], 2, None),
        (items[2], 2, neutral),
    ):
        Label.objects.create(
            question=own_question,
            item=item,
            rater=rater,
            pass_number=pass_number,
            category_id=category,
            is_abstention=category is None,
        )

    fast, general = read_both_ways(own_question)

    # The first answer to the second item is an abstention, and stays the one that counts.
    assert triples(fast, category_ids(own_question)) == [
        (items[0].pk, rater.pk, negative),
        (items[2].pk, rater.pk, neutral),
    ]
    assert fast.n_abstentions == 1
    assert_same(fast, general, own_question)


def test_the_first_pass_within_the_rounds_counts(own_question, items, six_raters):
    rater = six_raters[0]
    pilot, main = Round.objects.bulk_create(
        Round(project=own_question.project, key=key, position=place)
        for place, key in enumerate(("pilot", "main"))
    )
    negative, neutral, positive = category_ids(own_question)
    for item, pass_number, round_, category in (
        (items[0], 1, pilot, negative),
        (items[0], 2, main, positive),
        (items[0], 3, main, neutral),
        (items[1], 1, main, neutral),
        (items[2], 1, None, neutral),
    ):
        Label.objects.create(
            question=own_question,
            item=item,
            rater=rater,
            pass_number=pass_number,
            round=round_,
            category_id=category,
        )

    fast, general = read_both_ways(own_question, round_ids=[main.pk])
    both, _ = read_both_ways(own_question, round_ids=[pilot.pk, main.pk])

    assert triples(fast, category_ids(own_question)) == [
        (items[0].pk, rater.pk, positive),
        (items[1].pk, rater.pk, neutral),
    ]
    assert_same(fast, general, own_question)
    assert triples(both, category_ids(own_question))[0] == (items[0].pk, rater.pk, negative)


@pytest.mark.parametrize("round_ids", [None, []])
def test_no_labels_are_read_as_none(own_question, round_ids):
    fast, general = read_both_ways(own_question, round_ids=round_ids)

    assert (fast.sample.ratings.n_items, fast.sample.ratings.n_raters, fast.sample.ratings.n_labels) == (
        0,
        0,
        0,
    )
    assert_same(fast, general, own_question)


def test_the_digest_depends_on_labels_not_on_their_order(own_question, items, six_raters):
    labels = fill(own_question, items, six_raters)
    before, _ = read_both_ways(own_question)
    # Rewritten rows move to the end of the table.
    Label.objects.filter(pk__in=[label.pk for label in labels[::3]]).update(note="read again")
    moved, _ = read_both_ways(own_question)
    label = next(label for label in labels if label.category_id)
    changed_to = next(pk for pk in category_ids(own_question) if pk != label.category_id)
    Label.objects.filter(pk=label.pk).update(category_id=changed_to)
    changed, _ = read_both_ways(own_question)

    assert moved.digest == before.digest
    assert changed.digest != before.digest


def test_the_digest_depends_on_the_declared_categories(own_question, items, six_raters, snapshot):
    ids = category_ids(own_question)

    one = read_question(snapshot, own_question.pk, ids)
    other = read_question(snapshot, own_question.pk, ids[::-1])

    assert one.digest != other.digest


def test_a_snapshot_does_not_see_what_is_written_later(own_question, items, six_raters, snapshot):
    fill(own_question, items, six_raters)

    labels = read_question(snapshot, own_question.pk, category_ids(own_question))

    assert labels.sample.ratings.n_labels == 0


def test_all_connections_see_the_same(snapshot):
    seen = {each.execute("SELECT pg_current_snapshot()::text").fetchone() for each in snapshot.connections}

    assert len(seen) == 1
    assert len(snapshot.connections) == 2


def test_another_relation_is_read_as_given(own_question, items, six_raters, snapshot):
    ids = category_ids(own_question)
    source = LabelSource(
        "(SELECT item_id, rater_id, category_id, 1 AS pass_number, NULL::bigint AS batch_id, false AS is_abstention"
        " FROM (VALUES (7::bigint, 5::bigint, %(first)s::bigint), (7, 4, %(second)s), (3, 5, NULL))"
        " AS told (item_id, rater_id, category_id))",
        {"first": ids[0], "second": ids[2]},
    )

    labels = read_question(snapshot, own_question.pk, ids, source=source)

    assert triples(labels, ids) == [(7, 4, ids[2]), (7, 5, ids[0])]
    assert labels.n_abstentions == 1


def test_an_undeclared_category_is_refused(own_question, items, six_raters):
    fill(own_question, items, six_raters)

    with open_snapshot() as snapshot, pytest.raises(UndeclaredCategory, match="is not declared"):
        read_question(snapshot, own_question.pk, category_ids(own_question)[1:])


@pytest.mark.parametrize("source_of", [lambda question: None, labels_of])
def test_an_exception_of_the_callback_ends_the_reading(own_question, items, six_raters, source_of):
    fill(own_question, items, six_raters)

    def refuse(share: float) -> None:
        raise InterruptedError(share)

    with open_snapshot() as snapshot, pytest.raises(InterruptedError):
        read_question(
            snapshot,
            own_question.pk,
            category_ids(own_question),
            source=source_of(own_question.pk),
            report_progress=refuse,
        )


def test_the_share_read_is_reported(own_question, items, six_raters, snapshot):
    fill(own_question, items, six_raters)
    shares: list[float] = []

    read_question(snapshot, own_question.pk, category_ids(own_question), report_progress=shares.append)

    assert all(0 <= share <= 1 for share in shares)


@pytest.mark.parametrize("ids", [[], [4, 4]])
def test_categories_must_be_declared_once(ids):
    with pytest.raises(ValueError, match="each once"):
        Positions(ids)
