"""Pages and the API while the figures of a large project are computed for the first time."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers
from rest_framework.response import Response

from core.refusals import RefusedWithCode
from core.web.api import View
from raters.figures.stored_figures import FiguresNotComputed
from raters.models import StoredFigures

Page = Callable[..., HttpResponse]


def when_stored(page: Page) -> Page:
    """Show the progress of a page's figures until the view can show them; `part=progress` returns only the progress."""

    @wraps(page)
    def waiting(request: HttpRequest, *args: Any, **ids: Any) -> HttpResponse:
        is_part = request.GET.get("part") == "progress"
        try:
            answer = page(request, *args, **ids)
        except FiguresNotComputed as not_yet:
            return _waiting(request, not_yet.run, is_part=is_part)
        if is_part and answer.status_code < 400:
            return _part(request, StoredFigures(state=StoredFigures.State.DONE))
        return answer

    return waiting


def _waiting(request: HttpRequest, run: StoredFigures, *, is_part: bool) -> HttpResponse:
    if request.method == "POST":
        # What was sent is saved.
        return redirect(request.get_full_path())
    if is_part:
        return _part(request, run)
    return render(request, "runs/counting.html", {"project": run.project, "run": run})


def _part(request: HttpRequest, run: StoredFigures) -> HttpResponse:
    return render(request, "runs/_progress.html", {"run": run, "address": request.path})


class CountingProgressSerializer(serializers.Serializer[Any]):
    """Progress of figures that are computed for the first time. Repeat the request."""

    state = serializers.ChoiceField(choices=StoredFigures.State.choices)
    stage = serializers.CharField()
    share_done = serializers.FloatField()
    asked_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)


ACCEPTED = OpenApiResponse(
    CountingProgressSerializer,
    description="The project is large, and these figures are computed for the first time. Repeat the request "
    "after the seconds in the Retry-After header.",
)


class StoredView(View):
    """Answers 202 while the figures are on their way."""

    def handle_exception(self, exc: Exception) -> Response:
        if not isinstance(exc, FiguresNotComputed):
            return super().handle_exception(exc)
        if exc.run.state == StoredFigures.State.FAILED:
            return super().handle_exception(RefusedWithCode("failed", exc.run.failure, status_code=409))
        headers = {"Location": self.request.get_full_path(), "Retry-After": "2"}
        return Response(CountingProgressSerializer(exc.run).data, status=202, headers=headers)
