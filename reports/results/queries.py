"""All queries of the report pages that join tables."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery

from core.keys import folded_key
from projects.access import AnyUser
from projects.models import Item, Membership, Project, Round
from raters.access import Blindness
from raters.models import Assignment, Label, Rater
from reports.analysis.catalog import title_of
from reports.models import QuestionAgreement, Report
from reports.results.kinds import COMMON, main_coefficient, stored_coefficient
from reports.store.included_raters import excluded_of_coefficients
from reports.store.stored_result import StoredResult

# Reports on all items, which alone say how well the raters of a project agree; others are limited to some.
NOT_LIMITED = Report.objects.exclude(scope__has_key="only")


@dataclass(frozen=True, slots=True)
class Headline:
    """The newest finished report of a project in one line: one figure of one question, so that it is accurate."""

    report: Report
    question: str
    name: str
    value: float | None
    n_more: int
    # Raters who do not count, in words; "" if all count.
    without: str = ""
    # The leading round; "" if rounds are pooled or one has all labels.
    lead: str = ""

    @property
    def only(self) -> str:
        """Which raters and rounds it is limited to, if any."""
        keys = [self.lead] if self.lead else self.report.scope["rounds"]
        rounds = "" if keys is None else f"round{'s' if len(keys) > 1 else ''} {', '.join(keys)} only"
        return ", ".join(filter(None, [self.without, rounds]))


@dataclass(frozen=True, slots=True)
class ProjectRow:
    project: Project
    role: str
    sees_labels: bool
    # People who also rate do not see figures in passing, but only where viewing them is logged.
    also_rates: bool
    n_items: int
    n_raters: int
    n_labels: int
    report: Report | None
    headline: Headline | None
    # Whether another project of the user has a name that looks the same.
    has_namesake: bool

    @property
    def shown_labels(self) -> str:
        return shown_labels(self.n_labels)


SEERS = {Membership.Role.LEAD, Membership.Role.ADJUDICATOR, Membership.Role.AUDITOR}


def project_rows(user: AnyUser) -> list[ProjectRow]:
    """Return the user's projects, without figures for those in which the user is a blind rater."""
    memberships = list(
        Membership.objects.filter(user=user.pk, project__deletion_due_at=None)
        .select_related("project")
        .order_by("project__name", "project")
    )
    names = Counter(folded_key(m.project.name) for m in memberships)
    seen = [m.project_id for m in memberships if m.role in SEERS]
    items = _counts(Item.objects.filter(project__in=seen))
    raters = _counts(Rater.objects.filter(project__in=seen).exclude(kind=Rater.Kind.CONSENSUS))
    labels = label_counts(seen)
    last = {report.project_id: report for report in _last_reports(seen)}
    rated = rated_by(user, seen)
    headlines = _headlines([project for project in seen if project not in rated])
    return [
        ProjectRow(
            project=membership.project,
            role=membership.get_role_display(),
            sees_labels=membership.role in SEERS,
            also_rates=membership.project_id in rated,
            n_items=items.get(membership.project_id, 0),
            n_raters=raters.get(membership.project_id, 0),
            n_labels=labels.get(membership.project_id, 0),
            report=last.get(membership.project_id),
            headline=headlines.get(membership.project_id),
            has_namesake=names[folded_key(membership.project.name)] > 1,
        )
        for membership in memberships
    ]


def rated_by(user: AnyUser, projects: Sequence[int]) -> set[int]:
    """Return the projects in which the user has labels or assignments."""
    raters = Rater.objects.filter(user=user.pk, project__in=projects)
    work = Exists(Assignment.objects.filter(rater=OuterRef("pk"))) | Exists(
        Label.objects.filter(rater=OuterRef("pk"))
    )
    return set(raters.filter(work).values_list("project", flat=True))


def _counts(rows: QuerySet[Any]) -> dict[int, int]:
    return dict(rows.order_by().values_list("project").annotate(n=Count("pk")))


# Counting ten million labels takes seconds; above this number, pages show "more than".
MANY_LABELS = 200_000
COUNTED = """
SELECT project.id, (
    SELECT count(*) FROM (
        SELECT FROM raters_label label JOIN projects_question question ON question.id = label.question_id
        WHERE question.project_id = project.id
            AND NOT label.rater_id = ANY (ARRAY(
                SELECT id FROM raters_rater WHERE project_id = project.id AND kind = 'consensus'
            ))
        LIMIT %(most)s
    ) counted
)
FROM unnest(%(projects)s::bigint[]) project (id)"""


def label_counts(projects: Sequence[int]) -> dict[int, int]:
    """Return the number of raters' labels in each project, without decisions.

    MANY_LABELS + 1 stands for any larger number.
    """
    with connection.cursor() as cursor:
        cursor.execute(COUNTED, {"projects": list(projects), "most": MANY_LABELS + 1})
        return dict(cursor.fetchall())


