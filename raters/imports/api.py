"""Imports of labels over the API: checked as a whole while the request lasts, loaded by a worker."""

import tempfile
from collections.abc import Iterator, Mapping
from typing import IO, Any

from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, OpenApiTypes, extend_schema
from rest_framework import serializers
from rest_framework.parsers import BaseParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from core.keys import MAX_KEY
from core.refusals import Refusal
from core.tables.delimited import SEPARATORS
from core.tables.encoding import AUTO, ENCODINGS, Source
from core.tables.table import looks_like_json_lines
from core.web.api import PAGE_PARAMETERS, View
from core.web.strict import StrictJSONParser, parsed, refuse_encodings
from projects.access import project_to
from projects.imports.turns import turn_refused
from projects.models import Project, Question
from projects.roles import Right
from raters.imports import actions
from raters.imports.known import refuse_closed
from raters.imports.label_file import FileOfLabels
from raters.imports.options import IMPORTED_KINDS, LAYOUTS, LabelOptions
from raters.imports.uploads import limit_upload, limited
from raters.models import LabelImport

TEXTS = (
    "layout",
    "encoding",
    "separator",
    "question",
    "question_kind",
    "level",
    "rater",
    "rater_kind",
    "round",
)
FLAGS = ("trim", "replace", "declared_only")
PARAMETERS = (*TEXTS, *FLAGS, "columns", "ignored", "dry_run", "file_name")
RATER_KINDS = [kind for kind, _ in IMPORTED_KINDS]
FLAG = ["true", "false"]
# Of the parameters that take one of a few words: which.
CHOICES: dict[str, list[Any]] = {
    "layout": ["auto", *LAYOUTS],
    "encoding": [AUTO, *ENCODINGS],
    "separator": [AUTO, *SEPARATORS],
    "question_kind": Question.Kind.values,
    "level": Question.Level.values,
    "rater_kind": RATER_KINDS,
    **dict.fromkeys((*FLAGS, "dry_run"), FLAG),
}
STATUS = {"too_many_rows": 413, "conflicts_with_label": 409}


