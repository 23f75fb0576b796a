"""The scorecard against a case worked out by hand."""

import csv
import io
import random
import statistics
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from projects.models import Membership, Project, Round
from raters.models import Assignment, Label, Rater
from raters.progress.progress_lists import ListFilter, ListRows, ProgressCount
from raters.scorecard.cards import cards_of, scorecard_figures
from tests import cast
from tests.labeling import new_question
from tests.working import new_work

pytestmark = pytest.mark.django_db

# What zoe, yves, and xav said of four items; the reference; the decision.
LABELS = {
    0: ("good", "good", "bad"),
    1: ("good", "bad", "bad"),
    2: ("fair", "good", "bad"),
    3: ("good", "good", "good"),
}
REFERENCE = {0: "good", 1: "good"}
DECIDED = {0: "good", 1: "bad", 2: "fair"}


@pytest.fixture
def rated_work(db):
    work = new_work(n_items=4, n_raters=3, usernames=["zoe", "yves", "xav"])
    categories = {category.key: category for category in work.question.categories.all()}

    def label(rater, place, answer, **more):
        Label.objects.create(
            item=work.items[place], question=work.question, rater=rater, category=categories[answer], **more
        )

    for place, answers in LABELS.items():
        for rater, answer in zip(work.raters, answers, strict=True):
            label(rater, place, answer, round=work.round, seconds=10 * (place + 1))
    for kind, known in ((Rater.Kind.REFERENCE, REFERENCE), (Rater.Kind.CONSENSUS, DECIDED)):
        rater = Rater.objects.create(project=work.project, key=kind, kind=kind)
        for place, answer in known.items():
            label(rater, place, answer)
    # A blind repeat of the first item by zoe, answered differently.
    label(work.raters[0], 0, "fair", round=work.round, pass_number=2, seconds=8)
    return work


def totals(work, **more):
    return {card.rater.key: card for card in cards_of(work.project, **more) if card.is_total}


def test_figures_by_hand(rated_work):
    found = totals(rated_work)

    def of(key, name):
        alike = getattr(found[key], name)
        return alike.n_same, alike.n

    # Item 0: the others of zoe are split; those of xav agree on good. Item 1: those of zoe agree on bad, those of the
    # others are split. Item 2: all split. Item 3: all agree.
    assert of("zoe", "consensus") == (1, 2)
    assert of("yves", "consensus") == (1, 1)
    assert of("xav", "consensus") == (1, 2)
    assert of("zoe", "reference") == (2, 2)
    assert of("yves", "reference") == (1, 2)
    assert of("xav", "reference") == (0, 2)
    # Decided otherwise: zoe on item 1; yves on 2; xav on 0 and 2.
    assert of("zoe", "overturned") == (1, 3)
    assert of("yves", "overturned") == (1, 3)
    assert of("xav", "overturned") == (2, 3)
    assert of("zoe", "repeats") == (0, 1)
    assert of("yves", "repeats") == (0, 0)
    # 8, 10, 20, 30, 40 seconds, and without the repeat.
    assert (found["zoe"].seconds, found["yves"].seconds) == (20, 25)
    assert (found["zoe"].n_labels, found["yves"].n_labels) == (5, 4)


def test_a_decision_does_not_overturn_labels_given_after_it(rated_work):
    later = Round.objects.create(project=rated_work.project, key="later", position=5)
    decided = Label.objects.filter(rater__kind=Rater.Kind.CONSENSUS)
    decided.update(labelled_at=timezone.now())
    for place in range(3):
        Label.objects.create(
            item=rated_work.items[place],
            question=rated_work.question,
            rater=rated_work.raters[2],
            round=later,
            pass_number=2,
            category=rated_work.question.categories.get(key="bad" if place != 1 else "good"),
            labelled_at=timezone.now() + timedelta(hours=1),
        )

    found = totals(rated_work)["xav"].overturned
    assert (found.n_same, found.n) == (2, 3)

    # Once the decisions are made again, they are about these labels, too.
    decided.update(labelled_at=timezone.now() + timedelta(hours=2))
    found = totals(rated_work)["xav"].overturned
    assert (found.n_same, found.n) == (2 + 3, 3 + 3)


