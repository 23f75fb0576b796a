"""Audits over the API: draw one, read its result, review differences, and issue certificates."""

from dataclasses import fields
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction
from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from core.refusals import RefusedWithCode
from core.shapes import Json
from core.web.api import PAGE_PARAMETERS, View, paginated
from projects.access import AnyUser, permissions_in, project_to
from projects.models import Project
from projects.roles import Permission
from raters.audits.drawing import AuditDesign, draw_audit
from raters.audits.judging import JudgedLabel, review
from raters.models import Audit, AuditCertificate
from raters.models.audits import StoredPopulation
from reports.api.audit_serializers import (
    AuditDetailSerializer,
    AuditedLabelSerializer,
    AuditSerializer,
    CertificateSerializer,
    CertificateSummarySerializer,
    NewAudit,
    VerdictInput,
)
from reports.plans.audit import DECIDE, AuditPlan
from reports.plans.audit_draw import DrawRequest, draw_of
from reports.results.audits.audit_results import read_audit
from reports.results.audits.certificates import (
    CertificateCheck,
    design_json,
    issue_certificate,
    label_json,
    result_json,
    review_json,
)
from reports.results.audits.prose import prose_of
from reports.results.audits.wording import verdict_of


class AuditList(View):
    @extend_schema(responses=AuditSerializer(many=True), operation_id="audits_list")
    def get(self, request: Request, slug: str) -> Response:
        """List the audits of a project's labels, newest first."""
        project = project_to(request.user, slug, Permission.SEE_ORIGINS)
        rows = Audit.objects.filter(source=project, project__deletion_due_at=None)
        return Response(
            [_listed(audit) for audit in rows.select_related("project", "question").order_by("-pk")]
        )

    @extend_schema(request=NewAudit, responses={201: AuditSerializer}, operation_id="audit_draw")
    def post(self, request: Request, slug: str) -> Response:
        """Draw a random sample of labels into a new project, and assign its items to auditors.

        The round of the new project is not open yet.
        """
        project = project_to(request.user, slug, Permission.EDIT_PROJECT)
        given = self.checked(NewAudit)
        return Response(_listed(_drawn(project, given, by=request.user)), status=201)


@transaction.atomic
def _drawn(project: Project, given: dict[str, Any], *, by: Any) -> Audit:
    question = project.questions.compared().filter(key=given["question"]).first()
    if question is None:
        raise RefusedWithCode(
            "no_such_question", f"There is no question “{given['question'][:100]}” with answers to compare."
        )
    wanted: StoredPopulation = {"rounds": given.get("rounds") or None, "raters": given.get("raters") or None}
    if "attribute" in given:
        wanted["attribute"] = [given["attribute"], given["value"]]
    if given.get("categories"):
        wanted["categories"] = given["categories"]
    names = {each.name for each in fields(AuditPlan)} - {"size"}
    plan = AuditPlan(**{name: given[name] for name in names & given.keys()})
    asked = DrawRequest(
        question=question,
        wanted=wanted,
        unit=given.get("unit", Audit.Unit.LABEL),
        stratify_by=given.get("stratify_by", ""),
        allocation=given.get("allocation", Audit.Allocation.PROPORTIONAL),
        rates=given.get("rates", {}),
        n=None if plan.aim == DECIDE else given.get("n"),
        plan=plan,
    )
    draw = draw_of(asked)
    design = AuditDesign(
        name=given["name"],
        wanted=wanted,
        unit=asked.unit,
        stratify_by=asked.stratify_by,
        allocation=asked.allocation,
        drawn=draw.drawn,
        n_first=draw.n_first,
        plan=draw.plan,
        seed=given.get("seed", 1),
        shows_given=given.get("shows_given", False),
        double_share=given.get("double_share", 0.0),
        auditors=_members(project, given["auditors"]),
    )
    return draw_audit(draw.population, draw.units, design, by=by)


def _members(project: Project, names: list[str]) -> list[Any]:
    users = get_user_model().objects.filter(memberships__project=project, is_active=True, username__in=names)
    found = {user.username: user for user in users}
    if missing := sorted(set(names) - set(found)):
        raise RefusedWithCode("no_such_member", f"“{missing[0][:100]}” is not a member of this project.")
    return [found[name] for name in sorted(found)]