def shown_labels(n_labels: int) -> str:
    return f"> {MANY_LABELS:,}" if n_labels > MANY_LABELS else f"{n_labels:,}"


def _last_reports(projects: Sequence[int]) -> QuerySet[Report]:
    newest = NOT_LIMITED.filter(project=OuterRef("project")).order_by("-id").values("id")[:1]
    return Report.objects.filter(project__in=projects, id=Subquery(newest))


def _headlines(projects: Sequence[int]) -> dict[int, Headline]:
    newest = NOT_LIMITED.filter(project=OuterRef("project"), state=Report.State.DONE).order_by("-id")
    reports = Report.objects.filter(project__in=projects, id=Subquery(newest.values("id")[:1]))
    agreements: dict[int, list[QuestionAgreement]] = {}
    rows = QuestionAgreement.objects.filter(report__in=reports).select_related("report__project", "question")
    # These grow with raters and categories and are not needed for headlines.
    rows = rows.defer("raters", "categories", "statistics")
    for agreement in rows.order_by("question__position", "question_id"):
        agreements.setdefault(agreement.report.project_id, []).append(agreement)
    return {project: _headline(found) for project, found in agreements.items()}


def headline_of(project: Project, blindness: Blindness) -> Headline | None:
    """Return the headline; None if the newest report uses hidden labels."""
    found = _headlines([project.pk]).get(project.pk)
    return None if found is None or blindness.hides(found.report.scope["rounds"]) else found


def _headline(agreements: Sequence[QuestionAgreement]) -> Headline:
    first = agreements[0]
    stored = stored_coefficient(first)
    is_there = stored in first.coefficients
    name = main_coefficient(first) if is_there else COMMON
    found = first.coefficients.get(stored if is_there else COMMON, {})
    value, n_more = found.get("value"), len(agreements) - 1
    return Headline(
        first.report,
        first.question.key,
        title_of(name),
        value,
        n_more,
        excluded_of_coefficients(first),
        first.lead["key"] if first.lead else "",
    )


@dataclass(frozen=True, slots=True)
class QuestionCounts:
    n_labels: int
    n_items: int
    n_raters: int
    n_abstentions: int


@dataclass(frozen=True, slots=True)
class Overview:
    """What members who see labels are shown of a project.

    by_question is None if there are too many labels or some are hidden.
    """

    n_items: int
    n_labels: int
    raters: list[Rater]
    by_question: dict[int, QuestionCounts] | None
    members: list[Membership]
    rounds: list[Round]
    report: Report | None
    headline: Headline | None

    @property
    def shown_labels(self) -> str:
        return shown_labels(self.n_labels)

    @property
    def n_joined(self) -> int:
        """How many members have joined to rate."""
        return sum(member.role == Membership.Role.RATER for member in self.members)


def overview(project: Project, blindness: Blindness) -> Overview:
    n_labels = label_counts([project.pk])[project.pk]
    # The number of abstentions in hidden rounds must stay hidden as well.
    is_counted = n_labels <= MANY_LABELS and not blindness.rounds
    by_question = question_counts(project) if is_counted else None
    return Overview(
        n_items=Item.objects.filter(project=project).count(),
        n_labels=n_labels,
        raters=list(
            Rater.objects.filter(project=project).exclude(kind=Rater.Kind.CONSENSUS).only("key", "kind")
        ),
        by_question=by_question,
        members=list(project.memberships.select_related("user").order_by("user__username")),
        rounds=list(Round.objects.filter(project=project)),
        report=NOT_LIMITED.filter(project=project).first(),
        headline=headline_of(project, blindness),
    )


def question_counts(project: Project) -> dict[int, QuestionCounts]:
    rows = (
        Label.objects.filter(question__project=project)
        .exclude(rater__in=Rater.objects.filter(project=project, kind=Rater.Kind.CONSENSUS))
        .order_by()
        .values("question")
        .annotate(
            n_labels=Count("pk", filter=Q(is_abstention=False)),
            n_items=Count("item", distinct=True),
            n_raters=Count("rater", distinct=True),
            n_abstentions=Count("pk", filter=Q(is_abstention=True)),
        )
    )
    return {
        row["question"]: QuestionCounts(
            row["n_labels"], row["n_items"], row["n_raters"], row["n_abstentions"]
        )
        for row in rows
    }


def results_of(report: Report) -> list[StoredResult]:
    return [StoredResult.of(row) for row in agreements_of(report)]


def agreements_of(report: Report) -> list[QuestionAgreement]:
    agreements = report.questions.select_related("question", "report__project")
    return list(agreements.order_by("question__position", "question_id"))
