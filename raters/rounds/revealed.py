"""What raters see of a revealed round: their own labels next to those of others. Before, they see nothing.

Every query starts from a revealed round and a rater who labeled in it; pages and API have no other access.
References are not shown, so that they can still serve as checks; neither are notes, which are for the lead.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection
from django.db.models import Count, Exists, OuterRef, QuerySet
from django.http import Http404
from django.utils.crypto import salted_hmac

from core.numbers import letters
from projects.access import AnyUser, project_to
from projects.models import Item, Project, Question, Round
from projects.roles import Permission
from raters.access import rounds_to_be_blind_in
from raters.items.queries import category_names, excerpt, label_in_words
from raters.missing_codes import MissingValueCodes, declared_by, is_missing
from raters.models import Assignment, Label, Rater, counted
from raters.passes import first_in_round, firsts_of_round

COMPARED_KINDS = (Rater.Kind.HUMAN, Rater.Kind.MODEL)


@dataclass(frozen=True, slots=True)
class RevealedRound:
    """A revealed round as seen by one of its raters. names: names of the other raters by ID."""

    round: Round
    rater: Rater
    names: dict[int, str]
    # Rounds in which the rater is still labeling: others' labels of their items stay hidden in every round.
    blind_in: list[int]


def revealed_rounds(project: Project, user: AnyUser) -> QuerySet[Round]:
    """Return the revealed rounds in which the user has labeled."""
    own = Label.objects.filter(round=OuterRef("pk"), rater__user=user.pk, rater__project=project)
    rows = Round.objects.filter(project=project, revealed_at__isnull=False).filter(Exists(own))
    return rows.order_by("position", "pk")


def revealed_to(user: AnyUser, slug: str, pk: int) -> RevealedRound:
    """Return a revealed round. Raises Http404 if it is not revealed or the user has not labeled in it."""
    project = project_to(user, slug, Permission.LABEL)
    round_ = revealed_rounds(project, user).select_related("project").filter(pk=pk).first()
    if round_ is None:
        raise Http404("No such round.")
    rater = Rater.objects.get(project=project, user=user.pk)
    return RevealedRound(round_, rater, _names(round_, rater), rounds_to_be_blind_in(user, project))


def _names(round_: Round, rater: Rater) -> dict[int, str]:
    raters = Rater.objects.filter(
        Exists(Label.objects.filter(round=round_, rater=OuterRef("pk"))),
        project=round_.project_id,
        kind__in=COMPARED_KINDS,
    )
    keys = {pk: key for pk, key in raters.values_list("pk", "key") if pk != rater.pk}
    if round_.project.shows_names:
        return keys
    # Random, but the same for everyone, so that raters can talk about Rater C.
    order = sorted({*keys, rater.pk}, key=lambda pk: salted_hmac("rater", f"{round_.pk} {pk}").digest())
    return {pk: f"Rater {letters(place)}" for place, pk in enumerate(order) if pk != rater.pk}


_COMPARED = "= ANY (%(questions)s)"
_MINE_MISSING, _OTHER_MISSING = (is_missing(label, questions=_COMPARED) for label in ("mine", "other"))
# One rater's labels paired with those of others on the same items of a round, without "cannot tell" and answers
# treated as missing.
_BESIDE = f"""
FROM raters_label mine
JOIN raters_label other ON other.item_id = mine.item_id AND other.question_id = mine.question_id
    AND other.rater_id = ANY (%(others)s) AND other.batch_id = mine.batch_id
    AND {first_in_round("other")}
WHERE mine.rater_id = %(rater)s AND mine.batch_id = %(round)s AND mine.question_id {_COMPARED}
    AND {first_in_round("mine")}
    AND NOT mine.is_abstention AND NOT other.is_abstention
    AND NOT {_MINE_MISSING} AND NOT {_OTHER_MISSING}
    AND NOT EXISTS (
        SELECT FROM raters_assignment a WHERE a.item_id = mine.item_id AND a.batch_id = ANY (%(blind_in)s)
    )
