"""API for imports. Files are checked within the request; a worker loads labels and many items, anything else loads at
once.
"""

from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, OpenApiTypes, extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from core.keys import MAX_KEY
from core.refusals import RefusedWithCode
from core.shapes import Json
from core.web.api import PAGE_PARAMETERS, UploadView, View, chosen_parameter, paginated
from core.web.strict import StrictJSONParser, refuse_encodings
from projects.access import permissions_in, project_to
from projects.imports.import_lock import lock_timeout_refusals
from projects.imports.protocol import ImportContext, ImportResult
from projects.models import Project
from projects.roles import Permission
from raters.imports import actions
from raters.imports.file_kinds import KINDS, refuse_while_labeling
from raters.imports.submitted_file import (
    CHOICES,
    FLAG,
    PARAMETERS,
    RAW_PARSERS,
    SubmittedFile,
    sent_file,
)
from raters.imports.undoing import MOST_AT_ONCE, undo_import
from raters.imports.uploads import limit_upload
from raters.models import LabelImport

STATUS = {
    "too_many_rows": 413,
    "conflicts_with_label": 409,
    "item_exists": 409,
    "question_exists": 409,
    "source_id_moved": 409,
}


class ImportFaultSerializer(serializers.Serializer[Any]):
    line = serializers.IntegerField(help_text="Line number in the file, from 1; 0 for the file as a whole.")
    column = serializers.CharField()
    value = serializers.CharField()
    code = serializers.CharField()
    rule = serializers.CharField()


class ImportSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    url = serializers.CharField()
    kind = serializers.ChoiceField(LabelImport.Kind.choices)
    file_name = serializers.CharField()
    sha256 = serializers.CharField()
    n_bytes = serializers.IntegerField()
    state = serializers.ChoiceField(LabelImport.State.choices)
    stage = serializers.CharField()
    share_done = serializers.FloatField()
    n_done = serializers.IntegerField(
        help_text="Labels or items read or written so far in this stage; 0 while they are not counted."
    )
    n_total = serializers.IntegerField(
        help_text="Labels or items to read or write in this stage; 0 if unknown."
    )
    seconds_left = serializers.FloatField(
        allow_null=True, help_text="Estimated time left; null while there is too little to go by."
    )
    failure = serializers.CharField()
    n_labels = serializers.IntegerField(
        allow_null=True,
        help_text="Labels in the file. Null, like `n_created`, `n_changed`, and `n_unchanged`, for a file of more than "
        "100,000 labels or items until it is imported, since it has not been read to the end until then.",
    )
    n_created = serializers.IntegerField(allow_null=True)
    n_changed = serializers.IntegerField(allow_null=True)
    n_unchanged = serializers.IntegerField(allow_null=True)
    n_faults = serializers.IntegerField()
    faults = ImportFaultSerializer(many=True)
    mapping = serializers.DictField(
        help_text="How the file was read. Send it with the next file of the same kind."
    )
    asked_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    undone_at = serializers.DateTimeField(allow_null=True)
    undone = serializers.DictField(
        help_text="What undoing did: n_withdrawn, n_restored, and n_kept labels, and created: by kind, how many rows "
        "were deleted and kept. Empty if the import has not been undone."
    )


