"""Every write to reports that has a consequence."""

from collections.abc import Iterable, Sequence

from django.conf import settings
from django.db import transaction

from projects.models import Project, Question
from raters.models import User
from reports.codebook import codebook_of
from reports.history import labels_changed_since
from reports.models import Report


class ReportRefused(ValueError):
    """A report that cannot be asked for; the message says what and why."""


@transaction.atomic
def request_report(
    project: Project,
    *,
    by: User,
    questions: Sequence[str] | None = None,
    batches: Sequence[str] | None = None,
    weights: str = Report.Weights.UNWEIGHTED,
) -> Report:
    """Ask for a report on these questions (all by default); an equal one that still holds is returned instead.

    questions, batches: keys. Raises ReportRefused for what the project does not have or cannot be computed.
    """
    # Two clicks at the same moment must find one another's report. An import at work holds the key of the project,
    # which this lock leaves alone.
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    scope = {
        "questions": [question.key for question in chosen_questions(project, questions)],
        "batches": chosen_batches(project, batches),
    }
    if weights not in Report.Weights.values:
        raise ReportRefused(f"weights must be one of {', '.join(Report.Weights.values)}, got {weights!r}.")
    options = {"weights": str(weights)}
    if (report := report_that_holds(project, scope, options)) is not None:
        return report
    report = Report.objects.create(project=project, asked_by=by, scope=scope, options=options)
    report.notify()
    return report


def chosen_questions(project: Project, keys: Sequence[str] | None) -> list[Question]:
    """The questions of these keys in the project's order; all that can be computed when None."""
    single = list(project.questions.filter(kind=Question.Kind.SINGLE))
    if keys is None:
        if not single:
            raise ReportRefused(
                "The project has no question with a single choice, so there is nothing to compute."
            )
        return single
    refuse_unknown("question", keys, project.questions.values_list("key", flat=True))
    if unfit := sorted(set(keys) - {question.key for question in single}):
        raise ReportRefused(
            f"Agreement is computed for questions with a single choice; {', '.join(unfit)} "
            "is of another kind."
        )
    if not keys:
        raise ReportRefused("Choose at least one question.")
    return [question for question in single if question.key in keys]


def chosen_batches(project: Project, keys: Sequence[str] | None) -> list[str] | None:
    if keys is None:
        return None
    known = list(project.batches.values_list("key", flat=True))
    refuse_unknown("batch", keys, known)
    if not keys:
        raise ReportRefused("Choose at least one batch, or none to use all labels.")
    return [key for key in known if key in keys]


def refuse_unknown(thing: str, keys: Sequence[str], known: Iterable[str]) -> None:
    if unknown := sorted(set(keys) - set(known)):
        raise ReportRefused(f"The project has no {thing} {', '.join(map(repr, unknown))}.")


def report_that_holds(project: Project, scope: dict, options: dict) -> Report | None:
    """The newest report with this scope and these options, if its labels and codebook are still the same."""
    live = [Report.State.QUEUED, Report.State.RUNNING, Report.State.DONE]
    report = project.reports.filter(scope=scope, options=options, state__in=live).first()
    if report is None or not still_holds(report):
        return None
    return report


def still_holds(report: Report) -> bool:
    """Whether the report, computed now, would read the same labels under the same codebook by the same code."""
    if not report.snapshot:
        # Not begun: it will read the labels as they are then.
        return not report.is_final
    questions = [question["id"] for question in report.codebook["questions"]]
    return (
        report.code_version == settings.VERSION
        and report.codebook == codebook_of(report)
        and not labels_changed_since(report.snapshot, questions)
    )


def cancel_report(report: Report, *, by: User) -> bool:
    return report.cancel()


def retry_report(report: Report, *, by: User) -> bool:
    return report.retry()