"""
_SAME = """(mine.category_id, mine.category_set, mine.number)
    IS NOT DISTINCT FROM (other.category_id, other.category_set, other.number)"""
_COUNTS = f"""
SELECT other.rater_id, mine.question_id, mine.category_id, other.category_id, {_SAME}, count(*)
{_BESIDE}
GROUP BY 1, 2, 3, 4, 5
"""
_DIFFERENT = f"SELECT DISTINCT mine.item_id {_BESIDE} AND NOT ({_SAME}) ORDER BY 1"


@dataclass(frozen=True, slots=True)
class PairwiseComparison:
    """The rater's labels for one question compared with those of one other rater.

    cells: counts by (own category, other's category), for single choice. n_same of n_shared items agree.
    """

    rater: int
    question: int
    cells: Counter[tuple[int, int]]
    n_same: int
    n_shared: int


def pairwise_comparisons(revealed: RevealedRound) -> list[PairwiseComparison]:
    """Return a comparison for each question and each other rater who shares an item."""
    cells: dict[tuple[int, int], Counter[tuple[int, int]]] = {}
    same: Counter[tuple[int, int]] = Counter()
    shared: Counter[tuple[int, int]] = Counter()
    for other, question, mine, theirs, is_same, n in _rows(_COUNTS, revealed):
        key = other, question
        cells.setdefault(key, Counter())[mine, theirs] += n
        shared[key] += n
        same[key] += n if is_same else 0
    return [PairwiseComparison(*key, cells[key], same[key], shared[key]) for key in cells]


def items_of(revealed: RevealedRound) -> list[int]:
    """Return the IDs of the items in the round that the rater labeled."""
    rows = Label.objects.filter(round=revealed.round, rater=revealed.rater)
    hidden = Assignment.objects.filter(item=OuterRef("item"), round__in=revealed.blind_in)
    seen = rows.exclude(Exists(hidden)) if revealed.blind_in else rows
    return list(seen.order_by("item").values_list("item", flat=True).distinct())


def items_that_differ(revealed: RevealedRound) -> list[int]:
    return [item for (item,) in _rows(_DIFFERENT, revealed)]


def _rows(query: str, revealed: RevealedRound) -> list[tuple[int, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(
            query,
            {
                "questions": list(revealed.round.project.questions.compared().values_list("pk", flat=True)),
                "rater": revealed.rater.pk,
                "round": revealed.round.pk,
                "others": list(revealed.names),
                "blind_in": revealed.blind_in,
            },
        )
        return list(cursor.fetchall())


@dataclass(frozen=True, slots=True)
class AnswerComparison:
    """Answers to one question. own: the rater's own. others: each other rater's name, answer, and whether it agrees."""

    question: Question
    own: str
    others: list[tuple[str, str, bool]]


@dataclass(frozen=True, slots=True)
class RevealedItem:
    """A revealed item. assignment: the rater's own assignment, whose page shows the item."""

    item: Item
    excerpt: str
    assignment: int | None
    comparisons: list[AnswerComparison]


def revealed_items(revealed: RevealedRound, ids: Sequence[int]) -> list[RevealedItem]:
    """Return these items with their answers. ids: a subset of `items_of`."""
    raters = [revealed.rater.pk, *revealed.names]
    labels = list(
        firsts_of_round(Label.objects.filter(item__in=ids, round=revealed.round, rater__in=raters))
        .select_related("category")
        .order_by("rater")
    )
    names = category_names(labels)
    labels_of: dict[tuple[int, int], list[Label]] = {}
    for label in labels:
        labels_of.setdefault((label.item_id, label.question_id), []).append(label)
    assignments = firsts_of_round(
        Assignment.objects.filter(rater=revealed.rater, item__in=ids, round=revealed.round)
    )
    assignment_of = dict(assignments.values_list("item", "pk"))
    questions = list(revealed.round.project.questions.compared())
    declared = declared_by(questions)
    items = Item.objects.in_bulk(ids)
    return [
        RevealedItem(
            items[pk],
            excerpt(items[pk]),
            assignment_of.get(pk),
            [
                _answer_comparison(q, labels_of.get((pk, q.pk), []), revealed, names, declared)
                for q in questions
            ],
        )
        for pk in ids
    ]


def _answer_comparison(
    question: Question,
    labels: Sequence[Label],
    revealed: RevealedRound,
    names: dict[int, str],
    declared: MissingValueCodes,
) -> AnswerComparison:
    words = {label.rater_id: declared.in_words(label, label_in_words(label, names)) for label in labels}
    own = words.pop(revealed.rater.pk, "")
    others = sorted((revealed.names[pk], theirs, theirs == own) for pk, theirs in words.items())
    return AnswerComparison(question, own, others)


@dataclass(frozen=True, slots=True)
class RevealEffect:
    """Effect of revealing a round. n_shared: items labeled by two or more raters. n_waiting: pending assignments."""

    n_raters: int
    n_items: int
    n_shared: int
    n_waiting: int


def effect_of_revealing(round_: Round) -> RevealEffect:
    labels = Label.objects.filter(round=round_, rater__kind__in=COMPARED_KINDS).order_by()
    per_item = labels.values("item").annotate(n=Count("rater", distinct=True))
    numbers = list(per_item.values_list("n", flat=True))
    return RevealEffect(
        n_raters=labels.filter(rater__user__isnull=False).values("rater").distinct().count(),
        n_items=len(numbers),
        n_shared=sum(n > 1 for n in numbers),
        n_waiting=round_.assignments.filter(counted(), state=Assignment.State.PENDING).count(),
    )