def _listed(audit: Audit) -> Json:
    return {
        "project": audit.project.slug,
        "name": audit.project.name,
        "question": audit.question.key,
        "n_labels": audit.n_labels,
        "n_drawn": audit.labels.count(),
        "drawn_at": audit.drawn_at,
    }


def _audit(user: AnyUser, slug: str, permission: Permission) -> Audit:
    project = project_to(user, slug, permission)
    audit = Audit.objects.filter(project=project).select_related("question", "project").first()
    if audit is None:
        raise Http404("This project is not an audit.")
    return audit


class AuditDetail(View):
    @extend_schema(responses=AuditDetailSerializer, operation_id="audit_get")
    def get(self, request: Request, slug: str) -> Response:
        """Get the result of an audit so far. The slug is that of the audit's own project."""
        read = read_audit(_audit(request.user, slug, Permission.SEE_ORIGINS))
        return Response(
            {
                "design": design_json(read.audit),
                "result": result_json(read.result),
                "verdict": verdict_of(read),
                "review": review_json(read.differences),
                "methods": prose_of(read).methods,
                "references": prose_of(read).references,
            }
        )


class AuditLabelList(View):
    parameters = {"get": ("page", "page_size")}

    @extend_schema(
        parameters=PAGE_PARAMETERS,
        responses=paginated("AuditedLabel", AuditedLabelSerializer),
        operation_id="audit_labels",
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the labels of the sample in the order of the draw, each with what auditors found."""
        read = read_audit(_audit(request.user, slug, Permission.SEE_ORIGINS))
        return self.paged(read.labels, lambda label: _label(label, read.audit))


def _label(label: JudgedLabel, audit: Audit) -> Json:
    return {"id": label.row.pk, **label_json(label, audit.strata)}


class AuditLabelReview(View):
    @extend_schema(request=VerdictInput, responses=AuditedLabelSerializer, operation_id="audit_label_review")
    def put(self, request: Request, slug: str, pk: int) -> Response:
        """Say who is right about a label on which given and audited label differ, and how severe the error is."""
        audit = _audit(request.user, slug, Permission.ADJUDICATE)
        given = self.checked(VerdictInput)
        get_object_or_404(audit.labels, pk=pk)
        review(
            audit,
            pk,
            verdict=given["verdict"],
            severity=given.get("severity", ""),
            note=given.get("note", ""),
            by=request.user,
        )
        label = next(each for each in read_audit(audit).labels if each.row.pk == pk)
        found = _label(label, audit)
        if Permission.SEE_ORIGINS not in permissions_in(request.user, audit.project):
            # As on the page: reviewers judge labels, not people.
            found["rater"] = ""
        return Response(found)


class AuditCertificates(View):
    parameters = {"get": ("page", "page_size")}

    @extend_schema(
        parameters=PAGE_PARAMETERS,
        responses=paginated("CertificateSummary", CertificateSummarySerializer),
        operation_id="audit_certificates",
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the certificates of an audit, newest first."""
        audit = _audit(request.user, slug, Permission.SEE_ORIGINS)
        return self.paged(
            audit.certificates.select_related("issued_by").defer("content"), _certificate_listed
        )

    @extend_schema(request=None, responses={201: CertificateSerializer}, operation_id="audit_certify")
    def post(self, request: Request, slug: str) -> Response:
        """Issue a certificate of the result as it is now."""
        audit = _audit(request.user, slug, Permission.EDIT_PROJECT)
        return Response(_certificate(issue_certificate(audit, by=request.user)), status=201)


class AuditCertificateDetail(View):
    @extend_schema(responses=CertificateSerializer, operation_id="audit_certificate_get")
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Get a certificate with its data."""
        audit = _audit(request.user, slug, Permission.SEE_ORIGINS)
        return Response(_certificate(get_object_or_404(audit.certificates.select_related("audit"), pk=pk)))


def _certificate_listed(certificate: AuditCertificate) -> Json:
    by = certificate.issued_by
    return {
        "id": certificate.pk,
        "digest": certificate.digest,
        "issued_at": certificate.issued_at,
        "issued_by": by.get_username() if by else None,
    }


def _certificate(certificate: AuditCertificate) -> Json:
    return {
        **_certificate_listed(certificate),
        "is_current": CertificateCheck(certificate).is_current,
        "content": certificate.content,
    }
