"""API for exporting labels, final labels, and items in other programs' formats."""

from typing import Any, TypedDict

from django.http import Http404, HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.web.api import View, choice_parameter
from projects.access import project_to
from projects.models import Project
from projects.roles import Permission
from raters.access import log_label_access
from raters.adjudication.api import AnyType
from raters.figures.pending_figures import ACCEPTED, StoredView
from raters.writing.contents import ExportContents
from raters.writing.downloading import ABOUT, file_of, refuse_while_labeling
from raters.writing.records import ExportKind
from raters.writing.scope import ExportScope, scope_of
from raters.writing.stored_contents import export_contents_context
from raters.writing.target import Target
from raters.writing.targets import BY_KEY, TARGETS

SCOPE = [
    OpenApiParameter("what", str, enum=[str(what) for what in ExportKind], description="Default: labels."),
    OpenApiParameter("question", str, description="Question key. Default: all questions."),
    OpenApiParameter("round", str, description="Round key. Default: all rounds."),
]
_NAMES = [parameter.name for parameter in SCOPE]


class ExportLossSerializer(serializers.Serializer[Any]):
    n = serializers.IntegerField(allow_null=True, help_text="Null if there are too many to count in advance.")
    what = serializers.CharField()
    becomes = serializers.CharField(help_text="What happens to it, such as “left out”.")


class FormatSerializer(serializers.Serializer[Any]):
    format = serializers.CharField()
    title = serializers.CharField()
    about = serializers.CharField()
    hint = serializers.CharField()
    content_type = serializers.CharField()
    file_name = serializers.CharField()
    refusal = serializers.CharField(help_text="Why this format cannot be exported; empty if it can.")
    leaves_out = ExportLossSerializer(many=True)


class SerializedLoss(TypedDict):
    n: int | None
    what: str
    becomes: str


class SerializedFormat(TypedDict):
    format: str
    title: str
    about: str
    hint: str
    content_type: str
    file_name: str
    refusal: str
    leaves_out: list[SerializedLoss]


class LabelExports(StoredView):
    parameters = {"get": _NAMES}

    @extend_schema(
        parameters=SCOPE,
        responses={200: FormatSerializer(many=True), 202: ACCEPTED},
        operation_id="label_exports_list",
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the formats in which labels, final labels, or items can be exported, and what each leaves out."""
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        scope = _scope(request, project)
        refuse_while_labeling(request.user, scope)
        contents = export_contents_context(scope, by=request.user).contents
        if scope.what in ABOUT:
            log_label_access(request.user, project, f"export of {ABOUT[scope.what]}")
        fitting = [target for target in TARGETS if scope.what in target.holds]
        return Response([_serialized(target, contents) for target in fitting])


class LabelExport(View):
    parameters = {"get": _NAMES}
    content_negotiation_class = AnyType

    @extend_schema(
        parameters=SCOPE,
        responses={
            (200, kind): OpenApiTypes.BINARY for kind in sorted({target.content_type for target in TARGETS})
        },
        operation_id="label_exports_retrieve",
    )
    def get(self, request: Request, slug: str, target: str) -> HttpResponseBase:
        """Export labels, final labels, or items in one of the listed formats.

        The file is read from one snapshot of the database and streamed. In CSV and Excel files, text that starts with
        =, +, -, @, a tab, a line break, a full-width form of these, or an apostrophe has an apostrophe in front.
        """
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        return file_of(request.user, _scope(request, project), _target(target))


def _target(key: str) -> Target:
    if key not in BY_KEY:
        raise Http404("There is no such format.")
    return BY_KEY[key]


def _scope(request: Request, project: Project) -> ExportScope:
    what = ExportKind(
        choice_parameter(request, "what", [str(what) for what in ExportKind], default=str(ExportKind.LABELS))
    )
    question, round_ = request.query_params.get("question"), request.query_params.get("round")
    return scope_of(
        project,
        what,
        None if question is None else [get_object_or_404(project.questions, key=question)],
        None if round_ is None else [get_object_or_404(project.rounds, key=round_)],
    )


def _serialized(target: Target, contents: ExportContents) -> SerializedFormat:
    return {
        "format": target.key,
        "title": target.title,
        "about": target.about,
        "hint": target.hint,
        "content_type": target.content_type,
        "file_name": target.file_name(contents.scope),
        "refusal": target.refusal(contents),
        "leaves_out": [
            {"n": loss.n, "what": loss.words, "becomes": loss.becomes} for loss in target.losses(contents)
        ],
    }