def test_numbers_within_the_tolerance_are_alike(rated_work):
    zoe, *_ = rated_work.raters
    score = new_question(rated_work.project, key="score", kind="number", categories=(), tolerance=0.1)
    gold = rated_work.project.raters.get(key="reference")
    final = rated_work.project.raters.get(key="consensus")
    # Of the reference, the decision, and zoe, in binary: 0.8 − 0.7 is more than 0.1.
    for place, (known, decided, answer) in enumerate([(0.7, 0.9, 0.8), (0.7, 0.5, 0.85)]):
        for rater, number in ((gold, known), (zoe, answer), (final, decided)):
            Label.objects.create(item=rated_work.items[place], question=score, rater=rater, number=number)

    found = totals(rated_work)["zoe"]
    missed = [
        row.item.key
        for row in ListRows(rated_work.project, ListFilter(ProgressCount.MISSED))[0:50]
        if row.rater == "zoe"
    ]

    # Beside those of the other question, one alike and one not.
    assert (found.reference.n_same, found.reference.n) == (2 + 1, 2 + 2)
    assert (found.overturned.n_same, found.overturned.n) == (1 + 1, 3 + 2)
    assert missed == ["item-2"]


def test_numbers_are_compared_with_the_median_of_the_others(rated_work):
    """Of zoe, yves, and xav: the lower one of the two others, within 1."""
    before = totals(rated_work)
    score = new_question(rated_work.project, key="score", kind="number", categories=(), tolerance=1)
    # zoe beside 3 and 9, yves beside 2 and 9, xav beside 2 and 3; two of them; one alone.
    for place, numbers in enumerate([(2, 3, 9), (5, 7, None), (4, None, None)]):
        for rater, number in zip(rated_work.raters, numbers, strict=True):
            if number is not None:
                Label.objects.create(
                    item=rated_work.items[place],
                    question=score,
                    rater=rater,
                    number=number,
                    round=rated_work.round,
                )

    after = totals(rated_work)

    def added(key):
        now, was = after[key].consensus, before[key].consensus
        return now.n_same - was.n_same, now.n - was.n

    assert (added("zoe"), added("yves"), added("xav")) == ((1, 2), (1, 2), (0, 1))


@pytest.mark.parametrize("seed", range(3))
def test_the_median_of_the_others_at_random(db, seed):
    """Against the median of a list, with gaps and ties, of people also for a model."""
    chance = random.Random(seed)
    work = new_work(n_items=6, n_raters=6, usernames=[f"rater-{number}" for number in range(6)])
    score = new_question(work.project, key="score", kind="number", categories=(), tolerance=0.5)
    Rater.objects.filter(pk=work.raters[5].pk).update(kind=Rater.Kind.MODEL)
    expected = {rater.key: [0, 0] for rater in work.raters}
    for item in work.items:
        answers = {rater: chance.randint(0, 4) for rater in work.raters if chance.random() < 0.7}
        for rater, number in answers.items():
            Label.objects.create(item=item, question=score, rater=rater, number=number, round=work.round)
            others = [other for one, other in answers.items() if one not in (rater, work.raters[5])]
            if others:
                expected[rater.key][0] += abs(number - statistics.median_low(others)) <= 0.5
                expected[rater.key][1] += 1

    found = totals(work)

    assert {
        key: [found[key].consensus.n_same, found[key].consensus.n] if key in found else [0, 0]
        for key in expected
    } == expected


def consensus_of(work):
    return {key: (card.consensus.n_same, card.consensus.n) for key, card in totals(work).items()}


def test_the_consensus_is_of_people_also_for_models(rated_work):
    before = consensus_of(rated_work)
    good = rated_work.question.categories.get(key="good")
    for name in ("gpt", "llama"):
        model = Rater.objects.create(project=rated_work.project, key=name, kind=Rater.Kind.MODEL)
        for item in rated_work.items:
            Label.objects.create(
                item=item, question=rated_work.question, rater=model, category=good, round=rated_work.round
            )

    after = consensus_of(rated_work)

    # People agree on good on items 0 and 3 and on bad on item 1; on item 2, they are split.
    assert {name: after.pop(name) for name in ("gpt", "llama")} == {"gpt": (2, 3), "llama": (2, 3)}
    assert after == before


