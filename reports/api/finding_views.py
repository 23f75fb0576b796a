"""Findings of a question with notes, and what became of those of the previous report, over the API."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.web.api import View
from core.web.strict import StrictCharField, StrictSerializer
from projects.access import project_to
from projects.roles import Permission
from reports.analysis.results import Json, for_programs, to_json
from reports.api.finding_serializers import FindingSerializer, FindingsSerializer
from reports.api.report_views import result_of
from reports.models import FindingNote
from reports.results.finding_words import FindingCard
from reports.results.findings import findings_of, with_notes
from reports.results.followed_findings import FindingFollowUp, followed_findings
from reports.store.finding_notes import note_finding


class FindingNoteSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    written_by = serializers.CharField(allow_null=True, help_text="Username; null for a deleted account.")
    written_at = serializers.DateTimeField()


class DescribedFindingSerializer(FindingSerializer):
    identity = serializers.CharField(help_text="The same for the same finding in other reports.")
    title = serializers.CharField()
    words = serializers.CharField()
    gain = serializers.CharField(help_text="The gain, in words; empty if unknown.")
    notes = FindingNoteSerializer(many=True, help_text="Oldest first, whichever report they were written in.")


class FollowedFindingSerializer(serializers.Serializer[Any]):
    identity = serializers.CharField()
    title = serializers.CharField()
    is_found = serializers.BooleanField(help_text="Whether it is beyond chance in this report, too.")
    words = serializers.CharField(help_text="How it has changed, in words; empty if unknown.")


class FindingFollowUpSerializer(serializers.Serializer[Any]):
    """How the findings of the previous report turned out."""

    report = serializers.IntegerField(help_text="ID of the previous report.")
    findings = FollowedFindingSerializer(many=True)


class DescribedFindingsSerializer(FindingsSerializer):
    found = DescribedFindingSerializer(many=True)
    followed = FindingFollowUpSerializer(allow_null=True)


class FindingNoteInput(StrictSerializer):
    identity = StrictCharField(help_text="The `identity` of a finding in this report.")
    text = StrictCharField(max_length=FindingNote.MAX_TEXT)


class FindingsDetail(View):
    @extend_schema(responses=DescribedFindingsSerializer, operation_id="report_findings")
    def get(self, request: Request, slug: str, pk: int, key: str) -> Response:
        """Get the findings on a question that are beyond chance, with notes, and how earlier findings turned
        out.
        """
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        result = result_of(project, pk, key)
        found, section = result.figures.findings, with_notes(findings_of(result), result)
        if found is None or section is None:
            empty = {
                "coefficient": "",
                "n_tested": 0,
                "found": [],
                "are_raters_tested": False,
                "followed": None,
            }
            return Response(empty)
        shown = for_programs(to_json(found.listed))
        findings = [*section.shown, *section.more]
        shown["found"] = [
            each | _serialized(words) for each, words in zip(shown["found"], findings, strict=True)
        ]
        return Response(shown | {"followed": _followed(followed_findings(result))})


class FindingNotes(View):
    @extend_schema(
        request=FindingNoteInput, responses={201: FindingNoteSerializer}, operation_id="report_finding_note"
    )
    def post(self, request: Request, slug: str, pk: int, key: str) -> Response:
        """Add a note to a finding. Later reports show it with the same finding."""
        project = project_to(request.user, slug, Permission.ASK_REPORTS)
        result = result_of(project, pk, key)
        given = self.checked(FindingNoteInput)
        note = note_finding(result, given["identity"], given["text"].strip(), by=request.user)
        return Response(_note(note), status=201)


def _serialized(finding: FindingCard) -> Json:
    names = ("identity", "title", "words", "gain")
    return {name: getattr(finding, name) for name in names} | {
        "notes": [_note(note) for note in finding.notes]
    }


def _note(note: FindingNote) -> Json:
    by = note.written_by
    return {"text": note.text, "written_by": by.username if by else None, "written_at": note.written_at}


def _followed(found: FindingFollowUp | None) -> Json | None:
    if found is None:
        return None
    names = ("identity", "title", "is_found", "words")
    shown = [{name: getattr(each, name) for name in names} for each in found.findings]
    return {"report": found.before.pk, "findings": shown}
