"""The lists of items behind figures, beside the same worked out label by label, on projects drawn at random."""

import itertools
import math
import random
from collections import Counter, defaultdict
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from projects.models import Item, Membership, Project, Round
from raters.models import Label, Rater
from reports.models import LabelBlock, QuestionAgreement
from reports.results.items.pair_items import items_of_pair, most_different
from reports.results.items.query import ItemQuery
from reports.results.items.question_items import MANY, items_of_question
from reports.sources import packed
from reports.sources.stored_labels import blocks_of
from reports.sources.tally import ItemDisagreement
from reports.store.stored_result import StoredResult
from reports.store.verification import verify
from tests import cast
from tests import live as living
from tests.finished import finished_report
from tests.labeling import new_question

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
N_ITEMS, N_RATERS = 60, 6


def drawn_project(seed: int) -> Project:
    """Three questions, one of each kind, with gaps, second passes, two rounds and labels of none, and abstentions."""
    chance = random.Random(seed)
    project = cast.new_project("Drawn", unique=True)
    questions = [
        new_question(project, key="one", categories="abcd"),
        new_question(project, key="many", categories="abc", kind="multiple"),
        new_question(project, key="number", categories=(), kind="number", level="interval"),
    ]
    rounds = [Round.objects.create(project=project, key=key) for key in "xy"]
    raters = Rater.objects.bulk_create(Rater(project=project, key=f"r{place}") for place in range(N_RATERS))
    items = Item.objects.bulk_create(Item(project=project, key=f"i{place:03}") for place in range(N_ITEMS))
    labels = [
        Label(
            question=question,
            item=item,
            rater=rater,
            pass_number=number,
            round=chance.choice([*rounds, None]),
            labelled_at=START + timedelta(minutes=chance.randrange(5000)),
            **answer(question, chance),
        )
        for question in questions
        for item in items
        for rater in raters
        if chance.random() < 0.8
        for number in ([1, 2] if chance.random() < 0.1 else [1])
    ]
    chance.shuffle(labels)
    Label.objects.bulk_create(labels)
    return project


def answer(question, chance: random.Random) -> dict:
    if chance.random() < 0.1:
        return {"is_abstention": True}
    categories = list(question.categories.order_by("position"))
    if question.kind == "single":
        return {"category": chance.choice(categories)}
    if question.kind == "multiple":
        return {"category_set": sorted(each.pk for each in categories if chance.random() < 0.4)}
    return {"number": chance.choice([-1.5, 0.0, 2.0, 7.25])}


@pytest.fixture(scope="module")
def drawn_reports(live_database, django_db_blocker):
    with django_db_blocker.unblock(), living.use_database(live_database):
        project = drawn_project(seed=1)
        lead = cast.member(project, Membership.Role.LEAD, username="lena", unique=True)
        reports = [finished_report(project, lead, pooled=True), finished_report(project, lead, rounds=["x"])]
        labels = list(Label.objects.filter(question__project=project).select_related("item", "rater"))
        # Nothing of this may show: a report is about the labels that it read.
        changed = Label.objects.filter(question__project=project, rater__key="r1")
        changed.update(is_abstention=True, category=None, category_set=None, number=None)
        yield project, reports, labels


def agreements(world) -> list[QuestionAgreement]:
    found = QuestionAgreement.objects.filter(report__in=world[1]).select_related("report", "question")
    return list(found.order_by("report", "question"))


def value_of(label):
    if label.is_abstention:
        return None
    if label.number is not None:
        return label.number
    return label.category_id if label.category_set is None else label.category_set


def counting(agreement, labels, round_=None) -> dict:
    """{item: {rater: label}}: of each item and rater the first pass in the scope."""
    rounds = agreement.report.codebook["rounds"]
    ids = None if rounds is None else {each["id"] for each in rounds}
    found = defaultdict(dict)
    for label in sorted(labels, key=lambda each: each.pass_number):
        is_in = (ids is None or label.round_id in ids) and round_ in {None, label.round_id}
        if label.question_id == agreement.question_id and is_in:
            found[label.item_id].setdefault(label.rater_id, label)
    return found


