"""URLs of the reports API, below /api/v1/."""

from django.urls import URLPattern, path

from reports.api import audit_plan_view as audit_api
from reports.api import audit_views as audits_api
from reports.api import comparison_views as two_api
from reports.api import confidence_views as confidence_api
from reports.api import decision_views as decisions_api
from reports.api import effect_views as effect_api
from reports.api import finding_views as findings_api
from reports.api import history_views as history_api
from reports.api import model_views as models_api
from reports.api import provenance_views as provenance_api
from reports.api import rater_views as raters_api
from reports.api import report_views as api
from reports.api import statistics_views as statistics_api
from reports.api import subgroup_views as groups_api
from reports.api import time_views as time_api
from reports.api import waiting_views as on_demand_api
from reports.exports import export_views as exports_api

REPORT = "projects/<slug:slug>/reports/<id:pk>/"
ON_DEMAND = "projects/<slug:slug>/reports/on-demand/<uuid:public>/"
QUESTION = f"{REPORT}questions/<key:key>/"

urlpatterns: list[URLPattern] = [
    path("statistics/published/", statistics_api.Published.as_view(), name="api_published"),
    path("statistics/items/", statistics_api.PlanItems.as_view(), name="api_plan_items"),
    path("statistics/audit/", audit_api.PlanAudit.as_view(), name="api_plan_audit"),
    path("projects/<slug:slug>/audits/", audits_api.AuditList.as_view(), name="api_audits"),
    path("projects/<slug:slug>/audit/", audits_api.AuditDetail.as_view(), name="api_audit"),
    path("projects/<slug:slug>/audit/labels/", audits_api.AuditLabelList.as_view(), name="api_audit_labels"),
    path(
        "projects/<slug:slug>/audit/labels/<id:pk>/verdict/",
        audits_api.AuditLabelReview.as_view(),
        name="api_audit_label_review",
    ),
    path(
        "projects/<slug:slug>/audit/certificates/",
        audits_api.AuditCertificates.as_view(),
        name="api_audit_certificates",
    ),
    path(
        "projects/<slug:slug>/audit/certificates/<id:pk>/",
        audits_api.AuditCertificateDetail.as_view(),
        name="api_audit_certificate",
    ),
    path("projects/<slug:slug>/history/", history_api.ProjectHistory.as_view(), name="api_history"),
    path(
        "projects/<slug:slug>/history/verify/", history_api.HistoryVerify.as_view(), name="api_history_verify"
    ),
    path("projects/<slug:slug>/reports/", api.ReportList.as_view(), name="api_reports"),
    path(
        "projects/<slug:slug>/reports/comparison/", two_api.ReportComparison.as_view(), name="api_two_reports"
    ),
    path(f"{ON_DEMAND}cancel/", on_demand_api.OnDemandCancel.as_view(), name="api_on_demand_cancel"),
    path(f"{ON_DEMAND}retry/", on_demand_api.OnDemandRetry.as_view(), name="api_on_demand_retry"),
    path(REPORT, api.ReportDetail.as_view(), name="api_report"),
    path(f"{REPORT}cancel/", api.ReportCancel.as_view(), name="api_report_cancel"),
    path(f"{REPORT}retry/", api.ReportRetry.as_view(), name="api_report_retry"),
    path(f"{REPORT}exports/", exports_api.ExportList.as_view(), name="api_exports"),
    path(f"{REPORT}exports/<str:name>", exports_api.ExportDetail.as_view(), name="api_export"),
    path(f"{REPORT}verify/", provenance_api.ReportVerify.as_view(), name="api_report_verify"),
    path(f"{REPORT}changes/", provenance_api.ReportChanges.as_view(), name="api_report_changes"),
    path(f"{REPORT}links/", provenance_api.LinkList.as_view(), name="api_report_links"),
    path(f"{REPORT}links/<id:link>/", provenance_api.LinkDetail.as_view(), name="api_report_link"),
    path(f"{QUESTION}statistics/", api.Statistics.as_view(), name="api_statistics"),
    path(f"{QUESTION}findings/", findings_api.FindingsDetail.as_view(), name="api_report_findings"),
    path(f"{QUESTION}findings/notes/", findings_api.FindingNotes.as_view(), name="api_report_finding_notes"),
    path(f"{QUESTION}effect/", effect_api.EffectDetail.as_view(), name="api_report_effect"),
    path(f"{QUESTION}time/", time_api.OverTimeDetail.as_view(), name="api_report_time"),
    path(f"{QUESTION}subgroups/", groups_api.SubgroupsDetail.as_view(), name="api_report_subgroups"),
    path(f"{QUESTION}models/", models_api.ModelsDetail.as_view(), name="api_report_models"),
    path(
        f"{QUESTION}models/decisions/",
        decisions_api.DecisionsDetail.as_view(),
        name="api_report_decisions",
    ),
    path(
        f"{QUESTION}models/decisions/items/",
        decisions_api.DecidedItemList.as_view(),
        name="api_report_decided_items",
    ),
    path(
        f"{QUESTION}models/sample/",
        decisions_api.SampledItemList.as_view(),
        name="api_report_sampled_items",
    ),
    path(f"{QUESTION}raters/<id:rater>/", raters_api.RaterFiguresDetail.as_view(), name="api_report_rater"),
    path(f"{QUESTION}confidence/", confidence_api.ConfidenceDetail.as_view(), name="api_report_confidence"),
    path(f"{QUESTION}comparison/", api.Comparison.as_view(), name="api_comparison"),
    path(f"{QUESTION}matrix/", api.MatrixDetail.as_view(), name="api_matrix"),
    path(f"{QUESTION}pairs/", api.PairList.as_view(), name="api_pairs"),
    path(f"{QUESTION}pairs/<id:a>/<id:b>/", api.PairDetail.as_view(), name="api_pair"),
]
