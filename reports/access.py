"""Access to the exports of a report, and to the page of one rater.

Members who see labels may open the page of a rater and, if the lead allows it, so may the rater.

Raters see their own page without names of others, limited to revealed rounds in which they labeled. It shows nothing
about items that they still label in any round, about references, or computed from all labels. For everybody else, the
page does not exist.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404

from projects.access import AnyUser, Guest, permissions_in, project_to
from projects.models import Project
from projects.roles import Permission
from raters.access import rounds_to_be_blind_in
from raters.changed_labels import labels_changed_since
from raters.lettered import letters_in_force
from raters.models import Rater
from raters.rounds.revealed import COMPARED_KINDS, revealed_rounds
from reports.analysis.question import QuestionScope
from reports.analysis.reasons import UNFIT
from reports.models import QuestionAgreement, Report, ReportLink
from reports.store.agreements import ReportRater, scope_of
from reports.store.stored_result import StoredResult

# Files that name no items and read raters through the models, so that they contain letters.
WITHOUT_ITEMS = frozenset(
    {
        *("report.pdf", "methods-apa.txt", "methods-plain.txt", "report.docx", "table.tex", "table.html"),
        *("sources.bib", "tables.zip", "tables.xlsx", "results.json"),
    }
)
# Files of labels name items and, because they are read from the history itself, raters.
OF_LABELS = frozenset({"labels-long.csv", "labels-wide.csv", "recal.zip", "recompute.py", "recompute.R"})


@dataclass(frozen=True, slots=True)
class RaterAccess:
    """One rater in the results of a question, and which of the labels are visible.

    rounds: IDs of rounds whose labels count, None for all. hidden: rounds whose items stay hidden. blind_in: rounds in
    which the viewer still labels. is_own: the viewer is the rater, and sees only what is computed from these labels.
    has_changed: whether labels of the question have changed since the report.
    """

    project: Project
    result: StoredResult
    rater: ReportRater
    rounds: Sequence[int] | None
    hidden: Sequence[int]
    blind_in: Sequence[int]
    is_own: bool
    has_changed: bool

    @property
    def agreement(self) -> QuestionAgreement:
        return self.result.row

    @property
    def scope(self) -> QuestionScope:
        """The question as the report read it."""
        return self.result.scope

    @property
    def others(self) -> list[ReportRater]:
        """The other raters who count in overall figures; raters themselves never see references among them."""
        counted = self.result.counted
        found = [r for r in self.result.raters if r.id != self.rater.id and r.id in counted]
        return [r for r in found if r.kind in COMPARED_KINDS] if self.is_own else found


def rater_access(user: AnyUser, slug: str, pk: int, rater: int, **question: Any) -> RaterAccess:
    """Return what the user sees of a rater. question: `question=ID` or `question__key=KEY`.

    Raises Http404 if the user may not know that the page exists.
    """
    project = project_to(user, slug, Permission.SEE_PROJECT)
    is_own = Permission.SEE_LABELS not in permissions_in(user, project)
    if is_own and not _may_see_own(user, project, rater):
        raise Http404("There is no such page.")
    agreements = QuestionAgreement.objects.select_related("report__project", "question")
    done = agreements.filter(report__project=project, report__state=Report.State.DONE)
    agreement = get_object_or_404(done, report=pk, **question)
    result = StoredResult.of(agreement)
    found = next((each for each in result.raters if each.id == rater), None)
    if found is None or agreement.reason in UNFIT:
        raise Http404("The report has no results for this rater.")
    blind_in = rounds_to_be_blind_in(user, project)
    revealed = _revealed_in(agreement, user) if is_own else scope_of(agreement).counted_rounds
    if is_own and not revealed:
        raise Http404("There is no such page.")
    return RaterAccess(
        project,
        result,
        found,
        rounds=revealed,
        hidden=blind_in if is_own else [],
        blind_in=blind_in,
        is_own=is_own,
        has_changed=labels_changed_since(agreement.report.head, [agreement.question_id]),
    )


def _may_see_own(user: AnyUser, project: Project, rater: int) -> bool:
    if not project.shows_own_figures or Permission.LABEL not in permissions_in(user, project):
        return False
    return Rater.objects.filter(project=project, pk=rater, user=user.pk).exists()


def _revealed_in(agreement: QuestionAgreement, user: AnyUser) -> list[int]:
    """Return the revealed rounds of the report in which the user labeled."""
    revealed = revealed_rounds(agreement.report.project, user).values_list("pk", flat=True)
    rounds = scope_of(agreement).round_ids
    return [pk for pk in revealed if rounds is None or pk in rounds]


def finished_report(project: Project, pk: int) -> Report:
    reports = project.reports.select_related("project", "asked_by")
    return get_object_or_404(reports, pk=pk, state=Report.State.DONE)


def exports_open_to(user: AnyUser) -> frozenset[str]:
    """Return the names of the export files that the user can download."""
    if isinstance(user, Guest):
        return user.files
    return WITHOUT_ITEMS | OF_LABELS if letters_in_force() is None else WITHOUT_ITEMS


def link_of(project: Project, report: int, pk: int) -> ReportLink:
    found = ReportLink.objects.select_related("report__project")
    return get_object_or_404(found, pk=pk, report=report, report__project=project)