# How many labels at least and at most, whether they differ, and how many abstentions.
LIMITS = {
    None: (1, math.inf, None, 0),
    "dispute": (2, math.inf, True, 0),
    "agreement": (2, math.inf, False, 0),
    "compared": (2, math.inf, None, 0),
    "alone": (1, 1, None, 0),
    "abstained": (0, math.inf, None, 1),
    "complete": (N_RATERS, math.inf, None, 0),
}


def worked_out(agreement, labels, query: ItemQuery) -> list:
    kept = []
    ids = {category["key"]: category["id"] for category in agreement.categories}
    raters = {rater["key"]: rater["id"] for rater in agreement.raters}
    round_ = (
        Round.objects.get(project=agreement.report.project_id, key=query.round).pk if query.round else None
    )
    least, most, differ, abstained = LIMITS[query.among]
    for item, of_raters in counting(agreement, labels, round_).items():
        given = {rater: value_of(label) for rater, label in of_raters.items()}
        values = [value for value in given.values() if value is not None]
        counts = Counter(tuple(value) if isinstance(value, list) else value for value in values)
        n_abstained = len(given) - len(values)
        moments = [label.labelled_at for label in of_raters.values() if not label.is_abstention]
        its = given.get(raters.get(query.rater))
        finished = [each and datetime.fromisoformat(each) for each in (query.since, query.until)]
        if (
            all(any(holds(value, category) for value in values) for category in map(ids.get, query.has))
            and (query.rater is None or its is not None)
            and (query.label is None or holds(its, ids[query.label]))
            and least <= len(values) <= most
            and differ in {None, len(counts) > 1}
            and n_abstained >= abstained
            and (finished == [None, None] or (moments and finished[0] <= max(moments) <= finished[1]))
        ):
            shown = [(list(value) if isinstance(value, tuple) else value, n) for value, n in counts.items()]
            is_number = agreement.question.kind == "number"
            shown.sort(key=lambda each: each[0] if is_number else (-each[1], each[0]))
            kept.append((rank(counts, item, is_number=is_number), item, shown, n_abstained))
    return [row[1:] for row in sorted(kept)]


def holds(value, category) -> bool:
    return category in value if isinstance(value, list) else category == value


def rank(counts: Counter, item: int, *, is_number: bool) -> tuple:
    """Where an item stands: by spread, by entropy, by its number; without a label last."""
    n = sum(counts.values())
    if not n:
        return (1, 0.0, 0.0, item)
    entropy = -sum(k / n * math.log(k / n) for k in counts.values())
    spread = max(counts) - min(counts) if is_number else 0.0
    return (0, -spread, -round(entropy, 9) + 0.0, item)


def wishes(agreement) -> list[ItemQuery]:
    day, last = str(START + timedelta(days=1)), str(START + timedelta(days=400))
    found = [ItemQuery(among=among) for among in LIMITS]
    found += [
        ItemQuery(rater="r1"),
        ItemQuery(round="x", among="compared"),
        ItemQuery(since=str(START), until=str(START + timedelta(days=3)), among="compared"),
        ItemQuery(since=day, until=last, rater="r0"),
    ]
    if agreement.categories:
        found += [ItemQuery(has=("a", "c")), ItemQuery(rater="r2", label="b")]
        found.append(ItemQuery(has=("b",), round="x", among="dispute"))
    return found


def listed(agreement, query: ItemQuery, *, start: int = 0, size: int = MANY) -> tuple[list, int]:
    return items_of_question(query, StoredResult.of(agreement)).page(start, size)


def test_every_list_has_the_items_that_it_says_in_their_order(drawn_reports):
    for agreement in agreements(drawn_reports):
        for query in wishes(agreement):
            expected = worked_out(agreement, drawn_reports[2], query)

            found, n = listed(agreement, query)

            assert n == len(expected)
            assert [(each.item.pk, each.answers, each.n_abstained) for each in found] == expected, query


def test_lists_without_stored_disagreement_are_the_same(drawn_reports):
    """As in reports computed before it was stored."""
    for agreement in agreements(drawn_reports):
        queries = [ItemQuery(among=among) for among in LIMITS]
        before = [listed(agreement, query, start=3, size=9) for query in queries]
        block = agreement.label_blocks.get()
        assert bytes(block.disagreement)
        LabelBlock.objects.filter(pk=block.pk).update(disagreement=b"")

        assert [listed(agreement, query, start=3, size=9) for query in queries] == before
        LabelBlock.objects.filter(pk=block.pk).update(disagreement=block.disagreement)