class ImportInput(serializers.Serializer[Any]):
    """A file and import settings. If the body is the file itself, send the settings as query parameters.

    For items, only encoding, separator, sheet, header_line, columns, and replace apply; for questions, only encoding,
    separator, sheet, and replace.
    """

    file = serializers.FileField(
        help_text="The file. Several parts of this name are read as one import, such as a file for each rater."
    )
    kind = serializers.ChoiceField(
        LabelImport.Kind.choices, required=False, help_text="What the file holds. Default: labels."
    )
    format = serializers.CharField(
        required=False,
        help_text="Program that wrote the file, table, or auto: detected from the content, even if the "
        "mapping says table. Default: auto.",
    )
    layout = serializers.ChoiceField(CHOICES["layout"], required=False)
    encoding = serializers.ChoiceField(CHOICES["encoding"], required=False)
    separator = serializers.ChoiceField(CHOICES["separator"], required=False)
    mapping = serializers.CharField(
        required=False, help_text="JSON object of settings, as returned by a dry run or an earlier import."
    )
    sheet = serializers.CharField(
        required=False, help_text="Name of the sheet. Default: the first with a table."
    )
    header_line = serializers.CharField(
        required=False, help_text="Line or row of the header; 0 if there is none. Default: auto."
    )
    decimal = serializers.ChoiceField(CHOICES["decimal"], required=False)
    columns = serializers.CharField(
        required=False,
        help_text='JSON object of column to role, such as {"answer": "label", "anna_tone": '
        '{"role": "label", "rater": "anna", "question": "tone", "rater_kind": "human"}}. For items, each is item, '
        "attribute, ignore, or the kind of a field, such as text or image. Columns that you leave out are guessed.",
    )
    questions = serializers.CharField(
        required=False,
        help_text='JSON object of question to kind, level, values, and order, such as {"tone": {"values": '
        '{"NA": null, "Positive": "positive"}}}. Values that you leave out are guessed.',
    )
    choices = serializers.CharField(
        required=False,
        help_text="JSON object of what the program’s format leaves open; a dry run lists the choices.",
    )
    statuses = serializers.CharField(
        required=False,
        help_text='JSON object of status to whether its rows are labels, such as {"in review": false}. Statuses that '
        "you leave out are guessed; a dry run lists them.",
    )
    question = serializers.CharField(required=False, max_length=MAX_KEY)
    question_kind = serializers.ChoiceField(CHOICES["question_kind"], required=False)
    level = serializers.ChoiceField(CHOICES["level"], required=False)
    rater = serializers.CharField(required=False, max_length=MAX_KEY)
    rater_kind = serializers.ChoiceField(CHOICES["rater_kind"], required=False)
    round = serializers.CharField(required=False, max_length=MAX_KEY)
    repeats = serializers.ChoiceField(CHOICES["repeats"], required=False)
    same_texts = serializers.ChoiceField(
        CHOICES["same_texts"],
        required=False,
        help_text="If several items have the text by which a row names its item: refuse the file, or take the first.",
    )
    replace = serializers.ChoiceField(FLAG, required=False)
    declared_only = serializers.ChoiceField(FLAG, required=False)
    dry_run = serializers.ChoiceField(FLAG, required=False)


