"""Check quality rules every few seconds, in the order of the history, so that saving a label costs nothing extra.

Answers count as first saved, in the order of commits; later changes are ignored.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from django.db import connection, transaction

from core.history import end_of_step
from core.tolerance import sql_beyond
from projects.events import record
from projects.models import Category, Event, Project, Question
from raters.missing_codes import is_missing
from raters.models import QualityAlert, QualityCount, QualityRule, Rater
from raters.passes import first_in_round
from raters.quality.chances import chance_of_at_least
from raters.quality.pausing import pause_rater
from raters.quality.rules import words_of

Kind = QualityRule.Kind
# Seconds between runs.
EVERY = 5.0

_RULES_WITH_NEW_LABELS = f"""
SELECT r.id, {end_of_step("r.project_id", "r.looked_up_to")}
FROM raters_qualityrule r
JOIN projects_project p ON p.id = r.project_id AND p.deletion_due_at IS NULL
CROSS JOIN LATERAL (
    SELECT position FROM core_historyentry e
    WHERE e.project_id = r.project_id AND e.position IS NOT NULL ORDER BY e.position DESC LIMIT 1
) head
WHERE r.is_active AND head.position > r.looked_up_to
ORDER BY r.id LIMIT 100
"""  # noqa: S608
# New labels that people gave in rounds; imported labels have no assignment.
_NEW = """
FROM core_historyentry e
JOIN projects_question q ON q.project_id = e.project_id AND q.id = ANY (%(questions)s)
JOIN raters_labelrevision l ON l.question_id = q.id AND l.entry_id = e.id AND l.change = 'I'
JOIN raters_rater rater ON rater.id = l.rater_id AND rater.kind = 'human'
JOIN raters_assignment a ON a.rater_id = l.rater_id AND a.item_id = l.item_id AND a.pass_number = l.pass_number
    AND a.batch_id = l.batch_id
"""
_SINCE = "e.project_id = %(project)s AND e.kind = 'R' AND e.position > %(after)s AND e.position <= %(up_to)s"
_ORDER = "ORDER BY e.position, l.id"
_DIFFERS = f"""(l.is_abstention OR CASE WHEN known.number IS NULL
    THEN (l.category_id, l.category_set) IS DISTINCT FROM (known.category_id, known.category_set)
    ELSE (l.number IS NULL OR {sql_beyond("abs(l.number - known.number)", "q.tolerance")}) END)"""
_REFERENCE = f"""
SELECT l.rater_id, {_DIFFERS}
{_NEW}
JOIN LATERAL (
    SELECT k.* FROM raters_label k JOIN raters_rater who ON who.id = k.rater_id AND who.kind = 'reference'
    WHERE k.item_id = l.item_id AND k.question_id = l.question_id AND NOT {is_missing("k")}
    ORDER BY k.rater_id, k.pass_number LIMIT 1
) known ON NOT known.is_abstention
WHERE {_SINCE} {_ORDER}
"""  # noqa: S608
_REPEATS = f"""
SELECT l.rater_id, {_DIFFERS}
{_NEW}
JOIN raters_label known ON known.item_id = l.item_id AND known.question_id = l.question_id
    AND known.rater_id = l.rater_id AND known.batch_id = l.batch_id AND known.pass_number < l.pass_number
    AND NOT known.is_abstention AND NOT {is_missing("known")} AND {first_in_round("known")}