def test_stored_disagreement_is_verified(drawn_reports):
    agreement = agreements(drawn_reports)[0]
    block = LabelBlock.objects.get(agreement=agreement)
    counts = ItemDisagreement.unpacked(bytes(block.disagreement))
    assert counts.entropies.any()
    altered = replace(counts, entropies=counts.entropies[::-1]).packed
    LabelBlock.objects.filter(pk=block.pk).update(disagreement=altered)

    assert verify(agreement.report) == ["one: the disagreement behind its lists of items differs"]
    LabelBlock.objects.filter(pk=block.pk).update(disagreement=block.disagreement)


def test_pages_are_parts_of_the_whole_list(drawn_reports):
    agreement = agreements(drawn_reports)[0]
    whole, n = listed(agreement, ItemQuery())

    parts = [listed(agreement, ItemQuery(), start=start, size=7)[0] for start in range(0, n, 7)]

    assert [each for part in parts for each in part] == whole


def test_the_items_of_a_pair_are_those_that_both_labeled(drawn_reports):
    for agreement in agreements(drawn_reports):
        pair = agreement.pairs.select_related("rater_a", "rater_b").order_by("pk")[1]
        pair.agreement = agreement
        of_both = {}
        for item, given in counting(agreement, drawn_reports[2]).items():
            a, b = (
                value_of(given[rater]) if rater in given else None
                for rater in (pair.rater_a_id, pair.rater_b_id)
            )
            if a is not None and b is not None:
                of_both[item] = (a, b)

        if agreement.question.kind == "single":
            ids = [category["id"] for category in agreement.categories]
            differing = items_of_pair(ItemQuery(among="dispute"), pair)
            found = {each.item.pk: (ids[each.a], ids[each.b]) for each in differing[0 : len(differing)]}
            assert found == {item: both for item, both in of_both.items() if both[0] != both[1]}
        else:
            answers = most_different(pair)
            rows = answers[0 : len(answers)]
            assert {each.item.pk: (each.a, each.b) for each in rows} == of_both
            gaps = [gap(each.a, each.b) for each in rows]
            assert gaps == sorted(gaps, reverse=True)


def gap(a, b) -> float:
    return len(set(a) ^ set(b)) if isinstance(a, list) else abs(a - b)


def test_labels_are_kept_as_they_were_and_verified(drawn_reports):
    for report in drawn_reports[1]:
        assert verify(report) == []

    agreement = agreements(drawn_reports)[0]
    block = LabelBlock.objects.get(agreement=agreement)
    other = (
        LabelBlock.objects.exclude(agreement=agreement).filter(agreement__question=agreement.question).first()
    )
    LabelBlock.objects.filter(pk=block.pk).update(seconds=other.seconds, raters=other.raters)

    assert "one: the labels behind its lists of items differ" in verify(agreement.report)
    LabelBlock.objects.filter(pk=block.pk).update(seconds=block.seconds, raters=block.raters)


def test_blocks_are_of_whole_items_in_their_order(drawn_reports, monkeypatch):
    monkeypatch.setattr(packed, "FIRST_SLICE_ITEMS", 7)
    monkeypatch.setattr(packed, "SLICE_LABELS", 40)
    project, _, _ = drawn_reports
    lead = project.memberships.get(role="lead").user
    agreement = finished_report(project, lead, seed=2, pooled=True).questions.get(question__key="many")
    agreement = QuestionAgreement.objects.select_related("question").get(pk=agreement.pk)

    blocks = list(blocks_of(agreement))

    assert len(blocks) > 3
    assert all(rows.items[0] == first for first, rows in blocks)
    assert all(a.items[-1] < b.items[0] for (_, a), (_, b) in itertools.pairwise(blocks))
    assert sum(len(rows) for _, rows in blocks) == Label.objects.filter(question=agreement.question).count()
    assert verify(agreement.report) == []
    # Who says “cannot tell” alone is none of the raters of a report.
    labels = Label.objects.filter(question=agreement.question).exclude(rater__key="r1")
    expected = worked_out(agreement, list(labels), ItemQuery())
    found, n = listed(agreement, ItemQuery())
    assert [(each.item.pk, each.answers, each.n_abstained) for each in found] == expected
    assert n == len(expected) > N_ITEMS * 0.9