class RawFileParser(BaseParser):
    """The request body is the file."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        file = tempfile.TemporaryFile()  # noqa: SIM115  Closed by the view.
        try:
            for block in limited(iter(lambda: stream.read(64 * 1024), b"")):
                file.write(block)
        except BaseException:
            file.close()
            raise
        return RawFile(file)


class CSVParser(RawFileParser):
    media_type = "text/csv"


class TSVParser(RawFileParser):
    media_type = "text/tab-separated-values"


class JSONLinesParser(RawFileParser):
    media_type = "application/x-ndjson"


class RawFile:
    """A file that came as the body itself."""

    name = ""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file

    def chunks(self) -> Iterator[bytes]:
        self.file.seek(0)
        while block := self.file.read(64 * 1024):
            yield block

    def close(self) -> None:
        self.file.close()


class FaultOutput(serializers.Serializer[Any]):
    line = serializers.IntegerField(help_text="Line number in the file, from 1; 0 for the file as a whole.")
    column = serializers.CharField()
    value = serializers.CharField()
    code = serializers.CharField()
    rule = serializers.CharField()


class ImportOutput(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    url = serializers.CharField()
    file_name = serializers.CharField()
    sha256 = serializers.CharField()
    n_bytes = serializers.IntegerField()
    state = serializers.ChoiceField(LabelImport.State.choices)
    stage = serializers.CharField()
    share_done = serializers.FloatField()
    failure = serializers.CharField()
    n_labels = serializers.IntegerField()
    n_created = serializers.IntegerField()
    n_changed = serializers.IntegerField()
    n_unchanged = serializers.IntegerField()
    n_faults = serializers.IntegerField()
    faults = FaultOutput(many=True)
    asked_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class ImportsOutput(serializers.Serializer[Any]):
    count = serializers.IntegerField()
    page = serializers.IntegerField()
    page_size = serializers.IntegerField()
    results = ImportOutput(many=True)


class ImportInput(serializers.Serializer[Any]):
    """A file of labels and import settings. If the body is the file itself, send the settings as query parameters."""

    file = serializers.FileField()
    layout = serializers.ChoiceField(CHOICES["layout"], required=False)
    encoding = serializers.ChoiceField(CHOICES["encoding"], required=False)
    separator = serializers.ChoiceField(CHOICES["separator"], required=False)
    columns = serializers.CharField(
        required=False, help_text='JSON object of role to column, such as {"label": "answer"}'
    )
    ignored = serializers.CharField(required=False, help_text='JSON array of columns, such as ["comment"]')
    question = serializers.CharField(required=False, max_length=MAX_KEY)
    question_kind = serializers.ChoiceField(CHOICES["question_kind"], required=False)
    level = serializers.ChoiceField(CHOICES["level"], required=False)
    rater = serializers.CharField(required=False, max_length=MAX_KEY)
    rater_kind = serializers.ChoiceField(CHOICES["rater_kind"], required=False)
    round = serializers.CharField(required=False, max_length=MAX_KEY)
    trim = serializers.ChoiceField(FLAG, required=False)
    replace = serializers.ChoiceField(FLAG, required=False)
    declared_only = serializers.ChoiceField(FLAG, required=False)
    dry_run = serializers.ChoiceField(FLAG, required=False)


class Imports(View):
    parser_classes = [MultiPartParser, CSVParser, TSVParser, JSONLinesParser, StrictJSONParser]
    parameters = {"get": ("page", "page_size"), "post": PARAMETERS}

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        # Before authentication, whose check of the CSRF token reads the body.
        limit_upload(request)
        return super().initialize_request(request, *args, **kwargs)

    @extend_schema(operation_id="imports_list", parameters=PAGE_PARAMETERS, responses=ImportsOutput)
    def get(self, request: Request, slug: str) -> Response:
        project = project_to(request.user, slug, Right.IMPORT)
        return self.paged(_imports_of_labels(project).order_by("-id"), shown)

    @extend_schema(
        operation_id="imports_create",
        parameters=[OpenApiParameter(name, str, enum=CHOICES.get(name)) for name in PARAMETERS],
        request={
            "multipart/form-data": ImportInput,
            **{parser.media_type: OpenApiTypes.BINARY for parser in (CSVParser, TSVParser, JSONLinesParser)},
        },
        responses={200: OpenApiTypes.OBJECT, 201: ImportOutput},
    )
    def post(self, request: Request, slug: str) -> Response:
        project = project_to(request.user, slug, Right.IMPORT)
        refuse_encodings(request.META, request.content_type or "")
        file, given = _file_and_options(request)
        try:
            options = _options(given, file.chunks)
            refuse_closed(project)
            if _flag(given, "dry_run"):
                return _dry_run(project, file.chunks, options)
            name = given.get("file_name") or file.name
            return _import(project, name, file.chunks, options, by=request.user)
        finally:
            file.close()


class Import(View):
    @extend_schema(operation_id="imports_read", responses=ImportOutput)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        project = project_to(request.user, slug, Right.IMPORT)
        return Response(shown(get_object_or_404(_imports_of_labels(project), pk=pk)))


def _imports_of_labels(project: Project) -> QuerySet[LabelImport]:
    return project.imports.filter(kind=LabelImport.Kind.LABELS).select_related("project")


def shown(run: LabelImport) -> dict[str, Any]:
    """An import as the API shows it."""
    names = ImportOutput().get_fields().keys() - {"url"}
    return ImportOutput({"url": run.get_absolute_url()} | {name: getattr(run, name) for name in names}).data


def _file_and_options(request: Request) -> tuple[Any, dict[str, str]]:
    """The file and what is said of it, in the parts of a form or in the query."""
    body: Any = request.data
    query = {name: request.query_params[name] for name in request.query_params}
    if isinstance(body, RawFile):
        return body, query
    file = request.FILES.get("file") if request.FILES else None
    if file is None:
        raise Refusal(
            "not_a_file",
            "Send the file itself, as the multipart part `file` or as the request body.",
        )
    given = {**query, **{name: body[name] for name in body if name != "file"}}
    for name, value in given.items():
        if name not in PARAMETERS or not isinstance(value, str):
            raise Refusal("unknown_field", f"Unknown field {name[:100]!r}.")
    return file, given


def _options(given: dict[str, str], source: Source) -> LabelOptions:
    said: dict[str, Any] = {name: given[name] for name in TEXTS if name in given}
    if said.get("layout", "auto") == "auto":
        said["layout"] = "jsonl" if looks_like_json_lines(source) else "long"
    said |= {name: _flag(given, name) for name in FLAGS}
    said["columns"] = _json(given, "columns", dict)
    said["ignored"] = tuple(_json(given, "ignored", list))
    try:
        return LabelOptions(**said)
    except ValueError as error:
        raise Refusal("invalid_option", f"{error}.") from None


def _flag(given: dict[str, str], name: str) -> bool:
    value = given.get(name, "false")
    if value not in {"true", "false"}:
        raise Refusal("invalid_option", f"{name} must be true or false, got {value[:100]!r}.")
    return value == "true"


def _json(given: dict[str, str], name: str, kind: type) -> Any:
    """A list or an object of texts."""
    if name not in given:
        return kind()
    value = parsed(given[name].encode("utf-8", "surrogatepass"))
    texts = [*value.values()] if isinstance(value, dict) else value
    if not isinstance(value, kind) or not all(isinstance(text, str) for text in texts):
        raise Refusal("invalid_option", f"{name} must be JSON, {kind.__name__} of texts.")
    return value


def _dry_run(project: Project, source: Source, options: LabelOptions) -> Response:
    found = FileOfLabels(project, source, options).check()
    faults = [fault.as_json() for fault in found.faults.listed]
    return Response({**found.preview, "n_faults": found.faults.n, "faults": faults})


def _import(project: Project, name: str, source: Source, options: LabelOptions, *, by: Any) -> Response:
    with turn_refused(), transaction.atomic():
        run = actions.upload(project, name, source(), options, by=by)
        if run.n_faults:
            # Leaving the transaction by an exception takes the file back, too.
            raise _refusal(run)
        actions.confirm(run, by=by)
    run.refresh_from_db()
    return Response(shown(run), status=201)


def _refusal(run: LabelImport) -> Refusal:
    codes = {fault["code"] for fault in run.faults}
    code = next((code for code in STATUS if code in codes), run.faults[0]["code"])
    s = "" if run.n_faults == 1 else "s"
    first = run.faults[0]
    detail = f"{run.n_faults:,} problem{s} found; nothing was imported. Line {first['line']}: {first['rule']}"
    # A file whose only faults are clashes with labels is well formed; what it says is refused.
    status = STATUS.get(code, 400) if codes == {code} else 400
    return Refusal(code, detail, status_code=status, errors=run.faults)
