"""Quality rules: description in words, false-alarm rate, and changing them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from core.history import head_of
from core.refusals import Refused
from projects.events import record
from projects.models import Event, Project
from raters.models import Label, QualityRule, Rater
from raters.quality.chances import chance_beyond, chance_in_any_block, chance_of_run, smallest_limit

Kind = QualityRule.Kind
MAX_N = 1000
# Long-run false-alarm rates are for this many answers, about a day's work.
LONG_RUN = 500
# Number of answers for which the false-alarm rate of `SAME_ANSWER` is given.
N_OF_RUN = 100

WRONG = {
    Kind.REFERENCE: "reference answers missed",
    Kind.REPEATS: "blind repeats answered differently",
    Kind.SPEED: "items answered in less than {seconds} s",
}


class NoUsefulLimit(Refused):
    """With so few answers, every limit has too high a false-alarm rate."""

    code, status_code = "no_limit", 400

    def __init__(self, n: int, at_most: float) -> None:
        super().__init__(
            f"With {n} answers, no limit has a false-alarm rate of {at_most:.2%} or less. Use more answers, a lower "
            "acceptable share, or allow more false alarms."
        )


@dataclass(frozen=True, slots=True)
class RuleSettings:
    """Settings chosen by a lead. limit: only for `SAME_ANSWER`; for others it is computed from the rest."""

    is_active: bool = True
    n: int = 20
    acceptable: float = 0.1
    at_most: float = 0.01
    limit: int = 15
    seconds: float = 2.0
    pauses: bool = False
    message: str = ""

    @classmethod
    def of(cls, rule: QualityRule) -> "RuleSettings":
        usual = cls()
        return cls(
            is_active=rule.is_active,
            n=rule.n,
            acceptable=usual.acceptable if rule.acceptable is None else rule.acceptable,
            at_most=usual.at_most if rule.at_most is None else rule.at_most,
            limit=rule.limit,
            seconds=usual.seconds if rule.seconds is None else rule.seconds,
            pauses=rule.pauses,
            message=rule.message,
        )


def unsaved(project: Project, kind: str, chosen: RuleSettings) -> QualityRule:
    """Return the rule with its limit, unsaved. Raises NoUsefulLimit."""
    of_runs = kind == Kind.SAME_ANSWER
    limit: int | None = chosen.limit
    if not of_runs:
        limit = smallest_limit(chosen.n, chosen.acceptable, chosen.at_most)
    if limit is None:
        raise NoUsefulLimit(chosen.n, chosen.at_most)
    return QualityRule(
        project=project,
        kind=kind,
        n=N_OF_RUN if of_runs else chosen.n,
        limit=limit,
        acceptable=None if of_runs else chosen.acceptable,
        at_most=None if of_runs else chosen.at_most,
        seconds=chosen.seconds if kind == Kind.SPEED else None,
        pauses=chosen.pauses,
        message=chosen.message,
        is_active=chosen.is_active,
    )


@transaction.atomic
def change_rule(project: Project, kind: str, chosen: RuleSettings, *, by: Any) -> QualityRule:
    """Change a rule for future labels; earlier ones are not checked. Raises NoUsefulLimit."""
    # Serialize concurrent changes by two leads.
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    rule = unsaved(project, kind, chosen)
    with connection.cursor() as cursor:
        rule.looked_up_to = head_of(project.pk, cursor).position
    rule.changed_by, rule.changed_at = by, timezone.now()
    before = project.quality_rules.filter(kind=kind).first()
    if before is not None:
        before.counts.all().delete()
        rule.pk = before.pk
    rule.save()
    record(Event.Kind.QUALITY_RULE_CHANGED, by=by, project=project, about=kind, rule=words_of(rule),
           is_active=rule.is_active, pauses=rule.pauses, message=rule.message)  # fmt: skip
    return rule


def words_of(rule: QualityRule) -> str:
    """Return, for example, “more than 4 of 20 reference answers missed” or “the same answer 15 times in a row”."""
    if rule.kind == Kind.SAME_ANSWER:
        return f"the same answer {rule.limit} times in a row"
    words = WRONG[Kind(rule.kind)].format(seconds=f"{rule.seconds or 0:.12g}")
    return f"more than {rule.limit} of {rule.n} {words}"


@dataclass(frozen=True, slots=True)
class Detection:
    """The probability that a rater with this share causes an alert within one block of answers."""

    share: float
    chance: float


@dataclass(frozen=True, slots=True)
class FalseAlarms:
    """Probability of a false alarm. per_block: within `n` answers. in_long_run: within `LONG_RUN`.

    question: for `SAME_ANSWER`, the question with the highest probability, to which the figures apply; they are None if
    there are no answers yet. detected: probabilities of detecting raters with higher shares.
    """

    n: int
    per_block: float | None
    in_long_run: float | None
    detected: Sequence[Detection] = ()
    question: str = ""


def false_alarms(rule: QualityRule) -> FalseAlarms:
    if rule.kind == Kind.SAME_ANSWER:
        return _of_runs(rule)
    share = rule.acceptable or 0.0
    per_block = chance_beyond(rule.limit, rule.n, share)
    worse = (
        [worse for times in (2, 3, 5) if (worse := round(times * share, 6)) < 1] if share else [0.1, 0.2, 0.3]
    )
    return FalseAlarms(
        rule.n,
        per_block,
        chance_in_any_block(per_block, LONG_RUN / rule.n),
        [Detection(each, chance_beyond(rule.limit, rule.n, each)) for each in worse],
    )


def _of_runs(rule: QualityRule) -> FalseAlarms:
    """Return false alarms for a rater who answers independently, with the category shares of people so far."""
    known = [
        FalseAlarms(
            rule.n,
            chance_of_run(rule.limit, rule.n, shares),
            chance_of_run(rule.limit, LONG_RUN, shares),
            (),
            question,
        )
        for question, shares in shares_of_answers(rule.project).items()
    ]
    return max(known, key=lambda each: each.in_long_run or 0.0, default=FalseAlarms(rule.n, None, None))


_ANSWERS = """
SELECT question_id, coalesce(category_id::text, category_set::text, number::text, ''), count(*)
FROM raters_label
WHERE question_id = ANY (%(questions)s)
    AND rater_id IN (SELECT id FROM raters_rater WHERE project_id = %(project)s AND kind = 'human')
GROUP BY 1, 2
"""


def shares_of_answers(project: Project) -> dict[str, list[float]]:
    """Return the share of each answer by people, by question key, without questions that have no answers."""
    keys = dict(project.questions.compared().values_list("pk", "key"))
    with connection.cursor() as cursor:
        cursor.execute(_ANSWERS, {"project": project.pk, "questions": list(keys)})
        rows = cursor.fetchall()
    counts: dict[int, list[int]] = {}
    for question, _, n in rows:
        counts.setdefault(question, []).append(n)
    return {keys[pk]: [n / sum(found) for n in found] for pk, found in counts.items()}


def share_of_fast(project: Project, seconds: float) -> tuple[int, int]:
    """Return how many labels of people took less than this, and how many have a known time."""
    labels = Label.objects.filter(
        question__project=project, rater__kind=Rater.Kind.HUMAN, seconds__isnull=False
    )
    return labels.filter(seconds__lt=seconds).count(), labels.count()
