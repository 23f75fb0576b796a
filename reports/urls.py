"""URLs of the pages of this app."""

from django.urls import URLPattern, path

from reports.exports import audit_files, export_pages, model_export, model_item_files, subgroup_export
from reports.pages import (
    audit_plan_pages,
    calculator_pages,
    calculator_saving_pages,
    comparison_pages,
    filter_pages,
    history_pages,
    pair_pages,
    picture_pages,
    project_pages,
    provenance_pages,
    question_pages,
    rater_pages,
    report_pages,
    shared_pages,
    statistics_pages,
)
from reports.pages.audits import drawing_pages as audit_drawing
from reports.pages.audits import result_pages as audit_results
from reports.pages.comparing import on_demand_pages

PAIR = "p/<slug:slug>/agreement/<id:pk>/<id:question>/<id:a>/<id:b>/"
RATER = "p/<slug:slug>/agreement/<id:pk>/<id:question>/raters/<id:rater>/"

urlpatterns: list[URLPattern] = [
    path("", project_pages.projects, name="projects"),
    path("p/<slug:slug>/", project_pages.project, name="project"),
    path("calculate/", calculator_pages.calculate, name="calculate"),
    path("calculate/save/", calculator_saving_pages.calculate_save, name="calculate_save"),
    path("statistics/", statistics_pages.published, name="statistics"),
    path("statistics/items/", statistics_pages.plan_items, name="plan_items"),
    path("statistics/items/pictures/<str:file>", picture_pages.plan_picture, name="plan_picture"),
    path("statistics/audit/", audit_plan_pages.plan_audit, name="plan_audit"),
    path(
        "statistics/audit/pictures/<str:file>", audit_plan_pages.audit_plan_picture, name="audit_plan_picture"
    ),
    path("statistics/guide/", report_pages.statistics_guide, name="statistics_guide"),
    path("p/<slug:slug>/audits/", audit_drawing.audits, name="audits"),
    path("p/<slug:slug>/audits/new/", audit_drawing.new_audit, name="audit_new"),
    path("p/<slug:slug>/audit/", audit_results.audit, name="audit"),
    path("p/<slug:slug>/audit/assign/", audit_results.audit_assign, name="audit_assign"),
    path("p/<slug:slug>/audit/open/", audit_results.audit_open, name="audit_open"),
    path("p/<slug:slug>/audit/review/", audit_results.audit_review, name="audit_review"),
    path("p/<slug:slug>/audit/review/<id:pk>/", audit_results.audit_review_label, name="audit_review_label"),
    path("p/<slug:slug>/audit/certify/", audit_results.audit_certify, name="audit_certify"),
    path("p/<slug:slug>/audit/files/<str:name>", audit_files.audit_file, name="audit_file"),
    path(
        "p/<slug:slug>/audit/certificates/<id:pk>/", audit_results.audit_certificate, name="audit_certificate"
    ),
    path(
        "p/<slug:slug>/audit/certificates/<id:pk>/<str:name>",
        audit_files.audit_certificate_file,
        name="audit_certificate_file",
    ),
    path("p/<slug:slug>/history/", history_pages.project_history, name="project_history"),
    path("p/<slug:slug>/history/verify/", history_pages.verify_history, name="project_history_verify"),
    path("p/<slug:slug>/agreement/", report_pages.agreement, name="agreement"),
    path("p/<slug:slug>/agreement/compare/", comparison_pages.two_reports, name="two_reports"),
    path("p/<slug:slug>/agreement/<id:pk>/", report_pages.report, name="report"),
    path(
        "p/<slug:slug>/agreement/on-demand/<uuid:public>/cancel/",
        on_demand_pages.cancel,
        name="on_demand_cancel",
    ),
    path(
        "p/<slug:slug>/agreement/on-demand/<uuid:public>/recompute/",
        on_demand_pages.retry,
        name="on_demand_retry",
    ),
    path("p/<slug:slug>/agreement/<id:pk>/export/", export_pages.exports, name="report_exports"),
    path("p/<slug:slug>/agreement/<id:pk>/export/<str:name>", export_pages.export_file, name="report_export"),
    path("p/<slug:slug>/agreement/<id:pk>/provenance/", provenance_pages.provenance, name="provenance"),
    path("p/<slug:slug>/agreement/<id:pk>/provenance/verify/", provenance_pages.verify, name="verify"),
    path("p/<slug:slug>/agreement/<id:pk>/provenance/links/", provenance_pages.share, name="report_share"),
    path(
        "p/<slug:slug>/agreement/<id:pk>/provenance/links/<id:link>/revoke/",
        provenance_pages.revoke_link,
        name="report_link_revoke",
    ),
    path("r/<str:token>/", shared_pages.shared, name="shared_report"),
    path("r/<str:token>/<path:path>", shared_pages.shared_page, name="shared_page"),
    path("p/<slug:slug>/agreement/<id:pk>/recompute/", report_pages.ask_again, name="report_recompute"),
    path("p/<slug:slug>/agreement/<id:pk>/name/", report_pages.rename, name="report_rename"),
    path("p/<slug:slug>/rounds/<id:pk>/before-after/", report_pages.before_after, name="round_before_after"),
    path("p/<slug:slug>/agreement/<id:pk>/cancel/", report_pages.cancel_report, name="report_cancel"),
    path("p/<slug:slug>/agreement/<id:pk>/retry/", report_pages.retry_report, name="report_retry"),
    path("p/<slug:slug>/agreement/<id:pk>/<id:question>/", question_pages.question, name="report_question"),
    path(
        "p/<slug:slug>/agreement/<id:pk>/<id:question>/raters/", question_pages.raters, name="report_raters"
    ),
    path(RATER, rater_pages.rater, name="report_rater"),
    path(f"{RATER}items/", rater_pages.items, name="report_rater_items"),
    path(f"{RATER}pictures/<str:file>", rater_pages.picture, name="report_rater_picture"),
    path(
        "p/<slug:slug>/agreement/<id:pk>/<id:question>/compare/",
        comparison_pages.compare,
        name="report_compare",
    ),
    path(
        "p/<slug:slug>/agreement/<id:pk>/<id:question>/time/", comparison_pages.over_time, name="report_time"
    ),
    path(
        "p/<slug:slug>/agreement/<id:pk>/<id:question>/subgroups/",
        comparison_pages.by_subgroup,
        name="report_subgroups",
    ),
    path(
        "p/<slug:slug>/agreement/<id:pk>/<id:question>/subgroups/subgroups.csv",
        subgroup_export.subgroups_file,
        name="report_subgroups_file",
    ),
    path(
        "p/<slug:slug>/agreement/<id:pk>/<id:question>/models/", comparison_pages.models, name="report_models"
    ),
    path(
        "p/<slug:slug>/agreement/<id:pk>/<id:question>/models/models.csv",
        model_export.models_file,
        name="report_models_file",
    ),
    path(
        "p/<slug:slug>/agreement/<id:pk>/<id:question>/models/decisions/",
        comparison_pages.decisions,
        name="report_decisions",
    ),
    path(
        "p/<slug:slug>/agreement/<id:pk>/<id:question>/models/decisions/decisions.csv",
        model_item_files.decisions_file,
        name="report_decisions_file",
    ),
    path(
        "p/<slug:slug>/agreement/<id:pk>/<id:question>/models/decisions/round/",
        comparison_pages.decisions_round,
        name="report_decisions_round",
    ),
    path(
        "p/<slug:slug>/agreement/<id:pk>/<id:question>/models/sample.csv",
        model_item_files.sample_file,
        name="report_sample_file",
    ),
    path(
        "p/<slug:slug>/agreement/<id:pk>/<id:question>/effect/",
        comparison_pages.effect,
        name="report_effect",
    ),
    path(
        "p/<slug:slug>/agreement/<id:pk>/<id:question>/categories/",
        question_pages.categories,
        name="report_categories",
    ),
    path(
        "p/<slug:slug>/agreement/<id:pk>/<id:question>/confidence/",
        question_pages.confidence,
        name="report_confidence",
    ),
    path(
        "p/<slug:slug>/agreement/<id:pk>/<id:question>/filter/", filter_pages.filtered, name="report_filter"
    ),
    path(
        "p/<slug:slug>/agreement/<id:pk>/<id:question>/findings/note/",
        question_pages.finding_note,
        name="report_finding_note",
    ),
    path(
        "p/<slug:slug>/agreement/<id:pk>/<id:question>/items/list/",
        question_pages.items_list,
        name="report_items_list",
    ),
    path("p/<slug:slug>/agreement/<id:pk>/<id:question>/items/", question_pages.items, name="report_items"),
    path(
        "p/<slug:slug>/agreement/<id:pk>/<id:question>/network/",
        question_pages.network,
        name="report_network",
    ),
    path(
        "p/<slug:slug>/agreement/<id:pk>/<id:question>/pictures/<str:file>",
        picture_pages.picture,
        name="report_picture",
    ),
    path(PAIR, pair_pages.pair, name="pair"),
    path(f"{PAIR}pictures/<str:file>", picture_pages.pair_picture, name="pair_picture"),
    path(f"{PAIR}items/", pair_pages.pair_items, name="pair_items"),
    path(f"{PAIR}items/<id:item>/", pair_pages.pair_item, name="pair_item"),
]
