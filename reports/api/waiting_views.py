"""Figures computed by a worker on request: 202 until they are done, then 200 at the same URL."""

from typing import Any
from uuid import UUID

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.refusals import RefusedWithCode
from core.web.api import View
from projects.access import project_to
from projects.models import Project
from projects.roles import Permission
from reports.analysis.results import Json
from reports.models import OnDemandFigures
from reports.store.on_demand import OnDemandNotReady


class OnDemandProgressSerializer(serializers.Serializer[Any]):
    """Progress of the computation. Poll the URL in the Location header."""

    id = serializers.UUIDField()
    state = serializers.ChoiceField(choices=OnDemandFigures.State.choices)
    stage = serializers.CharField()
    share_done = serializers.FloatField()
    failure = serializers.CharField(allow_null=True)
    asked_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)


class WaitingView(View):
    """Answers 202 while the figures are on their way."""

    def handle_exception(self, exc: Exception) -> Response:
        if not isinstance(exc, OnDemandNotReady):
            return super().handle_exception(exc)
        try:
            return waiting(self.request, exc.figures)
        except RefusedWithCode as refusal:
            return super().handle_exception(refusal)


def waiting(request: Request, figures: OnDemandFigures) -> Response:
    """Return a 202 response. Raises RefusedWithCode if the computation failed or was canceled."""
    tail = f"POST to reports/on-demand/{figures.public}/retry/ to retry."
    if figures.state == OnDemandFigures.State.FAILED:
        raise RefusedWithCode("failed", f"{figures.failure} {tail}", status_code=409)
    if figures.state == OnDemandFigures.State.CANCELLED:
        raise RefusedWithCode("cancelled", f"This computation was canceled. {tail}", status_code=409)
    headers = {"Location": request.get_full_path(), "Retry-After": "1"}
    return Response(serialized_progress(figures), status=202, headers=headers)


def serialized_progress(figures: OnDemandFigures) -> Json:
    names = ("state", "stage", "share_done", "asked_at", "started_at")
    shown = {name: getattr(figures, name) for name in names}
    return {"id": figures.public, **shown, "failure": figures.failure or None}


class OnDemandCancel(View):
    @extend_schema(request=None, responses=OnDemandProgressSerializer)
    def post(self, request: Request, slug: str, public: UUID) -> Response:
        """Cancel the computation of a comparison or of agreement over time."""
        figures = _figures_of(project_to(request.user, slug, Permission.ASK_REPORTS), public)
        if not figures.cancel():
            raise RefusedWithCode("ended", "This computation has already ended.", status_code=409)
        return Response(serialized_progress(OnDemandFigures.objects.get(pk=figures.pk)))


class OnDemandRetry(View):
    @extend_schema(request=None, responses={202: OnDemandProgressSerializer})
    def post(self, request: Request, slug: str, public: UUID) -> Response:
        """Retry a failed or canceled comparison or computation of agreement over time."""
        figures = _figures_of(project_to(request.user, slug, Permission.ASK_REPORTS), public)
        if not figures.retry(by=request.user):
            raise RefusedWithCode(
                "not_ended", "Only failed or canceled computations can be retried.", status_code=409
            )
        return Response(serialized_progress(OnDemandFigures.objects.get(pk=figures.pk)), status=202)


def _figures_of(project: Project, public: UUID) -> OnDemandFigures:
    return get_object_or_404(OnDemandFigures, agreement__report__project=project, public=public)
