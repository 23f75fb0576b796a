"""Verification of a report, changes since, and links to it, over the API."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.web.api import View
from core.web.strict import (
    StrictBooleanField,
    StrictChoiceField,
    StrictIntegerField,
    StrictLineField,
    StrictSerializer,
)
from projects.access import project_to
from projects.roles import Permission
from reports.access import finished_report, link_of
from reports.analysis.results import Json
from reports.models import Report, ReportLink
from reports.results.report_changes import changes_between, changes_since, report_before
from reports.store import links, verification


class RecomputationSerializer(serializers.Serializer[Any]):
    is_same = serializers.BooleanField(help_text="Whether every value is the same.")
    differences = serializers.ListField(child=serializers.CharField())
    not_compared = serializers.ListField(
        child=serializers.CharField(),
        help_text="Values that this version computes differently from the version that computed the report.",
    )
    digest = serializers.CharField()
    code_version = serializers.CharField()


class BaseChangesSerializer(serializers.Serializer[Any]):
    labels = serializers.ListField(child=serializers.CharField())
    items = serializers.ListField(
        child=serializers.CharField(), help_text="Items whose content was replaced."
    )
    codebook = serializers.ListField(child=serializers.CharField())
    program = serializers.ListField(child=serializers.CharField())


class ChangesBetweenReportsSerializer(BaseChangesSerializer):
    report = serializers.IntegerField(help_text="The previous report on the same questions and rounds.")
    options = serializers.ListField(child=serializers.CharField())


class ChangesSerializer(BaseChangesSerializer):
    has_changed = serializers.BooleanField()
    since_before = ChangesBetweenReportsSerializer(
        allow_null=True,
        help_text="Changes from the previous report to this one; null if there is no previous report.",
    )


# What is not among the choices of what a link opens.
OF_LINK = ("days", "note")


class NewLink(StrictSerializer):
    days = StrictIntegerField(min_value=1, max_value=links.MAX_DAYS, required=False, help_text="Default: 7.")
    note = StrictLineField(max_length=200, required=False, help_text="Recipient. Not shown to readers.")
    opens = StrictChoiceField(
        choices=ReportLink.Opens.choices,
        required=False,
        help_text="One page with the main figures (default), or the whole report, read-only.",
    )
    names = StrictBooleanField(
        required=False,
        help_text="Whether the whole report shows names of raters. Default: false, letters in their place. Only "
        "with `opens`: `report`.",
    )
    shows_items = StrictBooleanField(
        required=False,
        help_text="Whether lists of items can be opened in the whole report. Default: false. "
        "Only with `opens`: `report`.",
    )
    allows_export = StrictBooleanField(
        required=False,
        help_text="Whether files can be downloaded from the whole report. Default: false. Only with `opens`: `report`.",
    )
    follows = StrictBooleanField(
        required=False,
        help_text="Whether the link opens newer reports of the same scope and options too. Default: false.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        choices = {name: value for name, value in attrs.items() if name not in OF_LINK}
        if refused := links.LinkChoices(**choices).refused:
            raise serializers.ValidationError(
                dict.fromkeys(refused, "Only for the whole report: send `opens`: `report`, too.")
            )
        return attrs


class LinkSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField(source="link.id")
    note = serializers.CharField(source="link.note")
    made_by = serializers.CharField(source="link.made_by.username")
    made_at = serializers.DateTimeField(source="link.made_at")
    expires_at = serializers.DateTimeField(source="link.expires_at")
    n_opened = serializers.IntegerField(source="link.n_opened")
    state = serializers.CharField(help_text="open, expired, or revoked.")
    opens = serializers.CharField(source="link.opens", help_text="summary or report.")
    names = serializers.BooleanField(source="shows_names", help_text="Whether names of raters are shown.")
    shows_items = serializers.BooleanField(source="link.shows_items")
    allows_export = serializers.BooleanField(source="link.allows_export")
    follows = serializers.BooleanField(source="link.follows")


class CreatedLinkSerializer(LinkSerializer):
    address = serializers.CharField(help_text="URL of the report. Returned only once; it is not stored.")


class ReportVerify(View):
    @extend_schema(request=None, responses=RecomputationSerializer)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Verify a finished report: recompute it from the history of its labels and compare."""
        report = finished_report(project_to(request.user, slug, Permission.SEE_LABELS), pk)
        found = verification.verified(report)
        return Response(
            {
                "is_same": found.is_same,
                "differences": found.differences,
                "not_compared": found.not_compared,
                "digest": report.digest,
                "code_version": report.code_version,
            }
        )


class ReportChanges(View):
    @extend_schema(responses=ChangesSerializer)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """List what has changed since this report, and between the previous report and this one."""
        report = finished_report(project_to(request.user, slug, Permission.SEE_LABELS), pk)
        found = changes_since(report)
        return Response(
            {
                "has_changed": bool(found.all),
                "labels": found.labels,
                "items": found.items,
                "codebook": found.codebook,
                "program": found.program,
                "since_before": _since_before(report),
            }
        )


def _since_before(report: Report) -> Json | None:
    before = report_before(report)
    if before is None:
        return None
    found = changes_between(before, report)
    return {
        "report": before.pk,
        "labels": found.labels,
        "items": found.items,
        "codebook": found.codebook,
        "program": found.program,
        "options": found.asked,
    }


class LinkList(View):
    @extend_schema(responses=LinkSerializer(many=True), operation_id="report_links_list")
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """List the links to a report."""
        report = finished_report(project_to(request.user, slug, Permission.SHARE_REPORTS), pk)
        return Response([LinkSerializer(link).data for link in links.link_rows(report)])

    @extend_schema(request=NewLink, responses={201: CreatedLinkSerializer})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Create a link to the report that works without an account until it expires or is revoked."""
        report = finished_report(project_to(request.user, slug, Permission.SHARE_REPORTS), pk)
        asked = self.checked(NewLink)
        days_and_note = {name: asked.pop(name) for name in OF_LINK if name in asked}
        choices = links.LinkChoices(**asked)
        link, token = links.share(report, by=request.user, choices=choices, **days_and_note)
        link.refresh_from_db()
        shown = LinkSerializer(links.LinkRow(link, links.state_of(link))).data
        return Response({**shown, "address": links.address_of(request, token)}, status=201)


class LinkDetail(View):
    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str, pk: int, link: int) -> Response:
        """Revoke a link. It no longer opens the report."""
        project = project_to(request.user, slug, Permission.SHARE_REPORTS)
        links.revoke(link_of(project, pk, link), by=request.user)
        return Response(status=204)
