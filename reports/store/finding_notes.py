"""Notes on the findings of a question."""

from django.db import transaction

from core.refusals import Refused
from projects.access import AnyUser
from projects.events import record
from projects.models import Event
from reports.models import FindingNote
from reports.store.stored_result import StoredResult


class NoteRefused(Refused):
    status_code = 400


class UnknownFinding(Refused):
    code = "not_found"
    status_code = 404


@transaction.atomic
def note_finding(result: StoredResult, finding: str, text: str, *, by: AnyUser) -> FindingNote:
    """Store a note on a finding. finding: `Finding.identity`. Raises UnknownFinding, and NoteRefused for an invalid
    text.
    """
    found = result.figures.findings
    if found is None or finding not in {each.identity for each in found.found}:
        raise UnknownFinding("The report has no such finding.")
    if not 0 < len(text) <= FindingNote.MAX_TEXT or "\0" in text:
        raise NoteRefused(f"Enter a note of at most {FindingNote.MAX_TEXT:,} characters.")
    note = FindingNote.objects.create(
        question_id=result.row.question_id, finding=finding, text=text, written_by_id=by.pk
    )
    record(
        Event.Kind.FINDING_NOTED,
        by=by,
        project=result.report.project,
        about=result.row.question.key,
        report=result.report.pk,
    )
    return note
