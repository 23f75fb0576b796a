"""Next steps for the leads of a project, based on its progress."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.urls import NoReverseMatch, reverse
from django.utils import timezone

from core.templatetags.shown import count
from projects.models import Membership, Project, Round
from raters.models import Qualification
from raters.progress.progress_figures import ProjectCounts, RaterCounts, RoundCounts
from raters.quality.passing import missed_marks
from raters.reporting import reporting
from raters.threads.inquiries import open_counts

# Raters not seen for this long are mentioned.
AWAY = timedelta(days=3)
# Maximum number of raters named in a sentence.
MAX_NAMED = 5


@dataclass(frozen=True, slots=True)
class NextStep:
    """A next step: a sentence, and the label and URL of its action."""

    sentence: str
    words: str
    address: str


def next_steps(project: Project, figures: ProjectCounts, *, hidden: Sequence[int] = ()) -> list[NextStep]:
    """Return next steps, most urgent first; none for a closed project. hidden: rounds the viewer still labels in."""
    if project.is_closed:
        return []
    return [
        *_setting_up(project, figures),
        *_alerts(project, hidden),
        *_rounds(project, figures),
        *_afterwards(project, figures),
    ]


def _address(name: str, project: Project, *args: int) -> str:
    return reverse(name, args=[project.slug, *args])


def _setting_up(project: Project, figures: ProjectCounts) -> Iterator[NextStep]:
    if not figures.questions:
        yield NextStep("There are no questions yet.", "Write the codebook", _address("codebook", project))
    if not figures.items.n:
        yield NextStep("There are no items yet.", "Import items", _address("imports", project))
    roles = Membership.objects.filter(project=project, role=Membership.Role.RATER)
    if not roles.exists() and not figures.labels.n:
        yield NextStep("There are no raters yet.", "Invite raters", _address("members", project))
    if figures.items.n_free and figures.questions:
        n = figures.items.n_free
        sentence = f"{count(n)} item{' is' if n == 1 else 's are'} in no round and unlabeled."
        yield NextStep(sentence, "Plan a round", _address("round_new", project))


def _alerts(project: Project, hidden: Sequence[int]) -> Iterator[NextStep]:
    inquiries = open_counts(project, hidden=hidden)
    if n := inquiries.n_questions:
        sentence = f"{count(n)} question{' from a rater is' if n == 1 else 's from raters are'} unanswered."
        yield NextStep(sentence, "Answer", f"{_address('threads', project)}?kind=questions")
    if n := inquiries.n_unclear:
        sentence = (
            f"Raters report {count(n)} case{'' if n == 1 else 's'} that the guidelines do not cover, "
            f"and nobody has answered {'it' if n == 1 else 'them'}."
        )
        yield NextStep(sentence, "Review them", f"{_address('threads', project)}?kind=unclear")
    n = project.quality_alerts.filter(closed_at=None).count()
    if n:
        sentence = f"{count(n)} quality alert{' is' if n == 1 else 's are'} open."
        yield NextStep(sentence, "Review quality alerts", _address("quality", project))


def _rounds(project: Project, figures: ProjectCounts) -> Iterator[NextStep]:
    by_id = {row.rater.pk: row for row in figures.raters}
    missed = missed_marks([each.round for each in figures.rounds if each.round.is_open])
    for of_round in figures.rounds:
        raters = [by_id[pk] for pk in of_round.raters if pk in by_id]
        yield from _of_round(project, of_round, raters)
        if results := missed.get(of_round.round.pk):
            yield _missed(project, of_round.round, results)
    yield from _away(project, figures)


def _of_round(project: Project, of_round: RoundCounts, raters: list[RaterCounts]) -> Iterator[NextStep]:
    round_, assignments = of_round.round, of_round.assignments
    if round_.state == Round.State.DRAFT:
        waiting = f"{count(assignments.n)} assignment{' is' if assignments.n == 1 else 's are'} waiting"
        sentence = f"{round_.key} is planned: {waiting} for it to open."
        yield NextStep(sentence, f"Open {round_.key}", _address("rounds", project))
    if round_.is_paused:
        yield NextStep(
            f"{round_.key} is paused: its raters get no items.",
            f"Resume {round_.key}",
            _address("round", project, round_.pk),
        )
    if round_.is_open and round_.due_on and round_.due_on < timezone.localdate() and assignments.n_left:
        n = assignments.n_left
        sentence = f"The deadline of {round_.key} has passed, with {count(n)} assignment{'' if n == 1 else 's'} left."
        yield NextStep(sentence, f"See what is left in {round_.key}", _address("round", project, round_.pk))
    for missing in of_round.missing_answers:
        if missing.n_left:
            query = f"?what=missing_answers&question={missing.question.pk}&round={round_.pk}"
            yield NextStep(
                f"In {round_.key}, {missing.sentence}.",
                f"Ask again for {missing.question.key} only",
                _address("progress_items", project) + query,
            )
    if round_.is_open and assignments.n and not assignments.n_left and not of_round.missing_answers:
        sentence = f"All items in {round_.key} are labeled."
        yield NextStep(sentence, f"Close {round_.key}", _address("rounds", project))
    if round_.is_open and assignments.n_left:
        yield from _stuck(project, round_, [row for row in raters if row.open_places.n_left])
    if round_.state == Round.State.CLOSED and round_.revealed_at is None and len(raters) > 1:
        sentence = f"{round_.key} is closed, but its raters cannot see each other’s labels yet."
        yield NextStep(sentence, f"Reveal {round_.key}", _address("round_reveal", project, round_.pk))


def _stuck(project: Project, round_: Round, raters: Sequence[RaterCounts]) -> Iterator[NextStep]:
    """Name raters with pending assignments in open rounds who have left, or whose role no longer lets them label."""
    action = (f"Reassign {round_.key}", _address("round_reassign", project, round_.pk))
    if gone := [row.rater.key for row in raters if not row.is_member]:
        yield NextStep(f"{_named(gone)} left the project with pending assignments in {round_.key}.", *action)
    if barred := [row.rater.key for row in raters if row.is_member and not row.may_label]:
        have = "has" if len(barred) == 1 else "have"
        why = f"{_named(barred)} can no longer label, because of a new role"
        sentence = f"{why}, and {have} pending assignments in {round_.key}."
        yield NextStep(sentence, *action)


def _missed(project: Project, round_: Round, results: Sequence[Qualification]) -> NextStep:
    mark = round_.pass_mark_in_words
    if len(results) == 1:
        [one] = results
        sentence = (
            f"{one.rater.key} missed the pass mark of {round_.key}: {count(one.n_right)} of {count(one.n)} reference "
            f"answers matched; {mark} is needed."
        )
    else:
        names = _named([each.rater.key for each in results])
        sentence = f"{names} missed the pass mark of {round_.key}, which is {mark}."
    return NextStep(sentence, f"Decide in {round_.key}", _address("round", project, round_.pk))


def _away(project: Project, figures: ProjectCounts) -> Iterator[NextStep]:
    before = timezone.now() - AWAY
    opened = [row.round.opened_at for row in figures.rounds if row.round.is_open and row.round.opened_at]
    for row in _longest_away(figures, before, min(opened, default=None)):
        seen = f"has been away for {_days(row.last_seen)}" if row.last_seen else "has not signed in yet"
        n = row.open_places.n_left
        sentence = f"{row.rater.key} {seen} and has {count(n)} item{'' if n == 1 else 's'} left to label."
        query = f"?what=left&rater={row.rater.pk}"
        yield NextStep(
            sentence, f"See what {row.rater.key} has left", _address("progress_items", project) + query
        )


def _longest_away(figures: ProjectCounts, before: datetime, opened: datetime | None) -> list[RaterCounts]:
    """Return raters with work left in open rounds last seen before then; unseen ones once a round is that old."""
    waiting = [row for row in figures.raters if row.open_places.n_left and row.may_label]
    away = [
        row
        for row in waiting
        if (row.last_seen and row.last_seen < before)
        or (row.last_seen is None and opened is not None and opened < before)
    ]
    return sorted(away, key=lambda row: (row.last_seen is not None, row.last_seen, row.rater.key))[:MAX_NAMED]


def _days(moment: datetime) -> str:
    n = (timezone.now() - moment).days
    return f"{n} day{'' if n == 1 else 's'}"


def _afterwards(project: Project, figures: ProjectCounts) -> Iterator[NextStep]:
    if n := figures.items.n_disputed:
        sentence = f"{count(n)} item{'' if n == 1 else 's'} {'is' if n == 1 else 'are'} in dispute."
        yield NextStep(sentence, "Adjudicate", disputes_address(project))
    if figures.labels.n:
        yield from _report(project, figures.last_label_at)


def disputes_address(project: Project) -> str:
    try:
        return _address("adjudicate", project)
    except NoReverseMatch:
        return f"{_address('progress_items', project)}?what=disputed"


def _report(project: Project, last_label_at: datetime | None) -> Iterator[NextStep]:
    newest = reporting().last_asked_at(project)
    if newest is None:
        yield NextStep(
            "Agreement has not been computed yet.", "Compute a report", _address("agreement", project)
        )
    elif last_label_at is not None and newest < last_label_at:
        sentence = "Labels have been added since the last report."
        yield NextStep(sentence, "Compute a new report", _address("agreement", project))


def _named(keys: list[str]) -> str:
    """Return, for example, “Ana”, “Ana and Ben”, or “Ana, Ben, and 3 others”."""
    if len(keys) == 1:
        return keys[0]
    shown = sorted(keys)[:MAX_NAMED]
    if len(keys) > MAX_NAMED:
        return f"{', '.join(shown)}, and {len(keys) - MAX_NAMED} others"
    return f"{', '.join(shown[:-1])} and {shown[-1]}"
