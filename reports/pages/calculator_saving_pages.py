"""From the calculator to a project: the file becomes the draft of an import with the same reading options."""

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from core.refusals import Refused, RefusedWithCode
from core.runs.ledger import QueueFull
from core.tables.read_limits import limit_upload
from core.tables.sources import bytes_of
from core.web.forms import require_form
from projects.access import project_to
from projects.imports.import_lock import lock_timeout_refusals
from projects.models import Membership, Project
from projects.roles import PERMISSIONS, Permission
from raters.imports import actions
from raters.imports.file_kinds import refuse_while_labeling
from raters.imports.import_refusals import FileKnown
from raters.imports.label_options import LabelOptions
from raters.imports.uploads import one_of
from raters.models import LabelImport
from reports.pages.calculator.embedded_file import EmbeddedFile
from reports.pages.calculator.limits import MAX_BYTES, TOO_LARGE, too_large

LABELS = str(LabelImport.Kind.LABELS)


@csrf_exempt
@require_form
def calculate_save(request: HttpRequest) -> HttpResponse:
    """Save the file to a project; requires signing in, during which the browser keeps the file."""
    if not settings.CALCULATOR:
        raise Http404("The calculator is turned off.")
    if request.method == "POST":
        limit_upload(request, most=MAX_BYTES, too_large=too_large)
    try:
        with lock_timeout_refusals():
            return _save(request)
    except QueueFull:
        raise
    except RequestDataTooBig:
        return _page(request, refusal=TOO_LARGE, status=413)
    except Refused as refused:
        return _page(request, refusal=str(refused), status=refused.status_code)


@csrf_protect
def _save(request: HttpRequest) -> HttpResponse:
    embedded = _submitted_file(request)
    slug = request.POST.get("project", "")
    if embedded is None or not slug:
        return _page(request, embedded=embedded)
    project = project_to(request.user, slug, Permission.IMPORT)
    refuse_while_labeling(request.user, project, LABELS)
    content = bytes_of(embedded.content)
    try:
        draft = actions.upload(project, embedded.name, content(), embedded.options, by=request.user)  # type: ignore[arg-type]
    except FileKnown as known:
        messages.warning(request, str(known))
        return redirect(known.first)
    return redirect(draft)


def _submitted_file(request: HttpRequest) -> EmbeddedFile | None:
    """Return the file from the calculator, or one chosen here. Raises RefusedWithCode."""
    if request.POST.get("carried"):
        return EmbeddedFile.unpacked(request.POST["carried"])
    files = request.FILES.getlist("file")
    if not files:
        return None
    file = one_of(files)
    content = b"".join(file.chunks())
    if len(content) > MAX_BYTES:
        raise too_large()
    if not content.strip():
        raise RefusedWithCode("not_a_file", "Choose a file that is not empty.")
    return EmbeddedFile(str(file.name)[:200], content, LabelOptions())


def _page(
    request: HttpRequest, *, embedded: EmbeddedFile | None = None, refusal: str = "", status: int = 200
) -> HttpResponse:
    context: dict[str, object] = {
        "projects": _projects_to_import_to(request),
        "name": embedded.name if embedded else "",
        "carried": embedded.packed() if embedded else "",
        "refusal": refusal,
    }
    return render(request, "calculator/save.html", context, status=status)


def _projects_to_import_to(request: HttpRequest) -> list[Project]:
    memberships = Membership.objects.filter(
        user=request.user.pk,
        project__deletion_due_at=None,
        role__in=[role for role, permissions in PERMISSIONS.items() if Permission.IMPORT in permissions],
    ).exclude(project__state=Project.State.CLOSED)
    return [each.project for each in memberships.select_related("project").order_by("project__name")]
