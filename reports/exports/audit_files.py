"""Files of an audit: its labels as CSV, and its certificate as PDF, data, and a script that recomputes it."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_safe

from core.tables.safe_cells import Cell, csv_lines
from core.templatetags.shown import moment
from projects.access import AnyUser, project_to
from projects.events import record
from projects.models import Event, Project
from projects.roles import Permission
from raters.models import Audit, AuditCertificate
from raters.models.audits import words_of
from reports.drawing.typeset import pdf_of, string
from reports.exports.pdf import HEAD
from reports.results.audits.audit_results import EvaluatedAudit, read_audit
from reports.results.audits.certificates import certificate_rows, label_json

COLUMNS = (
    *(
        "unit",
        "item",
        "rater",
        "round",
        "stratum",
        "probability",
        "given",
        "audited",
        "state",
        "verdict",
        "severity",
    ),
    "note",
)
LABELS_FILE = "audit-labels.csv"
SCRIPT = Path(__file__).parent / "scripts" / "check_audit.py.txt"


def _audit_of(user: AnyUser, slug: str) -> tuple[Project, Audit]:
    project = project_to(user, slug, Permission.SEE_LABELS)
    rows = Audit.objects.select_related("question", "project")
    return project, get_object_or_404(rows, project=project)


@require_safe
def audit_file(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    project, audit = _audit_of(request.user, slug)
    if name != LABELS_FILE:
        raise Http404("There is no such file.")
    # Names of those who gave the labels: for those who may see where labels come from.
    project_to(request.user, slug, Permission.SEE_ORIGINS)
    record(Event.Kind.EXPORTED, by=request.user, project=project, about=name)
    return _attached("".join(csv_lines(_rows(read_audit(audit)))), name, "text/csv; charset=utf-8")


def _rows(read: EvaluatedAudit) -> Iterator[list[Cell]]:
    yield list(COLUMNS)
    for label in read.labels:
        found = label_json(label, read.audit.strata)
        found |= {"given": words_of(found["given"]), "audited": words_of(found["audited"])}
        yield [found[name] for name in COLUMNS]


@require_safe
def audit_certificate_file(request: HttpRequest, slug: str, pk: int, name: str) -> HttpResponse:
    project, audit = _audit_of(request.user, slug)
    certificate = get_object_or_404(audit.certificates.select_related("issued_by"), pk=pk)
    if name == "certificate.pdf":
        address = request.build_absolute_uri(reverse("audit_certificate", args=[slug, pk]))
        found = _attached(pdf_of("\n".join(_document(certificate, address))), name, "application/pdf")
    elif name == "audit.json":
        project_to(request.user, slug, Permission.SEE_ORIGINS)
        text = json.dumps(certificate.content, indent=1, ensure_ascii=False) + "\n"
        found = _attached(text, name, "application/json")
    elif name == "check_audit.py":
        found = _attached(SCRIPT.read_text(encoding="utf-8"), name, "text/x-python; charset=utf-8")
    else:
        raise Http404("There is no such file.")
    record(Event.Kind.EXPORTED, by=request.user, project=project, about=name, certificate=pk)
    return found


def _attached(content: str | bytes, name: str, kind: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=kind, headers=headers)


def _document(certificate: AuditCertificate, address: str) -> Iterator[str]:
    """Yield one page of Typst."""
    content: Mapping[str, Any] = certificate.content
    issued = f"Issued {moment(certificate.issued_at)}"
    if certificate.issued_by:
        issued += f" by {certificate.issued_by}"
    title, about = (
        f"Audit certificate: {content['project']}",
        f"{issued}. Interrater {content['interrater']}.",
    )
    yield HEAD.format(title=string(title), about=string(about))
    yield f"#par(strong({_content(content['verdict'])}))"
    cells = ", ".join(
        f'[#strong({_content(name)})], [#text(weight: "regular", {string(value)})]'
        for name, value in certificate_rows(content)
    )
    yield f"#table(columns: (auto, 1fr), stroke: 0.4pt + luma(190), inset: 6pt, {cells})"
    yield f"#par({_content(content['methods'])})"
    for each in content["references"]:
        yield f"#par(text(size: 9pt, {string(each)}))"
    yield f"#par({_content(f'SHA-256 of the data: {certificate.digest}')})"
    yield f"#par([#{_content('Verify: ')} #link({string(address)})])"


def _content(text: str) -> str:
    return f"text({string(text)})"