WHERE {_SINCE} AND NOT l.is_abstention {_ORDER}
"""
# All answers of an item are saved at once, each with the time of the item.
_SPEED = f"""
SELECT l.rater_id, max(l.seconds) < %(seconds)s
{_NEW}
WHERE {_SINCE} AND l.seconds IS NOT NULL
GROUP BY e.position, l.rater_id, l.item_id, l.pass_number
ORDER BY e.position, min(l.id)
"""
_SAME_ANSWER = f"""
SELECT l.rater_id, l.question_id,
    coalesce(l.category_id::text, l.category_set::text, l.number::text, 'cannot tell')
{_NEW}
WHERE {_SINCE} {_ORDER}
"""
_QUERIES = {
    Kind.REFERENCE: _REFERENCE,
    Kind.REPEATS: _REPEATS,
    Kind.SPEED: _SPEED,
    Kind.SAME_ANSWER: _SAME_ANSWER,
}


@dataclass(slots=True)
class AnswerTally:
    """A rater's counts. n, n_bad: answers in the current block, and those that count.

    runs: for `SAME_ANSWER`, the last answer and its run length, by question ID.
    """

    n: int = 0
    n_bad: int = 0
    runs: dict[str, tuple[str, int]] = field(default_factory=dict)

    def take(self, rule: QualityRule, *, is_bad: bool) -> tuple[int, int] | None:
        """Add an answer. If it causes an alert, end the block and return n and n_bad."""
        self.n, self.n_bad = self.n + 1, self.n_bad + is_bad
        found = (self.n, self.n_bad) if self.n_bad > rule.limit else None
        if found or self.n >= rule.n:
            self.n, self.n_bad = 0, 0
        return found

    def take_answer(self, rule: QualityRule, question: int, answer: str) -> tuple[int, int] | None:
        before, length = self.runs.get(str(question), ("", 0))
        length = length + 1 if before == answer else 1
        # After an alert, counting restarts.
        self.runs[str(question)] = (answer, 0 if length >= rule.limit else length)
        return (length, length) if length >= rule.limit else None


@dataclass(frozen=True, slots=True)
class PendingAlert:
    """An alert to save: n_bad of n answers. about: for `SAME_ANSWER`, the question and the answer."""

    rater: int
    n: int
    n_bad: int
    about: tuple[int, str] | None = None


def watch() -> None:
    """Check new labels for each rule that is behind."""
    with connection.cursor() as cursor:
        cursor.execute(_RULES_WITH_NEW_LABELS)
        rules = cursor.fetchall()
    for pk, up_to in rules:
        _check_rule(pk, up_to)


@transaction.atomic
def _check_rule(pk: int, up_to: int) -> None:
    rules = QualityRule.objects.select_for_update(no_key=True, of=("self",), skip_locked=True)
    rule = rules.select_related("project").filter(pk=pk, is_active=True, looked_up_to__lt=up_to).first()
    if rule is None:
        # A lead is changing it right now, or another worker got there first.
        return
    asked: dict[str, int | float | list[int] | None] = {
        "project": rule.project_id,
        "after": rule.looked_up_to,
        "up_to": up_to,
        "questions": list(rule.project.questions.compared().values_list("pk", flat=True)),
        "seconds": rule.seconds,
    }
    with connection.cursor() as cursor:
        cursor.execute(_QUERIES[Kind(rule.kind)], asked)
        rows = cursor.fetchall()
    QualityRule.objects.filter(pk=rule.pk).update(looked_up_to=up_to)
    for found in _counted(rule, rows):
        _alert(rule, found)


def _counted(rule: QualityRule, rows: Iterable[tuple[Any, ...]]) -> list[PendingAlert]:
    """Return the alerts raised by these answers in order, and save each rater's counts."""
    kept = {each.rater_id: each.standing for each in rule.counts.all()}
    standings: dict[int, AnswerTally] = {}
    found = []
    for rater, *answer in rows:
        if rater not in standings:
            standings[rater] = AnswerTally(**kept.get(rater, {}))
        if rule.kind == Kind.SAME_ANSWER:
            about = (answer[0], answer[1])
            alert = standings[rater].take_answer(rule, *about)
        else:
            about, alert = None, standings[rater].take(rule, is_bad=answer[0])
        if alert is not None:
            found.append(PendingAlert(rater, *alert, about))
    QualityCount.objects.bulk_create(
        [QualityCount(rule=rule, rater_id=rater, standing=asdict(each)) for rater, each in standings.items()],
        update_conflicts=True,
        unique_fields=["rule", "rater"],
        update_fields=["standing"],
    )
    return found


def _alert(rule: QualityRule, found: PendingAlert) -> None:
    """Save an alert, unless the rater already has an open one of this kind, since another adds nothing new."""
    project = rule.project
    if project.quality_alerts.filter(rater=found.rater, kind=rule.kind, closed_at=None).exists():
        return
    rater = Rater.objects.get(pk=found.rater)
    QualityAlert.objects.create(
        project=project,
        rater=rater,
        kind=rule.kind,
        rule=words_of(rule),
        about="" if found.about is None else _about(project, *found.about),
        n=found.n,
        n_bad=found.n_bad,
        probability=None
        if rule.acceptable is None
        else chance_of_at_least(found.n_bad, found.n, rule.acceptable),
        has_paused=rule.pauses,
    )
    record(
        Event.Kind.QUALITY_ALERT,
        project=project,
        about=rater.key,
        rule=words_of(rule),
        n=found.n,
        n_bad=found.n_bad,
    )
    if rule.pauses or rule.message:
        pause_rater(rater, by=None, note=rule.message, may_resume=not rule.pauses)


def _about(project: Project, question: int, answer: str) -> str:
    """Return, for example, “tone: good”, with category IDs replaced by keys."""
    asked = Question.objects.get(pk=question)
    if asked.kind == Question.Kind.NUMBER or (not answer[:1].isdigit() and answer[:1] != "{"):
        return f"{asked.key}: {answer}"
    ids = [int(pk) for pk in answer.strip("{}").split(",") if pk]
    names = dict(Category.with_merged.filter(pk__in=ids).values_list("pk", "key"))
    return f"{asked.key}: {', '.join(names.get(pk, '?') for pk in ids) or 'none of these'}"[:500]