@pytest.mark.parametrize("kind", ["single", "number"])
def test_with_one_person_models_count_too(db, kind):
    work = new_work(n_items=1, n_raters=1, usernames=["zoe"])
    models = [
        Rater.objects.create(project=work.project, key=name, kind=Rater.Kind.MODEL)
        for name in ("gpt", "llama")
    ]
    question = new_question(work.project, key="more", kind=kind, categories="ab" if kind == "single" else ())
    for place, rater in enumerate([*work.raters, *models]):
        value = (
            {"category": question.categories.get(key="abb"[place])}
            if kind == "single"
            else {"number": place > 0}
        )
        Label.objects.create(item=work.items[0], question=question, rater=rater, round=work.round, **value)

    found = consensus_of(work)

    # The others of a model are zoe and the other model: split, and the lower number is zoe's.
    assert found["zoe"] == (0, 1)
    assert found["gpt"] == found["llama"] == ((0, 0) if kind == "single" else (0, 1))


def test_labels_accepted_from_a_suggestion_are_not_compared(rated_work):
    """As in reports: neither with others, nor others with them."""
    everyone = Label.objects.filter(round=rated_work.round)
    zoe, yves, _ = rated_work.raters

    everyone.filter(rater=zoe, item=rated_work.items[0]).update(from_suggestion=True)
    everyone.filter(rater=yves, item__in=rated_work.items[2:]).update(from_suggestion=True)

    found = totals(rated_work)

    def of(name):
        counts = {key: getattr(card, name) for key, card in found.items()}
        return [(counts[key].n_same, counts[key].n) for key in ("zoe", "yves", "xav")]

    # Item 0: good, bad by yves and xav. Item 1: as before. Items 2 and 3: of zoe and xav, fair and bad, both good.
    assert of("consensus") == [(1, 3), (0, 1), (1, 3)]
    assert of("reference") == [(1, 1), (1, 2), (0, 2)]
    assert of("overturned") == [(1, 2), (0, 2), (2, 3)]
    assert of("repeats") == [(0, 0), (0, 0), (0, 0)]
    assert found["zoe"].n_labels == 5


def test_numbers_accepted_from_a_suggestion_are_not_compared(db):
    work = new_work(n_items=1, n_raters=3, usernames=["zoe", "yves", "xav"])
    score = new_question(work.project, key="score", kind="number", categories=(), tolerance=1)
    for rater, number in zip(work.raters, (2, 2, 9), strict=True):
        Label.objects.create(
            item=work.items[0],
            question=score,
            rater=rater,
            number=number,
            round=work.round,
            from_suggestion=number == 9,
        )

    assert consensus_of(work) == {"zoe": (1, 1), "yves": (1, 1), "xav": (0, 0)}


def test_one_person_and_one_who_accepted_suggestions_are_not_two_people(db):
    """Then models count, too."""
    work = new_work(n_items=1, n_raters=2, usernames=["zoe", "yves"])
    gpt = Rater.objects.create(project=work.project, key="gpt", kind=Rater.Kind.MODEL)
    for rater, answer in ((work.raters[0], "good"), (work.raters[1], "bad"), (gpt, "good")):
        Label.objects.create(
            item=work.items[0],
            question=work.question,
            rater=rater,
            category=work.question.categories.get(key=answer),
            round=work.round,
            from_suggestion=answer == "bad",
        )

    assert consensus_of(work) == {"zoe": (1, 1), "yves": (0, 0), "gpt": (1, 1)}


def test_rounds_stand_below_their_sum(rated_work):
    zoe = rated_work.raters[0]
    later = rated_work.project.rounds.create(key="later", position=1)
    good = rated_work.question.categories.get(key="good")
    for rater in rated_work.raters[:2]:
        Label.objects.create(
            item=rated_work.items[1], question=rated_work.question, rater=rater, round=later, category=good,
            pass_number=2,
        )  # fmt: skip

    own = [card for card in cards_of(rated_work.project) if card.rater.key == "zoe"]

    assert [(card.is_total, card.round) for card in own] == [(True, ""), (False, "round 1"), (False, "later")]
    # In the later round, the one other says the same.
    assert [(card.consensus.n_same, card.consensus.n) for card in own] == [(2, 3), (1, 2), (1, 1)]
    assert sum(card.n_labels for card in own[1:]) == own[0].n_labels == 6
    assert zoe.labels.count() == 6


