"""The figures of the scorecard, with a number of queries that does not grow with raters or rounds.

All compare only labels that are neither “cannot tell” nor treated as missing, and that were not accepted from a
suggestion, as in reports. Numbers are equal within the tolerance
of their question; for the comparison with other raters, the median of the others is used.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from core.tolerance import sql_beyond
from projects.models import Project, Question, Round
from raters.lettered import Letters
from raters.missing_codes import is_missing
from raters.models import Rater
from raters.passes import first_in_round
from raters.progress.progress_figures import MatchCounts
from raters.progress.progress_queries import REFERENCE, REPEATS, SAME, VOTERS, Asked, progress_params, rows_of
from raters.reporting import PlainFigure, reporting

# Items that the viewer is still labeling are not counted.
_VISIBLE = """ AND l.item_id NOT IN (
    SELECT item_id FROM raters_assignment hidden WHERE hidden.batch_id = ANY (%(hidden)s::bigint[])
)"""
_MATCHES = """
SELECT l.rater_id, l.batch_id, count(*), count(*) FILTER (WHERE {same}) FROM {pairs}{seen} GROUP BY 1, 2
"""
# A decision overturns only labels that were there when it was made.
_BEFORE = " AND l.labelled_at <= known.labelled_at"
_LABELS = """
SELECT l.rater_id, l.batch_id, count(*) FROM raters_label l
WHERE l.question_id = ANY (%(questions)s) AND l.rater_id = ANY (%(voters)s){seen} GROUP BY 1, 2
"""
# Whose labels others are compared with, as in reports: people's, and on questions that fewer than two people labeled,
# those of models, too.
_COUNTS = "(l.rater_id = ANY (%(people)s) OR l.question_id = ANY (%(pooled)s))"
_PEOPLE = """
SELECT question_id FROM raters_label
WHERE question_id = ANY (%(questions)s) AND rater_id = ANY (%(people)s) AND NOT from_suggestion
GROUP BY 1 HAVING count(DISTINCT rater_id) > 1
"""
# The answer that more than half of the others gave in the same round, excluding the label being compared: a label
# with the most common answer is also checked against the second most common one. own: 1 if the label itself counts.
_CONSENSUS = f"""
WITH votes AS (
    SELECT l.rater_id, l.item_id, l.question_id, l.batch_id, {_COUNTS}::int AS own,
        coalesce(l.category_id::text, l.category_set::text) AS answer
    FROM raters_label l
    WHERE l.question_id = ANY (%(compared)s) AND l.rater_id = ANY (%(voters)s) AND l.number IS NULL
        AND NOT l.is_abstention AND NOT l.from_suggestion AND NOT {is_missing("l")} AND {first_in_round("l")}{{seen}}
), counts AS (
    SELECT item_id, question_id, batch_id, answer, count(*) AS n FROM votes WHERE own = 1 GROUP BY 1, 2, 3, 4
), tops AS (
    SELECT item_id, question_id, batch_id, sum(n) AS n_all,
        (array_agg(answer ORDER BY n DESC, answer))[1] AS top, max(n) AS n_top,
        coalesce((array_agg(n ORDER BY n DESC))[2], 0) AS n_second
    FROM counts GROUP BY 1, 2, 3
), compared AS (
    SELECT v.rater_id, v.batch_id,
        v.answer = t.top AND 2 * (t.n_top - v.own) > t.n_all - v.own AS is_same,
        CASE WHEN v.answer = t.top THEN 2 * t.n_second ELSE 2 * t.n_top END > t.n_all - v.own AS is_other
    FROM votes v JOIN tops t ON t.item_id = v.item_id AND t.question_id = v.question_id
        AND t.batch_id IS NOT DISTINCT FROM v.batch_id
)
SELECT rater_id, batch_id, count(*) FILTER (WHERE is_same OR is_other), count(*) FILTER (WHERE is_same)
FROM compared GROUP BY 1, 2
"""  # noqa: S608
_PLACE = "CASE WHEN v.counts THEN o.n / 2 + (v.place <= o.n / 2)::int ELSE (o.n + 1) / 2 END"
_BESIDE_MEDIAN = sql_beyond(f"abs(v.number - o.numbers[{_PLACE}])", "q.tolerance")
# The same for numbers: the median of the others, excluding the number being compared. For an even number of others, it
# is the lower of the middle two, as for final labels, so that it is a number that somebody gave. If the rater's own
# number counts, it is the k-th of the others in order, with k half of all, and the next one of all if the rater's own
# number comes before it.
_MEDIAN = f"""
WITH votes AS (
    SELECT l.rater_id, l.item_id, l.question_id, l.batch_id, l.number, {_COUNTS} AS counts,
        row_number() OVER (PARTITION BY l.item_id, l.question_id, l.batch_id, {_COUNTS} ORDER BY l.number) AS place
    FROM raters_label l
    WHERE l.question_id = ANY (%(questions)s) AND l.rater_id = ANY (%(voters)s) AND l.number IS NOT NULL
        AND NOT l.from_suggestion AND NOT {is_missing("l")} AND {first_in_round("l")}{{seen}}
), ordered AS (
    SELECT item_id, question_id, batch_id, array_agg(number ORDER BY number) AS numbers, count(*) AS n
    FROM votes WHERE counts GROUP BY 1, 2, 3
)
SELECT v.rater_id, v.batch_id, count(*), count(*) FILTER (WHERE NOT ({_BESIDE_MEDIAN}))
FROM votes v JOIN ordered o ON o.item_id = v.item_id AND o.question_id = v.question_id
    AND o.batch_id IS NOT DISTINCT FROM v.batch_id