class Imports(UploadView):
    limit_upload = staticmethod(limit_upload)
    parser_classes = [MultiPartParser, *RAW_PARSERS, StrictJSONParser]
    parameters = {"get": ("page", "page_size", "state", "kind"), "post": PARAMETERS}

    @extend_schema(
        operation_id="imports_list",
        parameters=[
            *PAGE_PARAMETERS,
            OpenApiParameter(
                "state", str, enum=LabelImport.State.values, description="Only imports in this state."
            ),
            OpenApiParameter(
                "kind",
                str,
                enum=LabelImport.Kind.values,
                description="Only imports of labels, items, or questions.",
            ),
        ],
        responses=paginated("Import", ImportSerializer),
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the imports of the project, newest first."""
        project = project_to(request.user, slug, Permission.SEE_ORIGINS)
        chosen = {
            name: chosen_parameter(request, name, choices.values)
            for name, choices in (("state", LabelImport.State), ("kind", LabelImport.Kind))
        }
        wanted = {name: value for name, value in chosen.items() if value}
        return self.paged(
            _visible_imports(request, project).filter(**wanted).order_by("-id"), serialized_import
        )

    @extend_schema(
        operation_id="imports_create",
        parameters=[OpenApiParameter(name, str, enum=CHOICES.get(name)) for name in PARAMETERS],
        request={
            "multipart/form-data": ImportInput,
            **{parser.media_type: OpenApiTypes.BINARY for parser in RAW_PARSERS},
        },
        responses={200: OpenApiTypes.OBJECT, 201: ImportSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Import all of a file, or nothing. Labels, and files of more than 100,000 items, are imported in the
        background; questions and smaller files of items immediately.
        """
        project = project_to(request.user, slug, Permission.IMPORT)
        refuse_encodings(request.META, request.content_type or "")
        sent = sent_file(request)
        try:
            refuse_while_labeling(request.user, project, sent.kind)
            with lock_timeout_refusals():
                if sent.is_dry_run:
                    return _dry_run(project, sent)
                return _import(project, sent, by=request.user)
        finally:
            sent.file.close()


class Import(View):
    @extend_schema(operation_id="imports_read", responses=ImportSerializer)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Get an import, with its progress."""
        project = project_to(request.user, slug, Permission.SEE_ORIGINS)
        return Response(serialized_import(get_object_or_404(_visible_imports(request, project), pk=pk)))


class ImportUndo(View):
    @extend_schema(operation_id="imports_undo", request=None, responses=ImportSerializer)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Undo an import of labels. Removes its labels, unless changed since, and anything it created that is
        unused.
        """
        project = project_to(request.user, slug, Permission.IMPORT)
        run = get_object_or_404(project.imports.select_related("project"), pk=pk)
        with lock_timeout_refusals():
            undo_import(run, by=request.user, most=MOST_AT_ONCE)
        return Response(serialized_import(run))


def _visible_imports(request: Request, project: Project) -> QuerySet[LabelImport]:
    """Return the imports that the user may see. Drafts are only for those who may import."""
    found = project.imports.select_related("project")
    if Permission.IMPORT in permissions_in(request.user, project):
        return found
    return found.exclude(state=LabelImport.State.DRAFT)


def serialized_import(run: LabelImport) -> Json:
    """Return an import in API output."""
    names = ImportSerializer().get_fields().keys() - {"url", "mapping"}
    values = {name: getattr(run, name) for name in names}
    if not (run.has_whole_preview or run.state == LabelImport.State.DONE):
        # Those of the preview count its first part.
        values |= dict.fromkeys(ImportResult().counts)
    return ImportSerializer({"url": run.get_absolute_url(), "mapping": run.options} | values).data


def _dry_run(project: Project, sent: SubmittedFile) -> Response:
    how = ImportContext(n_bytes=sum(map(len, sent.source())))
    found = KINDS[sent.kind].open(project, sent.source, sent.options(), how).check()
    faults = [fault.as_json() for fault in found.faults.listed]
    mapping = found.options.as_json() if found.options else {}
    counts = found.would_do.counts
    return Response(
        {**counts, **found.preview, "mapping": mapping, "n_faults": found.faults.n, "faults": faults}
    )


def _import(project: Project, sent: SubmittedFile, *, by: Any) -> Response:
    with transaction.atomic():
        run = actions.upload(project, sent.name, sent.source(), sent.options(), by=by, kind=sent.kind)
        if run.n_faults:
            # Raising within the transaction rolls back the file, too.
            raise _refusal(run)
        actions.confirm(run, by=by)
    run.refresh_from_db()
    return Response(serialized_import(run), status=201)


def _refusal(run: LabelImport) -> RefusedWithCode:
    codes = {fault["code"] for fault in run.faults}
    code = next((code for code in STATUS if code in codes), run.faults[0]["code"])
    s = "" if run.n_faults == 1 else "s"
    first = run.faults[0]
    where = f". Line {first['line']}: " if first["line"] else ": "
    detail = f"{run.n_faults:,} problem{s} found; nothing was imported{where}{first['rule']}"
    # If its only faults are conflicts with stored data, the file is well formed, so the status is not 400.
    status = STATUS.get(code, 400) if codes == {code} else 400
    return RefusedWithCode(code, detail, status_code=status, errors=run.faults)