def test_intervals_are_wilsons(rated_work):
    [zoe] = [row for row in scorecard_figures(cards_of(rated_work.project)) if row.card.rater.key == "zoe"]

    assert zoe.shares["consensus"].value == 0.5
    # Wilson for 1 of 2: (1 + 1.92) / (2 + 3.84) ± …
    assert zoe.shares["consensus"].low == pytest.approx(0.0945, abs=1e-4)
    assert zoe.shares["repeats"].value == 0
    assert scorecard_figures([]) == []


def test_nothing_of_items_that_one_still_labels(rated_work):
    assert cards_of(rated_work.project, hidden=[rated_work.round.pk]) == []


def test_page_file_and_api(rated_work):
    lead = cast.member(rated_work.project, Membership.Role.LEAD, username="lara")
    Assignment.objects.filter(round=rated_work.round).delete()
    client = cast.signed_in(lead)
    slug = rated_work.project.slug
    page = client.get(reverse("scorecard", args=[slug]))
    assert page.content.count(b"data-total") == 3
    file = client.get(reverse("scorecard_file", args=[slug]))
    rows = list(csv.DictReader(io.StringIO(b"".join(file.streaming_content).decode("utf-8-sig"))))
    zoe = next(row for row in rows if row["rater"] == "zoe")
    assert (zoe["round"], zoe["consensus_n"], zoe["consensus_share"], zoe["account"]) == (
        "all",
        "2",
        "0.5",
        "zoe",
    )
    api = client.get(f"/api/v1/projects/{slug}/scorecard/").json()
    shown = next(row for row in api if row["rater"] == "xav")
    assert (shown["overturned"]["count"], shown["overturned"]["n"]) == (2, 3)


def test_all_projects_of_a_lead(rated_work):
    lead = cast.member(rated_work.project, Membership.Role.LEAD, username="lara")
    other = new_work(n_items=1, n_raters=1)
    Membership.objects.create(project=other.project, user=lead, role=Membership.Role.LEAD)
    # Of one project, she is an auditor only, and of one no member.
    audited, unknown = new_work(n_items=1, n_raters=1), new_work(n_items=1, n_raters=1)
    Membership.objects.create(project=audited.project, user=lead, role=Membership.Role.AUDITOR)
    cast.member(audited.project, Membership.Role.LEAD, username="luis")
    for work in (other, audited, unknown):
        Label.objects.create(
            item=work.items[0], question=work.question, rater=work.raters[0],
            category=work.question.categories.first(),
        )  # fmt: skip
    client = cast.signed_in(lead)
    page = client.get(reverse("scorecard", args=[rated_work.project.slug]) + "?projects=all")

    assert {row.card.project for row in page.context["rows"]} == {rated_work.project, other.project}
    # Who leads nothing sees the one project.
    auditor = cast.signed_in(cast.member(rated_work.project, Membership.Role.AUDITOR, username="otto"))
    page = auditor.get(reverse("scorecard", args=[rated_work.project.slug]) + "?projects=all")
    assert {row.card.project for row in page.context["rows"]} == {rated_work.project}


def test_names_are_hidden_from_adjudicators(rated_work):
    user = cast.member(rated_work.project, Membership.Role.ADJUDICATOR, username="mia")
    client = cast.signed_in(user)
    slug = rated_work.project.slug
    page = client.get(reverse("scorecard", args=[slug])).content
    file = b"".join(client.get(reverse("scorecard_file", args=[slug])).streaming_content)
    assert b'data-card="zoe"' not in page
    assert b"zoe" not in file
    Project.objects.filter(slug=slug).update(adjudicators_see_names=True)
    assert b'data-card="zoe"' in client.get(reverse("scorecard", args=[slug])).content


def test_as_many_queries_for_more_raters(rated_work, django_assert_max_num_queries):
    with django_assert_max_num_queries(20) as few:
        cards_of(rated_work.project)
    for number in range(5):
        rater = Rater.objects.create(project=rated_work.project, key=f"more-{number}")
        Label.objects.create(
            item=rated_work.items[0], question=rated_work.question, rater=rater, is_abstention=True
        )
    with django_assert_max_num_queries(len(few)):
        cards_of(rated_work.project)