JOIN projects_question q ON q.id = v.question_id
WHERE o.n > 1 OR NOT v.counts
GROUP BY 1, 2
"""  # noqa: S608
# The time for an item is that of its slowest label, because all its questions are on one page.
_PACES = """
SELECT rater_id, batch_id, grouping(batch_id) = 1, percentile_cont(0.5) WITHIN GROUP (ORDER BY spent)
FROM (
    SELECT l.rater_id, l.batch_id, l.item_id, l.pass_number, max(l.seconds) AS spent FROM raters_label l
    WHERE l.question_id = ANY (%(questions)s) AND l.rater_id = ANY (%(voters)s) AND l.seconds IS NOT NULL{seen}
    GROUP BY 1, 2, 3, 4
) of_items
GROUP BY GROUPING SETS ((rater_id, batch_id), (rater_id))
"""


@dataclass(slots=True)
class Card:
    """A rater's figures in one round or a whole project. round: "" for all, and for labels without a round.

    consensus: compared with the majority of the other people in the same round; for numbers, with their median. On
    questions that fewer than two people labeled, models count, too. overturned: n_same is how many later decisions were
    a different answer. seconds: the median time per item.
    """

    project: Project
    rater: Rater
    round: str = ""
    is_total: bool = False
    n_labels: int = 0
    consensus: MatchCounts = field(default_factory=MatchCounts)
    reference: MatchCounts = field(default_factory=MatchCounts)
    overturned: MatchCounts = field(default_factory=MatchCounts)
    repeats: MatchCounts = field(default_factory=MatchCounts)
    seconds: float | None = None

    def add(self, name: str, n: int, n_same: int) -> None:
        before: MatchCounts = getattr(self, name)
        setattr(self, name, MatchCounts(before.n + n, before.n_same + n_same))


SHARES = ("consensus", "reference", "overturned", "repeats")


@dataclass(frozen=True, slots=True)
class ScorecardFigures:
    """shares: by name, the share with its Wilson interval; None if there is nothing to compare."""

    card: Card
    shares: dict[str, PlainFigure | None]


def cards_of(project: Project, *, hidden: Sequence[int] = (), letters: Letters | None = None) -> list[Card]:
    """Return cards for each rater with labels, sorted by name: all rounds together, then each round in order."""
    raters = list(Rater.objects.filter(project=project).select_related("user"))
    rounds = {round_.pk: round_ for round_ in Round.objects.filter(project=project)}
    questions = list(Question.objects.filter(project=project))
    asked = progress_params(project, raters=raters, rounds=list(rounds), questions=questions)
    asked["hidden"] = list(hidden)
    asked["people"] = [rater.pk for rater in raters if rater.kind == Rater.Kind.HUMAN]
    of_people = {pk for (pk,) in rows_of(_PEOPLE, asked)}
    asked["pooled"] = [question.pk for question in questions if question.pk not in of_people]
    seen = _VISIBLE if hidden else ""
    voters = {rater.pk: rater for rater in raters if rater.kind in VOTERS}
    totals: dict[int, Card] = {}
    parts: dict[tuple[int, int | None], Card] = {}
    for pk, round_, n in rows_of(_LABELS.format(seen=seen), asked):
        total = totals.setdefault(pk, Card(project, voters[pk], is_total=True))
        part = parts[pk, round_] = Card(project, voters[pk], rounds[round_].key if round_ else "")
        total.n_labels, part.n_labels = total.n_labels + n, n
    for name, query, more in _queries(raters, questions, seen):
        for pk, round_, n, n_same in rows_of(query, asked | more):
            totals[pk].add(name, n, n_same)
            parts[pk, round_].add(name, n, n_same)
    for pk, round_, is_all, seconds in rows_of(_PACES.format(seen=seen), asked):
        (totals[pk] if is_all else parts[pk, round_]).seconds = seconds
    if letters is not None:
        for rater in voters.values():
            rater.key = letters.visible_key(rater.key)
    places = {pk: place for place, pk in enumerate(rounds)}
    found = []
    for pk, total in sorted(totals.items(), key=lambda each: each[1].rater.key):
        own = sorted(
            (round_ for rater, round_ in parts if rater == pk), key=lambda each: places.get(each or 0, -1)
        )
        found += [total, *(parts[pk, round_] for round_ in own if len(own) > 1)]
    return found


def _queries(
    raters: Sequence[Rater], questions: Sequence[Question], seen: str
) -> list[tuple[str, str, Asked]]:
    """Return what is compared, with its query and the labels it is compared with."""
    known: Asked = {"references": [rater.pk for rater in raters if rater.kind == Rater.Kind.REFERENCE]}
    decided: Asked = {"references": [rater.pk for rater in raters if rater.kind == Rater.Kind.CONSENSUS]}
    matches = _MATCHES.format(same=SAME, pairs=REFERENCE, seen=seen)
    found: list[tuple[str, str, Asked]] = [("consensus", _CONSENSUS.format(seen=seen), {})]
    if any(question.kind == Question.Kind.NUMBER for question in questions):
        found.append(("consensus", _MEDIAN.format(seen=seen), {}))
    if known["references"]:
        found.append(("reference", matches, known))
    if decided["references"]:
        differs = _MATCHES.format(same=f"NOT ({SAME})", pairs=REFERENCE + _BEFORE, seen=seen)
        found.append(("overturned", differs, decided))
    found.append(("repeats", _MATCHES.format(same=SAME, pairs=REPEATS, seen=seen), {}))
    return found


def scorecard_figures(cards: Sequence[Card]) -> list[ScorecardFigures]:
    """Return the cards with their intervals, all computed at once."""
    some = [(card, name) for card in cards for name in SHARES if getattr(card, name).n]
    figures = reporting().shares_alike(
        [getattr(card, name).n_same for card, name in some], [getattr(card, name).n for card, name in some]
    ) if some else []  # fmt: skip
    by_card: dict[int, dict[str, PlainFigure | None]] = {id(card): dict.fromkeys(SHARES) for card in cards}
    for (card, name), figure in zip(some, figures, strict=True):
        by_card[id(card)][name] = figure
    return [ScorecardFigures(card, by_card[id(card)]) for card in cards]
